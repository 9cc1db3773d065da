@_spi(ModelKitInternals) import ModelCore

/// A store that finds models page by page, so that a stream of them needs neither a list of all identifiers nor a lookup
/// for each.
///
/// ```swift
/// let page = try await store.page(ModelQuery(Person.self), after: nil)
/// print(page.models.count, page.next == nil ? "all" : "and more")
/// ```
public protocol PagedModelStore: ModelStore {
  /// Finds one page of models.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - mark: where the page before ended; nil for the first page.
  /// - Throws: ``ModelStoreError`` as ``ModelStore/list(_:)`` does.
  func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M>
}

/// Models that were found together.
///
/// ```swift
/// ModelPage(models: people, next: ModelPageMark(lastNumber))
/// ```
public struct ModelPage<M: Model> {
  /// The models, in order; there may be none although there are more.
  public var models: [M]
  /// Where the page ended; nil if it was the last.
  public var next: ModelPageMark?

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - models: the models, in order.
  ///   - next: where the page ended; nil if it was the last.
  public init(models: [M], next: ModelPageMark?) {
    self.models = models
    self.next = next
  }
}

/// Where a page ended, in a form that only its store understands.
///
/// ```swift
/// let mark = ModelPageMark(120)
/// assert(mark.value as? Int == 120)
/// ```
public struct ModelPageMark: Sendable {
  /// What the store put into it.
  public let value: any Sendable

  /// Creates a mark.
  public init(_ value: any Sendable) { self.value = value }
}
