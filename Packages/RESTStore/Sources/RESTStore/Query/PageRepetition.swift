import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// A detector of cycles in a list that is fetched page by page.
///
/// It compares each page with the previous one and with a kept one, which is replaced after 1, 2, 4, 8… pages. So any
/// cycle is found after a few rounds, and only two pages are kept.
struct PageRepetition: Sendable {
  /// The maximum number of empty pages in a row.
  static let maximumEmptyPages = 100

  // Digests, so that a page mark with them stays small.
  private var previous = 0
  private var kept = 0
  private var keptAddress = 0
  private var pages = 0
  private var addresses = 0
  private var emptyPages = 0

  init() {}

  /// Restores a detector from its ``json``; returns nil for any other value.
  init?(_ json: JSONValue) {
    guard case .array(let list) = json, list.count == 6 else { return nil }
    let numbers = list.compactMap(\.intValue)
    guard numbers.count == 6, numbers[3] >= 0, numbers[3] < .max, numbers[4] >= 0, numbers[4] < .max,
      (0...Self.maximumEmptyPages).contains(numbers[5])
    else { return nil }
    (previous, kept, keptAddress) = (numbers[0], numbers[1], numbers[2])
    (pages, addresses, emptyPages) = (numbers[3], numbers[4], numbers[5])
  }

  /// The state of the detector, for a page mark.
  var json: JSONValue { .array([previous, kept, keptAddress, pages, addresses, emptyPages].map { .int($0) }) }

  private static func digest(_ bytes: some Sequence<UInt8>) -> Int { Int(truncatingIfNeeded: Array(bytes).digest) }

  /// Adds the elements of a page: their identifiers, or else the whole records.
  ///
  /// - Throws: `ModelStoreError` with the code `server` if the page occurred before, or too many pages in a row are
  ///   empty.
  mutating func add(_ elements: [JSONValue], number: Int) throws {
    guard !elements.isEmpty else {
      emptyPages += 1
      guard emptyPages <= Self.maximumEmptyPages else {
        throw ModelStoreError(
          .server,
          "\(Self.maximumEmptyPages) pages of the list in a row are empty, and each links to a next one")
      }
      return
    }
    emptyPages = 0
    let page = Self.digest(try JSONValue.array(elements).jsonData(JSONWritingOptions(sortedKeys: true)))
    guard page != previous else {
      throw ModelStoreError(.server, "page \(number) of the list is the same as the one before")
    }
    guard page != kept else {
      throw ModelStoreError(
        .server, "page \(number) of the list is the same as an earlier one: the pages form a cycle")
    }
    previous = page
    pages += 1
    if pages.nonzeroBitCount == 1 { kept = page }
  }

  /// Adds the address of the next page.
  ///
  /// - Throws: `ModelStoreError` with the code `server` if the address occurred before.
  mutating func turn(to next: URL, from current: URL) throws {
    guard next != current else {
      throw ModelStoreError(.server, "the next page of the list is this page itself")
    }
    let address = Self.digest(next.absoluteString.utf8)
    guard address != keptAddress else {
      throw ModelStoreError(.server, "the next page of the list is an earlier one: the pages form a cycle")
    }
    addresses += 1
    if addresses.nonzeroBitCount == 1 { keptAddress = address }
  }
}
