import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// The execution of a list query: the requests for its pages, and the selection of their records.
struct RESTListing<M: Model> {
  private let store: RESTModelStore
  private let query: ModelQuery<M>
  /// The condition without the terms that are part of the path; nil for all models.
  private let filter: QueryExpression?
  private let translation: RESTQueryTranslation
  /// The request of the first page.
  let firstCall: RESTCall
  /// Whether condition, order and offset are evaluated in memory.
  private let isHere: Bool
  /// Whether answers also have records of other classes, so that limit and offset have to be applied in memory.
  private let isMixed: Bool
  /// The key of the identifier as records spell it; nil if there is none, or it is not a member of the record itself.
  private let identifierKey: String?

  /// The position at which a list continues.
  struct Position: Sendable {
    var call: RESTCall
    var items: [RESTQueryItem]
    /// The number of records that are still to be skipped.
    var skipped: Int
    /// The number of records that are still needed; nil for all.
    var remaining: Int?
    var page = 1
    /// The number of records in the pages before; nil if the list did not begin with the first record of the server.
    var count: Int?
    /// Whether the server linked to this page. Then it links to every page, and one without a link to the next is the
    /// last.
    var isLinked = false
    /// The detector of pages that the server repeats.
    var repetition = PageRepetition()
  }

  /// Prepares a list.
  ///
  /// - Parameters:
  ///   - embedding: the parameters with which answers contain related models.
  ///   - path: the path of the list; nil for that of the collection.
  init(
    _ query: ModelQuery<M>, in store: RESTModelStore, embedding: [RESTQueryItem] = [], at path: String? = nil
  ) throws {
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
    var call = try store.listCall(&asked, M.self, at: path)
    identifierKey = call.operation.identifierKey
    filter = asked.filter
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
    call.embed(embedding)
    firstCall = call
  }

  /// The request of the first page for a report, without the parameters that are not of the query, and without the
  /// values of sensitive fields.
  var shownRequest: String {
    let items = translation.items.map { query.readsSecrets ? "\(RESTQueryItem($0.name, ""))…" : "\($0)" }
    let parameters = items.isEmpty ? "" : "?\(items.joined(separator: "&"))"
    return "\(firstCall.method) \(firstCall.displayedPath)\(parameters)"
  }

  private var options: RESTOptions { store.handle.options }

  /// The position of the first page.
  var start: Position {
    let skipped = isMixed || isHere ? query.offset : translation.skipped
    let isBeginning = isMixed || isHere || translation.skipped == query.offset
    return Position(
      call: firstCall, items: translation.items, skipped: skipped, remaining: query.limit,
      count: isBeginning ? 0 : nil)
  }

  /// Whether all records have to be fetched before the first one is known.
  var needsAll: Bool { isHere && !query.sort.isEmpty }

  /// Whether no pages are requested from the server.
  var isWhole: Bool { translation.paging == .whole }

  /// Returns the address of a page mark, if it is on the server of the store.
  func address(_ link: String) throws -> URL {
    try RESTPageAddress.url(link, from: firstCall.url())
  }

  // MARK: One page

  /// A page: the selected records in order, the position of the next page, and the number of all records.
  typealias Page = (records: [AttributeDictionary], next: Position?, total: Int?)

  /// Fetches one page.
  func page(at position: Position) async throws -> Page {
    try await store.handle.run(
      position.call, raw: { response in isBeyondEnd(response, at: position) ? ([], nil, nil) : nil },
      { answer, _ in try page(at: position, of: answer) })
  }

  /// Returns whether an answer means that a page by number or offset is beyond the end of the list.
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
    if position.count == nil, !position.isLinked {
      try translation.paging.checkPosition(of: position.items, count: all.count, total: answer.total)
    }
    var next = position
    try next.repetition.add(names(of: all), number: position.page)
    var found = isMixed ? all.filter(M.includes) : all
    if isHere, let filter {
      var conditions = ModelQuery(M.self)
      conditions.filter = filter
      found = try conditions.apply(to: found, in: store.scope.transformers)
    }
    if !needsAll {
      next.skipped = max(0, position.skipped - found.count)
      found = Array(found.dropFirst(position.skipped).prefix(position.remaining ?? .max))
      next.remaining = position.remaining.map { $0 - found.count }
    }
    next.count = position.count.map { $0 + all.count }
    let page = RESTPage(
      answer: answer, count: all.count, items: position.items, translation: translation, isLinked: position.isLinked,
      countSoFar: next.count)
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

  /// Returns the values that identify the elements of a page: their identifiers if each has one, else the whole
  /// records.
  private func names(of records: [AttributeDictionary]) -> [JSONValue] {
    if let identifierKey {
      let identifiers = records.compactMap { $0[identifierKey] }
      if identifiers.count == records.count { return identifiers }
    }
    return records.map { .object($0) }
  }

  private func follow(_ link: RESTPageLink, from position: Position, _ next: inout Position) throws {
    let current = try position.call.url()
    switch link {
    case .items(let items):
      next.items = RESTPageLink.replacing(position.items, items)
      next.call.link = nil
      next.call.address.query = RESTPageLink.replacing(firstCall.address.query, next.items)
    case .address(let address):
      next.items = []
      next.call.link = try RESTPageAddress.url(address, from: current)
    }
    try next.repetition.turn(to: next.call.url(), from: current)
  }

