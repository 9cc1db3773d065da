@_spi(ModelKitInternals) import FieldKit

/// An object of a document while the value of one of its relations is read.
struct ContainingRecord {
  /// The fields of an object.
  enum Content {
    case object(AttributeDictionary)
    /// A bit set of indices in the layout.
    case fields(UInt64)
  }

  let model: ModelObject
  let content: Content
  /// The relation whose value is read.
  let relation: AnyField
  /// Whether an object around this one has the relation of the same model.
  let isInOuterRecord: Bool
  /// Whether the relation is to one, and the inverse of the relation that contains the object.
  let isInverse: Bool
  /// The to-one inverse in a class of related models; nil if it has to be searched.
  let inverse: Inverse?

  struct Inverse {
    let relatedClass: ModelObject.Type
    /// The index in the layout of the class, or -1 if there is no to-one inverse.
    let index: Int
  }

  fileprivate func isInverse(_ field: AnyField, _ index: Int, of related: ModelObject) -> Bool {
    if let inverse, inverse.relatedClass == type(of: related) { return inverse.index == index }
    guard let field = field as? any Relation, !field.isToMany else { return false }
    return (relation as? any Relation)?.inverse(on: related) === field
  }
}

// A nested object may repeat a record around it, in part or with other values. The values of the outer record are used,
// and its fields are not read again. The inverse of the relation that contains an object references the containing
// model.
extension ModelReader {
  /// Returns whether a record around the current object has the field of the same model.
  func isInOuterRecord(_ field: AnyField, _ index: Int, of model: ModelObject) -> Bool {
    containing.contains { record in
      guard record.model === model else { return false }
      switch record.content {
      case .object(let object): return value(of: field, index, of: model, in: object) != nil
      case .fields(let fields): return index >= 0 && index < 64 && fields & 1 &<< UInt64(index) != 0
      }
    }
  }

  /// Runs a closure that reads the value of a relation.
  func inside<Result>(
    _ relation: AnyField, _ index: Int, of model: ModelObject, _ content: ContainingRecord.Content,
    inverse: ContainingRecord.Inverse? = nil, _ body: () throws -> Result
  ) rethrows -> Result {
    let isNested = !containing.isEmpty
    containing.append(
      ContainingRecord(
        model: model, content: content, relation: relation,
        isInOuterRecord: isNested && isInOuterRecord(relation, index, of: model),
        isInverse: isNested && containing[containing.count - 1].isInverse(relation, index, of: model),
        inverse: inverse))
    defer { containing.removeLast() }
    return try body()
  }

  /// Returns whether the relation that is read belongs to a record around the current object.
  func isInOuterRecord(_ relation: AnyField) -> Bool {
    containing.last.map { $0.relation === relation && $0.isInOuterRecord } ?? false
  }

  /// The model that the relation has to reference, because it is the inverse of the relation that contains its model.
  var containingModel: ModelObject? {
    guard containing.last?.isInverse == true else { return nil }
    return containing[containing.count - 2].model
  }
}
