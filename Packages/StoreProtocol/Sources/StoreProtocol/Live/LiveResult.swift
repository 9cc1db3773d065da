/// What a live query finds at a time, and how that differs from what it found before.
///
/// ```swift
/// for await people in store.observe(Person.self, where: { $0.age > 30 }) {
///   list = people.models
///   message = people.error?.message
/// }
/// ```
public struct LiveResult<M: Model>: RandomAccessCollection {
  /// The models, in the order asked for: live objects, whose values are those that are stored but for local changes.
  public let models: [M]
  /// How they differ from those of the result before. At first all were inserted.
  public let differences: LiveDifferences<M>
  /// What went wrong since the last result that was right; nil if nothing did. The models are those of that result then, and
  /// the query is asked anew with the next change that concerns it.
  public let error: ModelStoreError?

  /// Where the first model is.
  public var startIndex: Int { models.startIndex }
  /// The end.
  public var endIndex: Int { models.endIndex }
  /// The model at a position.
  public subscript(position: Int) -> M { models[position] }
}

/// What a live query did so far, counted for tests.
@_spi(ModelKitInternals)
public final class LiveWork {
  /// How many records were asked whether the condition holds for them.
  public internal(set) var evaluations = 0
  /// How many changes came.
  public internal(set) var changes = 0
  /// How often everything was listed anew, the first time included.
  public internal(set) var listings = 0
  /// How many records were asked of the store one by one.
  public internal(set) var lookups = 0
}
