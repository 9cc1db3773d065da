@_spi(ModelKitInternals) public import FieldKit

/// The fields of a model that a store writes. For most models they are a bit set, and no list is created.
@_spi(ModelKitInternals)
public enum StoredFields {
  /// Any fields.
  case list([AnyField])
  /// All fields of a record that are loaded or set, as a bit set of layout indices. The class does not override
  /// `fieldsForDictionaryValue()` and has no variable fields.
  case all(UInt64)

  /// Returns the fields, in the order in which they are written.
  public func fields(of model: ModelObject) -> [AnyField] {
    switch self {
    case .list(let fields): fields
    case .all: model.storableFields
    }
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The fields that are loaded or set.
  public var allStoredFields: StoredFields {
    let layout = layout
    guard layout.slots.count <= 64, !hasDynamicFields, details?.remainder == nil,
      !OverrideProbe.choosesFields(type(of: self))
    else { return .list(storableFields) }
    let inclusion: DirectInclusion = origin == .new ? .loadedOrIncomplete : .loaded
    var mask: UInt64 = 0
    let isFixed = layout.forEachFixedField(of: self) { field, index in
      if field.isIncluded(in: inclusion) { mask |= 1 &<< UInt64(index) }
    }
    return isFixed ? .all(mask & ~relationsStoredByInverse) : .list(storableFields)
  }

  /// The fields of ``allStoredFields`` that have a baseline: they were read or saved.
  ///
  /// A field with an initial value counts as loaded, although no record had it.
  public var allSavedFields: StoredFields {
    let stored = allStoredFields
    switch stored {
    case .list(let fields): return .list(fields.filter { !$0.wasNeverSaved })
    case .all(let mask):
      var isSaved = true
      _ = layout.forEachFixedField(of: self) { field, index in
        if mask & 1 &<< UInt64(index) != 0, field.wasNeverSaved { isSaved = false }
      }
      return isSaved ? stored : .list(storableFields.filter { !$0.wasNeverSaved })
    }
  }

  /// Marks fields as saved with their values at a moment. Later changes stay dirty.
  public func markSaved(_ fields: StoredFields, asOf stamp: ChangeStamp) {
    switch fields {
    case .list(let list): markSaved(list, asOf: stamp)
    case .all(let mask):
      noteSaveEnds()
      origin = .read
      isStored = true
      isDeleted = false
      readVersion = nil
      let layout = layout
      var hasRelations = false
      _ = layout.forEachFixedField(of: self) { field, index in
        guard mask & 1 &<< UInt64(index) != 0 else { return }
        field.markWritten(asOf: stamp)
        if field.isRelation, !field.isIncluded(in: .loaded) { (field as? any Relation)?.updateLoadStateAfterWrite() }
        hasRelations = hasRelations || field.isRelation
      }
      details?.documentLoad = nil
      details?.unknownBaselines = []
      details?.formerLinks = [:]
      guard hasRelations || identityMap != nil else { return }
      let saved = hasRelations ? layoutFields(mask) : []
      markEmbeddedSaved(in: saved, asOf: stamp)
      releaseSaved(saved)
    }
  }

  /// Marks everything that a save of the model writes as saved. Fields that the class keeps out of records have nothing
  /// left to save then, nor do lists that are saved with their inverse. Fields that an open transaction of another task
  /// edited are left out, as the save left them out.
  ///
  /// - Parameter includesLinks: whether lists and other relations that are saved with their inverse are marked, too.
  public func markWhollySaved(asOf stamp: ChangeStamp, includingLinks includesLinks: Bool = true) {
    let edited = fieldsEditedElsewhere
    if includesLinks, case .loaded = modelLoadState {
      var hasBecomeClean = false
      for index in layout.relationIndices {
        guard let field = layout.field(at: index, of: self), field.isDirty,
          !edited.contains(ObjectIdentifier(field))
        else { continue }
        (field as? any Relation)?.markFollowedSaved(asOf: stamp)
        hasBecomeClean = hasBecomeClean || !field.isDirty
      }
      if hasBecomeClean { identityMap?.releaseIfSaved(self) }
    }
    guard omitsFields else { return }
    let written = Set(fieldsForDictionaryValue().map { ObjectIdentifier($0) })
    forEachField { field, _ in
      guard field.isDirty, field.lastChange <= stamp, !written.contains(ObjectIdentifier(field)),
        includesLinks || !field.isRelation, !edited.contains(ObjectIdentifier(field))
      else { return }
      field.markSaved(asOf: stamp)
    }
    identityMap?.releaseIfSaved(self)
  }

  /// The fields that open transactions of other tasks edited.
  private var fieldsEditedElsewhere: Set<ObjectIdentifier> {
    guard let identityMap, !identityMap.transactions.isEmpty else { return [] }
    return Set(identityMap.transactions.lazy.flatMap { $0.editedFields(of: self) }.map { ObjectIdentifier($0) })
  }

  private func layoutFields(_ mask: UInt64) -> [AnyField] {
    layout.slots.indices.filter { mask & 1 &<< UInt64($0) != 0 }.compactMap { layout.field(at: $0, of: self) }
  }
}
