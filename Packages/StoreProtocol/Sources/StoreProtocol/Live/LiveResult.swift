/// The models that a live query finds, and the differences from the previous result.
///
/// ```swift
/// for await people in store.observe(Person.self, where: { $0.age > 30 }) {
///   list = people.models
///   message = people.error?.message
/// }
/// ```
public struct LiveResult<M: Model>: RandomAccessCollection {
  /// The models, in the order of the query: live objects with the stored values, except for local changes.
  public let models: [M]
  /// The differences from the previous result. In the first result all models are inserted.
  public let differences: ModelDifferences<M>
  /// The error since the last valid result; nil if there is none. After an error, `models` stays that of the last valid
  /// result. The next relevant change repeats the query. An invalid query has no further result.
  public let error: ModelStoreError?

  /// The position of the first model.
  public var startIndex: Int { models.startIndex }
  /// The position after the last model.
  public var endIndex: Int { models.endIndex }
  /// The model at a position.
  public subscript(position: Int) -> M { models[position] }
}

/// The work of a live query so far, counted for tests.
final class LiveTaskTracker {
  /// The number of records that were tested.
  var evaluations = 0
  /// The number of received changes.
  var changes = 0
  /// The number of complete listings, the first one included.
  var listings = 0
  /// The number of records that were read from the store one by one.
  var lookups = 0
}
