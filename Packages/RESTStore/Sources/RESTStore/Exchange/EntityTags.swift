@_spi(ModelKitInternals) public import StoreProtocol

/// The entity tags of the models of a front: of each the one of the version that was read last.
final class EntityTags {
  private struct Entry {
    weak var model: ModelObject?
    /// The tag of the version that was read last.
    let tag: String?
    /// The tag of the version that was changed here, if another one was read since.
    var changedTag: String?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// How many entries there may be before those of models that are gone are thrown away.
  private var limit = 256

  /// The tag of a model; nil if it is not known.
  func tag(of model: ModelObject) -> String? {
    guard let entry = entries[ObjectIdentifier(model)], entry.model === model else { return nil }
    return entry.tag
  }

  /// The tag of the version that the local changes of a model were made to, if it may stand in `If-Match`.
  func changedTag(of model: ModelObject) -> String? {
    guard let entry = entries[ObjectIdentifier(model)], entry.model === model else { return nil }
    return (entry.changedTag ?? entry.tag).flatMap { Self.isStrong($0) ? $0 : nil }
  }

  /// Remembers the tag that a model was read with. With local changes it keeps the one of the version that was changed, too:
  /// otherwise a save would overwrite what others changed meanwhile.
  func setRead(_ tag: String?, of model: ModelObject) {
    let changed = changedTag(of: model)
    set(tag, of: model)
    guard let changed, changed != tag, !model.dirtyFields.isEmpty else { return }
    entries[ObjectIdentifier(model), default: Entry(model: model, tag: nil)].changedTag = changed
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
    for model in models { setRead(nil, of: model) }
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
///   for field in error.conflicts { print(field.key, field.stored, field.local) }
///   // What was changed here is written over what the server has.
///   try await store.update(person, onConflict: .overwrite)
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
