@_spi(ModelKitInternals) public import FieldKit

/// Fields of one model, as a store is to write them. Those of most models are known by their places, and no list is made.
@_spi(ModelKitInternals)
public enum StoredFields {
  /// Any fields.
  case list([AnyField])
  /// All that were set or read, of a class that has no say in it, and whose models have all their fields from the beginning
  /// to the end: the places of these.
  case all(UInt64)

  /// The fields, in the order in which they are written.
  public func fields(of model: ModelObject) -> [AnyField] {
    switch self {
    case .list(let fields): fields
    case .all: model.storableFields
    }
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The fields that were set or read.
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
    return isFixed ? .all(mask) : .list(storableFields)
  }

  /// Says that fields are now in the store as they were at a moment. Later changes stay dirty.
  public func markSaved(_ fields: StoredFields, asOf stamp: ChangeStamp) {
    switch fields {
    case .list(let list): markSaved(list, asOf: stamp)
    case .all(let mask):
      origin = .read
      isStored = true
      isDeleted = false
      storeMark = nil
      let layout = layout
      var hasRelations = false
      _ = layout.forEachFixedField(of: self) { field, index in
        guard mask & 1 &<< UInt64(index) != 0 else { return }
        field.markSaved(asOf: stamp)
        if field.isRelation, !field.isIncluded(in: .loaded) { (field as? any Relation)?.settleWritten() }
        hasRelations = hasRelations || field.isRelation
      }
      details?.documentLoad = nil
      details?.unknownBaselines = []
      if identityMap != nil { settle(hasRelations ? layoutFields(mask) : []) }
    }
  }

  /// Says that everything a save of the model writes was written. What its class keeps out of records is then no change
  /// that is left to be saved, nor is a list that only followed the other side of its relation.
  public func markWhollySaved(asOf stamp: ChangeStamp) {
    if case .loaded = modelLoadState {
      var hasSettled = false
      for index in layout.relationIndices {
        guard let field = layout.field(at: index, of: self), field.isDirty else { continue }
        (field as? any Relation)?.settleFollowed(asOf: stamp)
        hasSettled = hasSettled || !field.isDirty
      }
      if hasSettled { identityMap?.settle(self) }
    }
    guard OverrideProbe.choosesFields(type(of: self)) else { return }
    let written = Set(fieldsForDictionaryValue().map { ObjectIdentifier($0) })
    forEachField { field, _ in
      guard field.isDirty, field.lastChange <= stamp, !written.contains(ObjectIdentifier(field)) else { return }
      field.markSaved(asOf: stamp)
    }
    identityMap?.settle(self)
  }

  private func layoutFields(_ mask: UInt64) -> [AnyField] {
    layout.slots.indices.filter { mask & 1 &<< UInt64($0) != 0 }.compactMap { layout.field(at: $0, of: self) }
  }
}
