import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// The part of a file that is kept beside the target of a download, and the validator with which it is continued.
struct DownloadPart: Sendable {
  /// The version of the file to which a kept part belongs.
  struct Version: Equatable, Sendable {
    /// The digest of the address.
    var address: Int
    /// The strong entity tag or the date of the last change.
    var validator: String
  }

  let file: URL
  private let versionFile: URL

  init(beside target: URL) {
    let folder = target.deletingLastPathComponent()
    file = folder.appendingPathComponent(target.lastPathComponent + ".part")
    versionFile = folder.appendingPathComponent(target.lastPathComponent + ".part.json")
  }

  /// The number of bytes in the part.
  var count: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The version of the part; nil if it can't be continued.
  var version: Version? {
    guard let data = try? Data(contentsOf: versionFile), let json = try? JSONValue(json: data),
      let address = json["address"]?.intValue, let validator = json["validator"]?.stringValue
    else { return nil }
    return Version(address: address, validator: validator)
  }

  /// Writes the version, before the first byte of the part.
  func setVersion(_ version: Version?) throws {
    guard let version else {
      try? FileManager.default.removeItem(at: versionFile)
      return
    }
    let json: JSONValue = ["address": .int(version.address), "validator": .string(version.validator)]
    try json.jsonData(JSONWritingOptions(sortedKeys: true)).write(to: versionFile, options: .atomic)
  }

  /// Opens the part at its end. It is created if there is none.
  func open() throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
    let handle = try FileHandle(forUpdating: file)
    try handle.seekToEnd()
    return handle
  }

  func discard() {
    try? FileManager.default.removeItem(at: file)
    try? FileManager.default.removeItem(at: versionFile)
  }

  /// Makes the part the target, in place of an existing file.
  func move(to target: URL) throws {
    guard rename(file.path, target.path) == 0 else {
      throw ModelStoreError(
        .inputOutput,
        "\(target.lastPathComponent.quotedForMessage) can't be replaced: \(String(cString: strerror(errno)))")
    }
    try? FileManager.default.removeItem(at: versionFile)
  }
}

extension DownloadPart.Version {
  /// Creates the version of an answer; nil if it has no validator with which a part can be continued safely.
  init?(of head: HTTPResponseData, address: Int) {
    self.address = address
    if let tag = head.headers["ETag"], tag.hasPrefix("\""), tag.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
      validator = tag
      return
    }
    // The file may have changed again within the second of its last change.
    guard let modified = head.headers["Last-Modified"], let date = RESTRetryPolicy.date(ofHeader: modified),
      let sent = head.headers["Date"].flatMap(RESTRetryPolicy.date(ofHeader:)), sent.timeIntervalSince(date) >= 1
    else { return nil }
    validator = modified
  }

  /// Returns whether an answer is of another version, as far as it tells.
  func differs(from head: HTTPResponseData) -> Bool {
    let header = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
    return head.headers[header].map { $0 != validator } ?? false
  }
}
