import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// A list on its way: which pages are fetched, and what of them is meant.
struct RESTListing<M: Model> {
  private let store: RESTModelStore
  private let query: ModelQuery<M>
  private let translation: RESTQueryTranslation
  /// The request of the first page.
  let firstCall: RESTCall
  /// Whether condition, order and offset are done here.
  private let isHere: Bool
  /// Whether records of other classes come along, so that limit and offset have to be counted here.
  private let isMixed: Bool
  /// The key of the identifier as records spell it; nil if there is none, or it is not a member of the record itself.
  private let identifierKey: String?

  /// Where a list goes on.
  struct Position: Sendable {
    var call: RESTCall
    var items: [RESTQueryItem]
    /// How many of the records that come are to be passed over.
    var skipped: Int
    /// How many more are wanted; nil for all.
    var remaining: Int?
    var page = 1
    /// Whether the server itself said where this page is: it says so of each page, then, or there is no further one.
    var isLinked = false
    /// Finds out if the server gives the same pages again and again.
    var repetition = PageRepetition()
  }

  init(_ query: ModelQuery<M>, in store: RESTModelStore) throws {
    try query.validate()
    self.query = query
    self.store = store
    var isHere = query.evaluation == .inMemory && !query.isPlain
    isMixed = store.handle.router.sharesCollection(M.self)
    var asked = RESTQuery(query, in: store.scope.transformers)
    if isHere || isMixed {
      asked.limit = nil
      asked.offset = 0
    }
    var call = try store.listCall(&asked, M.self)
    identifierKey = call.operation.identifierKey
    if isHere {
      asked.filter = nil
      asked.orders = []
    }
    var translation = try store.handle.dialect.translate(asked)
    if translation.lacksOffset {
      guard query.evaluation == .inMemory else { throw asked.unsupportedOffset }
      isHere = true
      asked.limit = nil
      asked.offset = 0
      translation = try store.handle.dialect.translate(asked)
    }
    self.isHere = isHere
    self.translation = translation
    call.address.query += translation.items
    firstCall = call
  }

  private var options: RESTOptions { store.handle.options }

  /// The beginning.
  var start: Position {
    let skipped = isMixed || isHere ? query.offset : translation.skipped
    return Position(call: firstCall, items: translation.items, skipped: skipped, remaining: query.limit)
  }

  /// Whether all records have to be there before the first one is known.
  var needsAll: Bool { isHere && !query.sort.isEmpty }

  /// Whether the server is not asked for pages.
  var isWhole: Bool { translation.paging == .whole }

  /// An address that a mark has, if it is on the server of the store.
  func address(_ link: String) throws -> URL {
    try RESTPageAddress.url(link, from: firstCall.url(below: store.handle.base))
  }

  // MARK: One page

  /// What a page gives: the records that are meant, in order, where the list goes on, and how many there are in all.
  typealias Page = (records: [AttributeDictionary], next: Position?, total: Int?)

  /// Fetches one page.
  func page(at position: Position) async throws -> Page {
    try await store.handle.run(
      position.call, raw: { response in isBeyondEnd(response, at: position) ? ([], nil, nil) : nil },
      { answer, _ in try page(at: position, of: answer) })
  }

  /// Whether a page with a number, or after an offset, has no elements, which servers say like this.
  private func isBeyondEnd(_ response: HTTPResponseData, at position: Position) -> Bool {
    func number(_ name: String) -> Int? { position.items.last { $0.name == name }.flatMap { Int($0.value) } }
    switch (response.status, translation.paging) {
    case (404, .pages(_, let page, _, let first)): return number(page).map { $0 > first } ?? false
    case (416, .offset(_, _, let offset)): return number(offset).map { $0 > 0 } ?? false
    default: return false
    }
  }

  private func page(at position: Position, of answer: RESTResponse) throws -> Page {
    let all = try store.records(in: answer, of: M.self)
    var next = position
    try next.repetition.add(names(of: all), number: position.page)
    var found = isMixed ? all.filter(M.includes) : all
    if isHere, query.filter != nil {
      var filter = ModelQuery(M.self)
      filter.filter = query.filter
      found = try filter.apply(to: found, in: store.scope.transformers)
    }
    if !needsAll {
      next.skipped = max(0, position.skipped - found.count)
      found = Array(found.dropFirst(position.skipped).prefix(position.remaining ?? .max))
      next.remaining = position.remaining.map { $0 - found.count }
    }
    let page = RESTPage(
      answer: answer, count: all.count, items: position.items, translation: translation, isLinked: position.isLinked)
    guard next.remaining != 0, let link = try store.handle.dialect.nextPage(after: page) else {
      return (found, nil, answer.total)
    }
    guard position.page < options.maximumPages else {
      throw ModelStoreError(.server, "the list has more than \(options.maximumPages) pages, which is the limit")
    }
    next.page += 1
    if answer.next != nil { next.isLinked = true }
    try follow(link, from: position, &next)
    return (found, next, answer.total)
  }

