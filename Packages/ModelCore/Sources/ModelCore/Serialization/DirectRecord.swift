@_spi(ModelKitInternals) import FieldKit

/// An object that was read into a fresh model, and nobody knows yet which model it is.
struct DirectRecord {
  // Kept by `DirectReading`.
  unowned(unsafe) let reader: DirectClassReader
  let model: ModelObject
  /// Whether the model had nothing from other objects before.
  let isFresh: Bool
  /// The fields that were in the object, by their place in the layout.
  var fields: UInt64 = 0
  /// Whether there is nothing in the object but an identifier.
  var isReference = false
  /// Where the object begins.
  let offset: Int
  let depth: Int
  /// What relations lead to, in the order of the fields.
  var links: [DirectLink] = []
}

/// What a relation leads to in a document.
struct DirectLink {
  let field: Int
  /// Nil for `null`.
  let nodes: [DirectNode]?
}

/// A value where a model is expected.
enum DirectNode {
  case record(DirectRecord)
  /// An identifier, or an object that needs a tree.
  case tree(JSONValue)
}

/// A model that is there already and has what the document says of it.
struct DirectConfirmation {
  // Neither is retained, because there is one of these for each object of a document, and to retain a model that a scope
  // knows is slow. Models are kept by the list that is read, by the links that lead to them or by `confirmedMembers`, until
  // all is applied; `DirectReading` keeps its readers.
  unowned(unsafe) let model: ModelObject
  unowned(unsafe) let reader: DirectClassReader
  var fields: UInt64 = 0
  /// Where the object begins.
  let offset: Int
  let depth: Int32
  var isReference = false
  /// Whether relations are among the fields.
  var hasLinks = false
}

/// Values of a model that was read, for the one that it turned out to be.
struct DirectMerge {
  let record: DirectRecord
  let model: ModelObject
  /// Those of the fields that come now: what a relation leads to has its turn between them.
  let fields: UInt64
  let isLast: Bool
}
