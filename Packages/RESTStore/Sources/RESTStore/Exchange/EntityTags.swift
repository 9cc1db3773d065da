@_spi(ModelKitInternals) public import StoreProtocol

/// The entity tags of the models of a store instance, each of the version that was read last.
final class EntityTags {
  private struct Entry {
    weak var model: ModelObject?
    /// The tag of the version that was read last.
    let tag: String?
    /// The tag of the version that the local changes are based on, if another one was read since.
    var changedTag: String?
    /// The fields that had local changes then.
    var changedFields: Set<ObjectIdentifier> = []
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The number of entries at which those of deallocated models are removed.
  private var limit = 256

  /// Whether no tag is known.
  var isEmpty: Bool { entries.isEmpty }

  /// Returns the tag of a model; nil if it is unknown.
  func tag(of model: ModelObject) -> String? {
    guard let entry = entries[ObjectIdentifier(model)], entry.model === model else { return nil }
    return entry.tag
  }

  /// Returns the tag of the version that the local changes of a model are based on, if `If-Match` can have it.
  func changedTag(of model: ModelObject) -> String? {
    guard let entry = entries[ObjectIdentifier(model)], entry.model === model else { return nil }
    let isBasedOnOther =
      entry.changedTag != nil
      && model.dirtyFields.contains { entry.changedFields.contains(ObjectIdentifier($0)) }
    return (isBasedOnOther ? entry.changedTag : entry.tag).flatMap { Self.isStrong($0) ? $0 : nil }
  }

  /// Stores the tag that a model was read with. If the model has local changes, the tag of the version that they are
  /// based on is kept, too. Otherwise a save would overwrite changes by others.
  func setRead(_ tag: String?, of model: ModelObject) {
    let changed = changedTag(of: model)
    set(tag, of: model)
    let dirty = model.dirtyFields
    guard let changed, changed != tag, !dirty.isEmpty else { return }
    var entry = entries[ObjectIdentifier(model)] ?? Entry(model: model, tag: nil)
    (entry.changedTag, entry.changedFields) = (changed, Set(dirty.map { ObjectIdentifier($0) }))
    entries[ObjectIdentifier(model)] = entry
  }

  /// Stores or removes the tag of a model.
  func set(_ tag: String?, of model: ModelObject) {
    // A tag with a control character can't be sent, and would block every later request.
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

  /// Removes the tags of models that were read from an answer without tags.
  func remove(_ models: [ModelObject]) {
    if entries.isEmpty { return }
    for model in models { setRead(nil, of: model) }
  }

  /// Returns whether `If-Match` can have a tag: a weak one never matches there.
  static func isStrong(_ tag: String) -> Bool { !tag.hasPrefix("W/") }
}

/// The record of the server after an update or a delete failed because another writer had changed it. It is the cause
/// of an error with the code `conflict`.
///
/// ```swift
/// do {
///   try await store.update(person)
/// } catch let error as ModelStoreError where error.code == .conflict {
///   if let conflict = error.cause as? RESTConflict {
///     print("the server has \(conflict.record)")
///   }
///   for field in error.conflicts { print(field.key, field.stored, field.local) }
///   // The local changes overwrite those of the server.
///   try await store.update(person, onConflict: .overwrite)
/// }
/// ```
public struct RESTConflict: Error, CustomStringConvertible {
  /// The record that the server has.
  public let record: AttributeDictionary
  /// The entity tag of the server's version; nil if the server sends none.
  public let entityTag: String?

  /// The record as JSON.
  public var description: String { "the server has \(JSONValue.object(record))" }
}