  // MARK: All pages

  /// The result of a list.
  enum Found {
    /// The models, read directly from a single answer.
    case models([M])
    /// The records, which are not read into models yet.
    case records([AttributeDictionary])
  }

  private enum First {
    case models([M])
    case page(Page)
  }

  /// Fetches the list with all pages that it needs.
  ///
  /// - Parameter readStart: the beginning of the read, with which live models are compared.
  func found(readSince readStart: PendingReads.Moment) async throws -> Found {
    let first = try await store.handle.run(
      firstCall,
      raw: { response in
        if isBeyondEnd(response, at: start) { return .models([]) }
        return onlyModels(in: response, readSince: readStart).map(First.models)
      },
      { answer, _ in First.page(try page(at: start, of: answer)) })
    switch first {
    case .models(let models): return .models(models)
    case .page(let page): return .records(try await records(after: page))
    }
  }

  /// Fetches one page, and reads its models directly from the answer if they are all its records.
  ///
  /// - Parameters:
  ///   - position: the position of the page.
  ///   - readStart: the beginning of the read, with which live models are compared.
  func found(
    at position: Position, readSince readStart: PendingReads.Moment
  ) async throws -> (found: Found, next: Position?) {
    try await store.handle.run(
      position.call,
      raw: { response in
        if isBeyondEnd(response, at: position) { return (.models([]), nil) }
        guard position.page == 1, position.skipped == 0 else { return nil }
        return onlyModels(in: response, readSince: readStart).map { (.models($0), nil) }
      },
      { answer, response in
        let page = try page(at: position, of: answer)
        // The models of the only page were not read from its bytes: they are invalid or unusual.
        let wasTried = position.page == 1 && isOnlyPage(response)
        let models = position.skipped == 0 && !wasTried ? models(in: response, readSince: readStart) : nil
        return (models.map(Found.models) ?? .records(page.records), page.next)
      })
  }

  /// Fetches the records of the list with all pages that it needs.
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

  /// Counts the records of the list without keeping them.
  func count() async throws -> Int {
    var count = 0
    var position: Position? = start
    while let current = position {
      let page = try await page(at: current)
      // A server may report any number.
      if let total = page.total, total >= 0, !isMixed, !isHere { return query.pageCount(of: total) }
      count += page.records.count
      position = page.next
    }
    // With an order, the pages were counted without offset and limit.
    return needsAll ? query.pageCount(of: count) : count
  }

  /// Returns whether the answer to the first request has the whole list.
  private func isOnlyPage(_ response: HTTPResponseData) -> Bool {
    start.skipped == 0 && translation.paging == .whole
      && RESTPageLink(linkHeaders: response.headers.values(for: "Link")) == nil
  }

  /// Reads the models of a list from the bytes of a single answer. Returns nil if there may be other pages, or the
  /// answer is unusual.
  private func onlyModels(in response: HTTPResponseData, readSince readStart: PendingReads.Moment) -> [M]? {
    guard isOnlyPage(response), let models = models(in: response, readSince: readStart) else { return nil }
    return query.limit.map { Array(models.prefix($0)) } ?? models
  }

  /// Reads the models of all records of a page from the bytes of the answer. Returns nil if a part may be selected, or
  /// the answer is unusual.
  ///
  /// Errors of an answer are left to the other path, which can describe them better.
  private func models(in response: HTTPResponseData, readSince readStart: PendingReads.Moment) -> [M]? {
    guard let path = store.handle.dialect.plainListPath, !store.scope.creations.areUnderWay(of: M.typeName),
      !store.scope.pendingReads.hasUpdates(of: M.typeName, since: readStart), query.isPlain, !isMixed,
      response.isSuccessful,
      let models = try? store.readingRecords(
        since: readStart,
        {
          try store.scope.models(M.self, fromJSON: response.body, at: path, localChanges: $0)
        })
    else { return nil }
    store.tags.remove(models)
    store.scope.pendingReads.noteRead(of: models, at: readStart)
    return models
  }
}

/// A check of the address of a next page, which a server can choose freely.
enum RESTPageAddress {
  /// Returns the absolute address of a link.
  ///
  /// - Throws: `ModelStoreError` with the code `server` if it is on another server than the page before: credentials
  ///   would be sent there.
  static func url(_ link: String, from current: URL) throws -> URL {
    guard let url = URL(string: link, relativeTo: current)?.absoluteURL,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let base = URLComponents(url: current, resolvingAgainstBaseURL: true)
    else { throw ModelStoreError(.server, "the address of the next page can't be used: \(link.prefix(200))") }
    guard components.host?.lowercased() == base.host?.lowercased(),
      components.port == nil || base.port == nil || components.port == base.port
    else {
      throw ModelStoreError(
        .server, "the next page is on another server, \(components.host ?? "?"), and was not fetched")
    }
    // Behind a proxy, a server does not always know the scheme and the port of the request.
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
