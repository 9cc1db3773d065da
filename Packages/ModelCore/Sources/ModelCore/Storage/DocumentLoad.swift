@_spi(ModelKitInternals) public import FieldKit

/// The loads from documents into a stored model. The store does not have these values yet.
struct DocumentLoad {
  /// The time in which values were loaded. It ends when the store reads the model. A value that was set earlier, and is
  /// not in the record, stays that of the document.
  private struct Span {
    let start: ChangeStamp
    var end: ChangeStamp?

    func contains(_ stamp: ChangeStamp) -> Bool { stamp >= start && end.map { stamp < $0 } ?? true }
  }

  private var spans: [Span] = []
  /// The fields that were saved since.
  var saved: Set<ObjectIdentifier> = []

  /// Returns whether a value set at a moment was loaded.
  func includes(_ stamp: ChangeStamp) -> Bool { spans.contains { $0.contains(stamp) } }

  /// Records a load.
  ///
  /// - Parameters:
  ///   - stamp: the moment before its first value.
  ///   - times: the times at which the present values were set.
  mutating func begin(at stamp: ChangeStamp, keeping times: [ChangeStamp]) {
    saved = []
    spans.removeAll { span in span.end != nil && !times.contains(where: span.contains) }
    if spans.last.map({ $0.end != nil }) ?? true { spans.append(Span(start: stamp)) }
  }

  /// Records that the store reads the model.
  mutating func end(at stamp: ChangeStamp) {
    if let last = spans.indices.last, spans[last].end == nil { spans[last].end = stamp }
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The fields that a save has to write: fields with local changes, and fields loaded from a document.
  ///
  /// Fields that the store has read or written since they were loaded are not included.
  public var unsavedFields: [AnyField] {
    guard details?.documentLoad != nil else { return dirtyFields }
    let dirty = Set(dirtyFields.map { ObjectIdentifier($0) })
    return storableFields.filter { dirty.contains(ObjectIdentifier($0)) || isLoadedFromDocument($0) }
  }

  /// Whether a save has something to write: fields, or unknown values that a document set.
  public var hasUnsavedValues: Bool { hasUnsavedRemainder || !unsavedFields.isEmpty }

  /// Whether a document set unknown values that the store does not have yet.
  public var hasUnsavedRemainder: Bool { details?.remainder?.unsaved.isEmpty == false }

  /// Returns the values of unknown keys as a store writes them.
  ///
  /// - Parameter isUnsaved: whether only those are returned that the store does not have yet.
  public func storedUnknownValues(in context: ValueTransformerContext, isUnsaved: Bool) -> [StoredValue] {
    guard context.keepsUnknownKeys, details?.remainder != nil else { return [] }
    dropKnownRemainder(spelledIn: context)
    return (details?.remainder?.unknown ?? [:]).compactMap { path, value in
      if isUnsaved, details?.remainder?.unsaved[path] == nil { return nil }
      return StoredValue(path: path, value: value)
    }
  }

  /// Marks the unknown values as saved, in their state at the time of a stamp.
  public func markUnknownValuesSaved(asOf stamp: ChangeStamp) {
    guard hasUnsavedRemainder, let unsaved = details?.remainder?.unsaved else { return }
    details?.remainder?.unsaved = unsaved.filter { $0.value > stamp }
  }

  func isLoadedFromDocument(_ field: AnyField) -> Bool {
    guard let load = details?.documentLoad, field !== identifierField else {
      return false
    }
    return load.includes(field.lastSet) && !load.saved.contains(ObjectIdentifier(field))
  }

  /// Records that values of a document are loaded into a stored model.
  func noteDocumentLoad(since stamp: ChangeStamp) {
    for edits in identityMap?.transactions ?? [] { edits.willLoadDocument(into: self) }
    var load = details?.documentLoad ?? DocumentLoad()
    load.begin(at: stamp, keeping: storableFields.map(\.lastSet))
    detailsForWriting.documentLoad = load
  }

  /// Records that fields were saved with their values at a moment.
  func noteSaveInDocumentLoad(_ fields: [AnyField], asOf stamp: ChangeStamp) {
    guard let details else { return }
    if !details.unknownBaselines.isEmpty {
      for field in fields { details.unknownBaselines.remove(ObjectIdentifier(field)) }
    }
    if !details.formerLinks.isEmpty {
      for field in fields { details.formerLinks[ObjectIdentifier(field)] = nil }
    }
    if details.documentLoad == nil { return }
    for field in fields where field.lastSet <= stamp {
      details.documentLoad?.saved.insert(ObjectIdentifier(field))
    }
    if !storableFields.contains(where: isLoadedFromDocument) { details.documentLoad = nil }
  }
}
