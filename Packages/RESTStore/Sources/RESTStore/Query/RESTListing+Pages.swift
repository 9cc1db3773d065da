import Foundation
@_spi(ModelKitInternals) import StoreProtocol

// Pages of a caller, which may be larger or smaller than those of the server.
extension RESTListing {
  /// Fetches as many pages of the server as one page of the caller needs.
  ///
  /// - Parameter limit: the number of records in a page of the caller.
  /// - Returns: the records, and the position of the next page.
  func records(
    from start: Position, atMost limit: Int
  ) async throws -> (records: [AttributeDictionary], next: Position?) {
    var records: [AttributeDictionary] = []
    var position = start
    while true {
      position.remaining = nil
      let page = try await page(at: position)
      let missing = limit - records.count
      records += page.records.prefix(missing)
      if page.records.count > missing {
        position.skipped += missing
        return (records, position)
      }
      guard records.count < limit, let next = page.next else { return (records, page.next) }
      position = next
    }
  }

  /// Reads the position of a mark.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if the mark is of another kind of store, `server` if its page
  ///   is on another server.
  func position(_ json: JSONValue) throws -> Position {
    guard let skipped = json["skipped"]?.intValue, skipped >= 0, let page = json["page"]?.intValue,
      let isLinked = json["linked"]?.boolValue, case .array(let list)? = json["items"],
      let repetition = PageRepetition(json["repetition"] ?? .null)
    else { throw ModelPageMark.unreadable(M.self) }
    let items = list.compactMap { item -> RESTQueryItem? in
      guard let name = item[0]?.stringValue, let value = item[1]?.stringValue else { return nil }
      return RESTQueryItem(name, value)
    }
    guard items.count == list.count else { throw ModelPageMark.unreadable(M.self) }
    var position = start
    position.items = items
    position.skipped = skipped
    (position.page, position.isLinked, position.repetition) = (page, isLinked, repetition)
    position.count = json["count"]?.intValue
    if let link = json["link"]?.stringValue {
      position.call.link = try address(link)
    } else {
      position.call.address.query = RESTPageLink.replacing(firstCall.address.query, items)
    }
    return position
  }
}

extension RESTListing.Position {
  /// The position, for a page mark.
  var json: JSONValue {
    var json: AttributeDictionary = [
      "items": .array(items.map { [.string($0.name), .string($0.value)] }), "skipped": .int(skipped),
      "page": .int(page), "linked": .bool(isLinked), "repetition": repetition.json,
    ]
    if let count { json["count"] = .int(count) }
    if let link = call.link { json["link"] = .string(link.absoluteString) }
    return .object(json)
  }
}
