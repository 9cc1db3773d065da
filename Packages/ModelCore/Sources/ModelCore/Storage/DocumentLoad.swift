@_spi(ModelKitInternals) public import FieldKit

/// A load from a document into a stored model. The store does not have these values yet.
struct DocumentLoad {
  /// The moment before the first value was loaded.
  let since: ChangeStamp
  /// The fields that were saved since.
  var saved: Set<ObjectIdentifier> = []
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The fields that a save has to write: fields with local changes, and fields loaded from a document.
  ///
  /// Fields loaded before the store last read or wrote the model are not included.
  public var unsavedFields: [AnyField] {
    guard details?.documentLoad != nil else { return dirtyFields }
    let dirty = Set(dirtyFields.map { ObjectIdentifier($0) })
    return storableFields.filter { dirty.contains(ObjectIdentifier($0)) || isLoadedFromDocument($0) }
  }

  func isLoadedFromDocument(_ field: AnyField) -> Bool {
    guard let load = details?.documentLoad, field !== identifierField else {
      return false
    }
    return field.lastSet >= load.since && !load.saved.contains(ObjectIdentifier(field))
  }

  /// Records that values of a document are loaded into a stored model.
  func noteDocumentLoad(since stamp: ChangeStamp) {
    detailsForWriting.documentLoad = DocumentLoad(since: details?.documentLoad?.since ?? stamp)
  }

  /// Records that fields were saved with their values at a moment.
  func settleDocumentLoad(_ fields: [AnyField], asOf stamp: ChangeStamp) {
    guard let details else { return }
    if !details.unknownBaselines.isEmpty {
      for field in fields { details.unknownBaselines.remove(ObjectIdentifier(field)) }
    }
    if details.documentLoad == nil { return }
    for field in fields where field.lastSet <= stamp {
      details.documentLoad?.saved.insert(ObjectIdentifier(field))
    }
    if !storableFields.contains(where: isLoadedFromDocument) { details.documentLoad = nil }
  }
}
