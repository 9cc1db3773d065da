public import StoreProtocol

/// The paging of an API's lists.
///
/// ```swift
/// let dialect = DjangoRESTDialect(paging: .pages(size: 100))
/// ```
public enum RESTPaging: Sendable, Hashable {
  /// No pages, or pages that link to the next one. A limit is sent as `limit`, which a server may ignore. An offset is
  /// rejected: a server that ignores it would answer with the wrong models.
  case whole
  /// Pages by an offset and a size that the client chooses.
  case offset(size: Int, limit: String = "limit", offset: String = "offset")
  /// Pages by number. Without the name of a parameter for the size, the server must be set to the size given here.
  case pages(size: Int, page: String = "page", sizeParameter: String? = "page_size", first: Int = 1)
  /// Pages that can only be reached by the link in the page before.
  case linked

  /// Translates the limit and the offset of a query for this paging.
  public func translation(of query: RESTQuery) -> RESTQueryTranslation {
    translation(limit: query.limit, offset: query.offset)
  }

  /// Translates a limit and an offset for this paging.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of models; nil for all.
  ///   - offset: the number of models to skip.
  public func translation(limit: Int?, offset: Int) -> RESTQueryTranslation {
    var items: [RESTQueryItem] = []
    switch self {
    case .whole:
      if let limit { items.append(RESTQueryItem("limit", String(limit))) }
      var translation = RESTQueryTranslation(items, paging: self)
      translation.lacksOffset = offset > 0
      return translation
    case .offset(let size, let limitName, let offsetName):
      items.append(RESTQueryItem(limitName, String(min(limit ?? .max, max(1, size)))))
      if offset > 0 { items.append(RESTQueryItem(offsetName, String(offset))) }
      return RESTQueryTranslation(items, paging: self)
    case .pages(let size, let page, let sizeParameter, let first):
      var size = max(1, size)
      // If the requested range is a page of its own, just that page is fetched.
      if sizeParameter != nil, let limit, limit > 0, limit < size, offset % limit == 0 { size = limit }
      // No list has a page beyond the largest number.
      let (number, isTooLarge) = first.addingReportingOverflow(offset / size)
      items.append(RESTQueryItem(page, String(isTooLarge ? .max : number)))
      if let sizeParameter { items.append(RESTQueryItem(sizeParameter, String(size))) }
      return RESTQueryTranslation(items, skipped: offset % size, paging: self)
    case .linked: return RESTQueryTranslation([], skipped: offset, paging: self)
    }
  }

  /// Returns the items of the page after one that was requested with `items` and had `count` elements; nil if that was
  /// the last page.
  ///
  /// - Parameters:
  ///   - total: the number of elements in all pages; nil if it is not known.
  ///   - countSoFar: the number of elements in this page and those before; nil if that is not known.
  func items(after items: [RESTQueryItem], count: Int, total: Int?, countSoFar: Int?) -> [RESTQueryItem]? {
    func number(_ name: String?) -> Int? { Self.number(name, in: items) }
    /// Returns the items with a number moved forward; nil if there is no larger number.
    func moved(_ name: String, from current: Int, by distance: Int) -> [RESTQueryItem]? {
      let (next, isTooLarge) = current.addingReportingOverflow(distance)
      return isTooLarge ? nil : RESTPageLink.replacing(items, [RESTQueryItem(name, String(next))])
    }
    switch self {
    case .whole, .linked: return nil
    case .offset(let size, let limitName, let offsetName):
      let start = number(offsetName) ?? 0
      // A server may have a limit of its own, below the requested size.
      let hasMore = total.map { $0 > start && $0 - start > count } ?? false
      guard hasMore || count >= min(number(limitName) ?? size, size) else { return nil }
      return moved(offsetName, from: start, by: count)
    case .pages(let size, let page, let sizeParameter, let first):
      // A server may have a size of its own, below the requested one.
      let hasMore = if let total, let countSoFar { total > countSoFar } else { false }
      guard hasMore || count >= number(sizeParameter) ?? size else { return nil }
      return moved(page, from: number(page) ?? first, by: 1)
    }
  }

  private static func number(_ name: String?, in items: [RESTQueryItem]) -> Int? {
    name.flatMap { name in items.last { $0.name == name } }.flatMap { Int($0.value) }
  }

