import Foundation
import StoreProtocol

/// The memory of a list that is fetched page by page, by which pages that lead round in a circle are found out.
///
/// It compares each page with the one before and with an earlier one, which is replaced after 1, 2, 4, 8… pages: so any cycle
/// is found after a few rounds, and two pages are all there is to keep.
struct PageRepetition: Sendable {
  /// How many pages without elements there may be in a row.
  static let maximumEmptyPages = 100

  private var previous: [JSONValue] = []
  private var kept: [JSONValue] = []
  private var keptAddress: URL?
  private var pages = 0
  private var addresses = 0
  private var emptyPages = 0

  /// Takes the elements of a page: their identifiers, or else all they have.
  ///
  /// - Throws: `ModelStoreError` with the code `server` if it is a page that was there before, or the server gives empty
  ///   pages only.
  mutating func add(_ elements: [JSONValue], number: Int) throws {
    guard !elements.isEmpty else {
      emptyPages += 1
      guard emptyPages <= Self.maximumEmptyPages else {
        throw ModelStoreError(
          .server,
          "\(Self.maximumEmptyPages) pages of the list in a row are empty, and each says that there is a next one")
      }
      return
    }
    emptyPages = 0
    guard elements != previous else {
      throw ModelStoreError(.server, "page \(number) of the list is the same as the one before")
    }
    guard elements != kept else {
      throw ModelStoreError(
        .server, "page \(number) of the list is the same as an earlier one: they go round in a circle")
    }
    previous = elements
    pages += 1
    if pages.nonzeroBitCount == 1 { kept = elements }
  }

  /// Takes the address of the next page.
  ///
  /// - Throws: `ModelStoreError` with the code `server` if it is one that was there before.
  mutating func turn(to next: URL, from current: URL) throws {
    guard next != current else {
      throw ModelStoreError(.server, "the next page of the list is this page itself")
    }
    guard next != keptAddress else {
      throw ModelStoreError(.server, "the next page of the list is an earlier one: they go round in a circle")
    }
    addresses += 1
    if addresses.nonzeroBitCount == 1 { keptAddress = next }
  }
}
