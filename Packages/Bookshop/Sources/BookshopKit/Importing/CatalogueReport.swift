package import ModelKit

/// What became of the entries of a catalogue. It stays small, however many entries are rejected.
package struct CatalogueReport: Hashable, Sendable {
  /// How many rejections are described; the others are counted.
  package static let describedRejections = 50

  package internal(set) var authors = MergeCounts()
  package internal(set) var books = MergeCounts()
  /// The first rejections, in the order of the file.
  package private(set) var rejections: [Rejection] = []

  /// How many entries were rejected.
  package var rejectedCount: Int { authors.rejected + books.rejected }

  /// How many entries are in the store now, of those that the catalogue has.
  package var keptCount: Int { authors.kept + books.kept }

  /// Counts a rejection, and describes it if it is among the first.
  mutating func reject(
    _ counts: WritableKeyPath<CatalogueReport, MergeCounts>, _ rejection: @autoclosure () -> Rejection
  ) {
    self[keyPath: counts].rejected += 1
    if rejections.count < Self.describedRejections { rejections.append(rejection()) }
  }

  /// The report for machines.
  package var json: JSONValue {
    ["authors": authors.json, "books": books.json, "rejections": .array(rejections.map(\.json))]
  }
}
