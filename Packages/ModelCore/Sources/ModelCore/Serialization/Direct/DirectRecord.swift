@_spi(ModelKitInternals) import FieldKit

/// An object that was read into a new model, before its identity is resolved.
struct DirectRecord {
  // Retained by `DirectReading`.
  unowned(unsafe) let reader: DirectClassReader
  let model: ModelObject
  /// Whether the model has no values of other objects.
  let isFresh: Bool
  /// The fields in the object, as a bit set of their indices in the layout.
  var fields: UInt64 = 0
  /// Whether the object has only an identifier.
  var isReference = false
  /// The offset of the object.
  let offset: Int
  let depth: Int
  /// The values of relations, in the order of the fields.
  var links: [DirectLink] = []
}

/// The value of a relation in a document.
struct DirectLink {
  let field: Int
  /// Nil for `null`.
  let nodes: [DirectNode]?
}

/// A value where a model is expected.
enum DirectNode {
  case record(DirectRecord)
  /// An identifier, or an object that needs the tree path.
  case tree(JSONValue)
}

/// An existing model that has all values of its object in the document.
struct DirectConfirmation {
  // Neither is retained, because there is one confirmation per object of a document, and retaining a model of a scope
  // is slow. Models are retained until the commit by the list that is read, by links or by `confirmedMembers`.
  // `DirectReading` retains its readers.
  unowned(unsafe) let model: ModelObject
  unowned(unsafe) let reader: DirectClassReader
  var fields: UInt64 = 0
  /// The offset of the object.
  let offset: Int
  let depth: Int32
  var isReference = false
  /// Whether relations are among the fields.
  var hasLinks = false
}

/// The values of an object that was read, and the existing model for them.
struct DirectMerge {
  let record: DirectRecord
  let model: ModelObject
  /// The fields to commit now, as a bit set. Values of related models are committed between them.
  let fields: UInt64
  let isLast: Bool
}
