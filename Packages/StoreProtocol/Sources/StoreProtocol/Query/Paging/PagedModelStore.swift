/// A store whose streams are read page by page, so that a stream of models needs neither a list of all identifiers nor a
/// lookup for each.
///
/// ```swift
/// extension MyStore: PagedModelStore {}
/// ```
///
/// Every store has pages. A conforming store reaches the next page of any query without reading those before it.
public protocol PagedModelStore: ModelStore {}

/// Models that were found together.
///
/// ```swift
/// ModelPage(models: people, next: try ModelPageMark(["line": 120], in: query))
/// ```
public struct ModelPage<M: Model> {
  /// The models, in order; there may be none although there are more.
  public var models: [M]
  /// The mark after the last model; nil if there are no more.
  public var next: ModelPageMark?

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - models: the models, in order.
  ///   - next: the mark after the last model; nil if there are no more.
  public init(models: [M], next: ModelPageMark?) {
    self.models = models
    self.next = next
  }
}
