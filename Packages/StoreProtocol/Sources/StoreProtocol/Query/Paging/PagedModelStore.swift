/// A store whose streams are read page by page. A stream of models then needs neither a list of all identifiers nor a
/// lookup for each.
///
/// ```swift
/// extension MyStore: PagedModelStore {}
/// ```
///
/// Every store has pages. A conforming store reaches the next page of any query without reading those before it.
public protocol PagedModelStore: ModelStore {}

/// One page of the models that a query finds.
///
/// ```swift
/// ModelPage(models: people, next: try ModelPageMark(["line": 120], in: query))
/// ```
public struct ModelPage<M: Model> {
  /// The models, in the order of the query. A page can be empty although more models follow.
  public var models: [M]
  /// The mark after the last model; nil if no more models follow.
  public var next: ModelPageMark?

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - models: the models, in the order of the query.
  ///   - next: the mark after the last model; nil if no more models follow.
  public init(models: [M], next: ModelPageMark?) {
    self.models = models
    self.next = next
  }
}