  /// Checks that a page by number begins where it was requested to, in a list that did not begin with the first page.
  ///
  /// - Throws: `ModelStoreError` with the code `server` if the server has another page size than the requested one.
  func checkPosition(of items: [RESTQueryItem], count: Int, total: Int?) throws {
    guard case .pages(let usual, let page, let sizeParameter, let first) = self, let total else { return }
    let size = Self.number(sizeParameter, in: items) ?? max(1, usual)
    let (before, isTooLarge) = ((Self.number(page, in: items) ?? first) &- first).multipliedReportingOverflow(by: size)
    let isShort = !isTooLarge && count < size && total > before && total - before > count
    guard isShort || count > size else { return }
    throw ModelStoreError(
      .server,
      """
      a page has \(count) records instead of \(size), so the position of its records is unknown. Request a page size that \
      the server supports, or read the list from its beginning
      """)
  }
}

/// A page of a list that was read, for hooks that find the next one.
///
/// ```swift
/// func nextPage(after page: RESTPage) throws -> RESTPageLink? {
///   page.answer.next ?? page.followingLink
/// }
/// ```
public struct RESTPage: Sendable {
  /// The answer of the server.
  public let answer: RESTResponse
  /// The number of elements of the page.
  public let count: Int
  /// The items that requested the page; empty for a page that was reached by a link.
  public let items: [RESTQueryItem]
  /// The translation of the query.
  public let translation: RESTQueryTranslation
  /// Whether the server linked to this page or to one before.
  let isLinked: Bool
  /// The number of elements of this page and of those before; nil if the list did not begin with the first one.
  let countSoFar: Int?

  /// The next page by the paging of the translation. After a full page by number or offset, there may be one more;
  /// after a short one, if the total is larger. There is none after a page that was reached by a link of the
  /// server, nor after one that declares itself the last.
  public var followingLink: RESTPageLink? {
    if count == 0 || isLinked || answer.isLast { return nil }
    return translation.paging.items(after: items, count: count, total: answer.total, countSoFar: countSoFar).map {
      .items($0)
    }
  }
}

/// The location of a page.
///
/// ```swift
/// answer.next = RESTPageLink(body["next"])
/// ```
public enum RESTPageLink: Sendable, Hashable {
  /// An address, absolute or relative to that of the page before. It must be on the server of the store.
  case address(String)
  /// The address of the page before, with other items; those of the same name are replaced.
  case items([RESTQueryItem])

  /// Creates the link of the relation `next` in `Link` headers (RFC 8288); nil if there is none.
  public init?(linkHeaders: [String]) {
    guard let next = Self.relations(linkHeaders: linkHeaders).first(where: { $0.names.contains("next") }) else {
      return nil
    }
    self = .address(next.target)
  }

  /// Returns whether relations belong to a last page: they link to other pages, but to no next one.
  static func isLast(_ names: some Sequence<String>) -> Bool {
    let names = Set(names)
    return !names.contains("next") && !names.isDisjoint(with: ["first", "prev", "previous", "last"])
  }

  /// Returns the relations of `Link` headers with their targets, in order.
  static func relations(linkHeaders: [String]) -> [(names: [String], target: String)] {
    var found: [(names: [String], target: String)] = []
    for header in linkHeaders {
      var rest = header[...]
      while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
        let target = rest[rest.index(after: start)..<end]
        rest = rest[rest.index(after: end)...]
        let parameters = rest.prefix { $0 != "<" }
        for parameter in parameters.split(whereSeparator: { $0 == ";" || $0 == "," }) {
          let parts = parameter.split(separator: "=", maxSplits: 1).map {
            $0.trimming { $0.isWhitespace || $0 == "\"" }.lowercased()
          }
          guard parts.count == 2, parts[0] == "rel" else { continue }
          found.append((parts[1].split(separator: " ").map(String.init), String(target)))
        }
      }
    }
    return found
  }

  /// Reads a link from a member of an answer: an address as text, or an object with the address at `href`. Any other
  /// value is not a link.
  public init?(_ member: JSONValue?) {
    guard let text = member?.stringValue ?? member?["href"]?.stringValue, !text.isEmpty else { return nil }
    self = .address(text)
  }

  static func replacing(_ items: [RESTQueryItem], _ others: [RESTQueryItem]) -> [RESTQueryItem] {
    items.filter { item in !others.contains { $0.name == item.name } } + others
  }
}

extension Substring {
  fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
    var text = self
    while let first = text.first, isTrimmed(first) { text.removeFirst() }
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