  /// What tells the elements of a page from others: their identifiers, where each has one.
  private func names(of records: [AttributeDictionary]) -> [JSONValue] {
    if let identifierKey {
      let identifiers = records.compactMap { $0[identifierKey] }
      if identifiers.count == records.count { return identifiers }
    }
    return records.map { .object($0) }
  }

  private func follow(_ link: RESTPageLink, from position: Position, _ next: inout Position) throws {
    let current = try position.call.url(below: store.handle.base)
    switch link {
    case .items(let items):
      next.items = RESTPageLink.replacing(position.items, items)
      next.call.link = nil
      next.call.address.query = RESTPageLink.replacing(firstCall.address.query, next.items)
    case .address(let address):
      next.items = []
      next.call.link = try RESTPageAddress.url(address, from: current)
    }
    try next.repetition.turn(to: next.call.url(below: store.handle.base), from: current)
  }

  // MARK: All pages

  /// A list as it was found.
  enum Found {
    /// Models, because the list came in one answer just as models read it.
    case models([M])
    /// Records that are still to be read.
    case records([AttributeDictionary])
  }

  private enum First {
    case models([M])
    case page(Page)
  }

  /// The list, of all pages that are needed.
  ///
  /// - Parameter readStart: the beginning of the read, with which live models are compared.
  func found(readSince readStart: PendingReads.Start) async throws -> Found {
    let first = try await store.handle.run(
      firstCall,
      raw: { response in
        isBeyondEnd(response, at: start) ? .models([]) : models(in: response, readSince: readStart).map(First.models)
      },
      { answer, _ in First.page(try page(at: start, of: answer)) })
    switch first {
    case .models(let models): return .models(models)
    case .page(let page): return .records(try await records(after: page))
    }
  }

  /// The records of the list, of all pages that are needed.
  func records() async throws -> [AttributeDictionary] { try await records(after: page(at: start)) }

  private func records(after first: Page) async throws -> [AttributeDictionary] {
    var records = first.records
    var position = first.next
    while let current = position, options.followsPages || isHere {
      let page = try await page(at: current)
      records += page.records
      position = page.next
    }
    guard needsAll else { return records }
    var rest = query
    rest.filter = nil
    return try rest.apply(to: records, in: store.scope.transformers)
  }

  /// How many records the list has, without keeping them.
  func count() async throws -> Int {
    var count = 0
    var position: Position? = start
    while let current = position {
      let page = try await page(at: current)
      if let total = page.total, !isMixed, !isHere {
        return min(max(0, total - query.offset), query.limit ?? .max)
      }
      count += page.records.count
      position = page.next
    }
    // With an order, all were counted.
    return needsAll ? min(max(0, count - query.offset), query.limit ?? .max) : count
  }

  /// The models of a list that comes in one answer, read from its bytes; nil if it may not be one.
  ///
  /// What is wrong with an answer is found out in the other way, which can say it better.
  private func models(in response: HTTPResponseData, readSince readStart: PendingReads.Start) -> [M]? {
    let dialect = store.handle.dialect
    guard let path = dialect.plainListPath, !store.scope.creations.areUnderWay(of: M.typeName),
      !store.scope.pendingReads.hasUpdates(of: M.typeName, since: readStart), query.isPlain, !isMixed,
      start.skipped == 0,
      translation.paging == .whole, response.isSuccessful, response.body.count <= dialect.maximumResponseBytes,
      RESTPageLink(linkHeaders: response.headers.values(for: "Link")) == nil,
      let models = try? store.scope.models(
        M.self, fromJSON: response.body, at: path, keepsLocalChanges: !store.isRefreshing)
    else { return nil }
    store.tags.forget(models)
    store.scope.pendingReads.noteRead(of: models, since: readStart)
    return query.limit.map { Array(models.prefix($0)) } ?? models
  }
}

/// The address of a next page, which a server can choose as it likes.
enum RESTPageAddress {
  /// The whole address.
  ///
  /// - Throws: `ModelStoreError` with the code `server` if it is not on the server of the page before: credentials would
  ///   be sent there.
  static func url(_ link: String, from current: URL) throws -> URL {
    guard let url = URL(string: link, relativeTo: current)?.absoluteURL,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let base = URLComponents(url: current, resolvingAgainstBaseURL: true)
    else { throw ModelStoreError(.server, "the address of the next page can't be used: \(link.prefix(200))") }
    guard components.host?.lowercased() == base.host?.lowercased(),
      components.port == nil || base.port == nil || components.port == base.port
    else {
      throw ModelStoreError(
        .server, "the next page is said to be on another server, \(components.host ?? "?"), and was not fetched")
    }
    // Behind a proxy, servers don't always know how they were asked.
    components.scheme = base.scheme
    components.port = base.port
    components.user = base.user
    components.password = base.password
    components.fragment = nil
    guard let url = components.url else {
      throw ModelStoreError(.server, "the address of the next page can't be used: \(link.prefix(200))")
    }
    return url
  }
}
