@_spi(ModelKitInternals) public import StoreProtocol

/// The entity tags of the models of a front: of each the one of the version that was read last.
final class EntityTags {
  private struct Entry {
    weak var model: ModelObject?
    let tag: String
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// How many entries there may be before those of models that are gone are thrown away.
  private var limit = 256

  /// The tag of a model; nil if it is not known.
  func tag(of model: ModelObject) -> String? {
    guard let entry = entries[ObjectIdentifier(model)], entry.model === model else { return nil }
    return entry.tag
  }

  /// Remembers the tag of a model, or forgets it.
  func set(_ tag: String?, of model: ModelObject) {
    // One with a control character could not be sent back, and would block each further request.
    guard let tag, !tag.isEmpty, tag.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      entries[ObjectIdentifier(model)] = nil
      return
    }
    if entries.count >= limit {
      entries = entries.filter { $0.value.model != nil }
      limit = max(256, entries.count * 2)
    }
    entries[ObjectIdentifier(model)] = Entry(model: model, tag: tag)
  }

  /// Forgets the tags of models that were read from an answer without.
  func forget(_ models: [ModelObject]) {
    if entries.isEmpty { return }
    for model in models { entries[ObjectIdentifier(model)] = nil }
  }

  /// Whether a tag may stand in `If-Match`: a weak one never matches there.
  static func isStrong(_ tag: String) -> Bool { !tag.hasPrefix("W/") }
}

/// What the server has, where an update or a delete failed because somebody else had changed the model: the cause of an
/// error with the code `conflict`.
///
/// ```swift
/// do {
///   try await store.update(person)
/// } catch let error as ModelStoreError where error.code == .conflict {
///   if let conflict = error.cause as? RESTConflict { print("the server has \(conflict.record)") }
///   // What was changed here stays, the rest becomes what the server has; then it can be written.
///   _ = try await store.lookup(Person.self, identifier: "10")
///   try await store.update(person)
/// }
/// ```
public struct RESTConflict: Error, CustomStringConvertible {
  /// The record that the server has.
  public let record: AttributeDictionary
  /// The entity tag of that version; nil if the server gives none.
  public let entityTag: String?

  /// The record as JSON.
  public var description: String { "the server has \(JSONValue.object(record))" }
}
