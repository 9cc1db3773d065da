import Foundation
@_spi(ModelKitInternals) import StoreEngine

extension FileModelStore: CustomStringConvertible, CustomReflectable {
  /// The directory and the group: `FileModelStore("/data/people.store", group: "drafts")`.
  public var description: String { "FileModelStore\(handle.place)" }

  /// The directory, the group and the options, for `dump` and debuggers.
  public var customMirror: Mirror { handle.mirror(of: self) }
}

extension FileStoreHandle: CustomStringConvertible, CustomReflectable {
  /// The directory and the group: `FileStoreHandle("/data/people.store")`.
  public var description: String { "FileStoreHandle\(place)" }

  /// The directory, the group and the options, for `dump` and debuggers.
  public var customMirror: Mirror { mirror(of: self) }

  fileprivate var place: String {
    let path = directory.path(percentEncoded: false).debugDescription
    let reading = options.mode == .readOnly ? ", reading only" : ""
    return "(\(path)\(group.isEmpty ? "" : ", group: \(group.debugDescription)")\(reading))"
  }

  fileprivate func mirror<Subject>(of subject: Subject) -> Mirror {
    Mirror(
      subject,
      children: [
        "directory": directory.path(percentEncoded: false), "group": group, "mode": options.mode,
        "durability": options.durability,
      ], displayStyle: .class)
  }
}
