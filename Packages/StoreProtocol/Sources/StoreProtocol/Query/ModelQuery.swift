/// Which models a list should have.
///
/// ```swift
/// let page = ModelQuery(Person.self, limit: 20, offset: 40)
/// ```
public struct ModelQuery<M: Model>: Hashable, Sendable {
  /// How many models at most; nil for all.
  public var limit: Int?
  /// How many models to pass over.
  public var offset: Int

  /// Creates a query.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - limit: how many models at most; nil for all.
  ///   - offset: how many models to pass over. Negative numbers count as 0.
  public init(_ type: M.Type = M.self, limit: Int? = nil, offset: Int = 0) {
    self.limit = limit.map { max(0, $0) }
    self.offset = max(0, offset)
  }
}
