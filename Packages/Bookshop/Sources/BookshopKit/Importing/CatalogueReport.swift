package import ModelKit

/// The result of an import, push or pull. Its size is limited, even for many rejected entries.
package struct CatalogueReport: Hashable, Sendable {
  /// The maximum number of rejections that are described; the others are counted.
  package static let describedRejections = 50

  package internal(set) var authors = MergeCounts()
  package internal(set) var books = MergeCounts()
  /// The first rejections, in the order of the file.
  package private(set) var rejections: [Rejection] = []

  /// The number of rejected entries.
  package var rejectedCount: Int { authors.rejected + books.rejected }

  /// The number of entries that are in the store now.
  package var keptCount: Int { authors.kept + books.kept }

  /// Counts a rejection, and describes it if it is one of the first.
  mutating func reject(
    _ counts: WritableKeyPath<CatalogueReport, MergeCounts>, _ rejection: @autoclosure () -> Rejection
  ) {
    self[keyPath: counts].rejected += 1
    if rejections.count < Self.describedRejections { rejections.append(rejection()) }
  }

  /// The report as JSON.
  package var json: JSONValue {
    ["authors": authors.json, "books": books.json, "rejections": .array(rejections.map(\.json))]
  }
}
