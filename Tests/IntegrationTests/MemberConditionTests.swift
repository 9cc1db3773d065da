import Foundation
import ModelKit
import StoreProtocolTesting
import Testing

private enum Kind: String, CaseIterable, Codable { case paper, mail, fax }

private struct Shop: Codable, Hashable {
  var name: String
  let opened: Date
}

private struct Line: Codable, Hashable {
  let text: String
  var count: Int
}

private struct Receipt: Codable, Hashable {
  let pages: Int
  var total: Decimal
  var note: String?
  var isPaid: Bool
  var kind: Kind
  var lines: [Line]
  var tags: [String]?
  var shop: Shop

  var isLong: Bool { pages > 5 }
  var doubled: Int { pages * 2 }

  enum CodingKeys: String, CodingKey {
    case pages = "page_count"
    case total, note, isPaid = "paid", kind, lines, tags, shop
  }
}

/// A value that converts itself, so that only its properties' names are known.
private struct Box: JSONConvertible, Hashable {
  var width: Int
  var label: String?
  var isOpen: Bool

  init(width: Int, label: String?, isOpen: Bool) { (self.width, self.label, self.isOpen) = (width, label, isOpen) }

  init(json: JSONValue) throws {
    guard let width = json["width"]?.intValue else { throw ValueTransformError(expected: "a box", found: json) }
    self.init(width: width, label: json["label"]?.stringValue, isOpen: json["isOpen"] == true)
  }

  var json: JSONValue {
    var members: [String: JSONValue] = ["width": .int(width), "isOpen": .bool(isOpen)]
    members["label"] = label.map { .string($0) }
    return .object(members)
  }
}

private final class Invoice: Model {
  @Field var id: Int?
  @Field var receipt: Receipt?
  @Field var box: Box?
  let notes = ArrayField(Field<Line>())
  @ModelField(foreignKey: true) var parent: Invoice?
  override var identifierField: AnyField? { $id }
}

private struct Plain {
  var id: Int
  var receipt: Receipt?
  var box: Box?
  var notes: [Line]?
  var parent: Int?
}

/// A server that answers every list with the same records.
private struct ListServer: HTTPTransport {
  let records: Data

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { HTTPResponseData(status: 200, body: records) }
}

private struct Seeded: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

private typealias Condition = (query: QueryExpression, holds: (Plain) -> Bool)

@Suite struct `Conditions inside values` {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "Members-\(UUID().uuidString)")

  private func plain(_ random: inout Seeded) -> [Plain] {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    return (1...60).map { id in
      let shop = Shop(
        name: ["Acme", "Bolt", "Cent"].randomElement(using: &random) ?? "",
        opened: Date(timeIntervalSince1970: Double(number(0...5)) * 1_000_000 + 0.5 * Double(number(0...1))))
      let receipt = Receipt(
        pages: number(1...9), total: Decimal(number(0...400)) / 100,
        note: number(0...2) == 0 ? nil : "n\(number(0...4))",
        isPaid: number(0...1) == 0, kind: Kind.allCases.randomElement(using: &random) ?? .fax,
        lines: (0..<number(0...3)).map { Line(text: "l\($0)", count: number(0...5)) },
        tags: number(0...3) == 0 ? nil : (0..<number(0...2)).map { "t\($0)" }, shop: shop)
      let box = Box(
        width: number(1...9), label: number(0...2) == 0 ? nil : "b\(number(0...3))", isOpen: number(0...1) == 0)
      return Plain(
        id: id, receipt: number(0...5) == 0 ? nil : receipt, box: number(0...5) == 0 ? nil : box,
        notes: number(0...4) == 0 ? nil : (0..<number(0...2)).map { Line(text: "m\($0)", count: number(0...5)) },
        parent: id > 5 && number(0...1) == 0 ? number(1...5) : nil)
    }
  }

  private func fill(_ store: some ModelStore, _ plain: [Plain]) async throws -> [Invoice] {
    var invoices: [Invoice] = []
    for each in plain {
      let invoice = Invoice()
      (invoice.receipt, invoice.box) = (each.receipt, each.box)
      invoice.notes.value = each.notes
      invoice.parent = each.parent.map { invoices[$0 - 1] }
      invoices.append(try await store.create(invoice))
    }
    return invoices
  }

  private func condition(_ random: inout Seeded, _ plain: [Plain], depth: Int) -> Condition {
    if depth > 0 {
      let left = condition(&random, plain, depth: depth - 1)
      switch random.next() % 4 {
      case 0: return (!left.query, { !left.holds($0) })
      case 1:
        let right = condition(&random, plain, depth: depth - 1)
        return (left.query && right.query, { left.holds($0) && right.holds($0) })
      case 2:
        let right = condition(&random, plain, depth: depth - 1)
        return (left.query || right.query, { left.holds($0) || right.holds($0) })
      default: return left
      }
    }
    let number = Int.random(in: 0...9, using: &random), text = "n\(number % 5)"
    let date = Date(timeIntervalSince1970: Double(number % 6) * 1_000_000)
    func found(_ condition: @escaping (ModelColumns<Invoice>) -> QueryExpression, _ holds: @escaping (Plain) -> Bool)
      -> Condition
    {
      (ModelQuery(Invoice.self, where: condition).filter ?? .constant(true), holds)
    }
    switch random.next() % 20 {
    case 0: return found({ $0.receipt.pages > number }) { ($0.receipt?.pages).map { $0 > number } ?? false }
    case 1: return found({ $0.receipt.pages == number }) { $0.receipt?.pages == number }
    case 2: return found({ $0.receipt.pages.isIn([1, number]) }) { [1, number].contains($0.receipt?.pages) }
    case 3:
      let total = Decimal(number * 40) / 100
      return found({ $0.receipt.total <= total }) { ($0.receipt?.total).map { $0 <= total } ?? false }
    case 4: return found({ $0.receipt.note == nil }) { $0.receipt?.note == nil }
    case 5: return found({ $0.receipt.note != text }) { $0.receipt?.note != text }
    case 6:
      return found({ $0.receipt.note.hasSuffix("\(number % 5)") }) {
        $0.receipt?.note?.hasSuffix("\(number % 5)") ?? false
      }
    case 7: return found({ $0.receipt.isPaid }) { $0.receipt?.isPaid == true }
    case 8: return found({ $0.receipt.kind == .mail }) { $0.receipt?.kind == .mail }
    case 9: return found({ $0.receipt.shop.name == "Bolt" }) { $0.receipt?.shop.name == "Bolt" }
    case 10: return found({ $0.receipt.shop.opened > date }) { ($0.receipt?.shop.opened).map { $0 > date } ?? false }
    case 11:
      return found({ $0.receipt.lines.contains { $0.count > number / 2 } }) {
        $0.receipt?.lines.contains { $0.count > number / 2 } ?? false
      }
    case 12: return found({ $0.receipt.lines.count == number % 4 }) { ($0.receipt?.lines.count ?? 0) == number % 4 }
    case 13: return found({ $0.receipt.tags.contains("t1") }) { $0.receipt?.tags?.contains("t1") ?? false }
    case 14:
      return found({ $0.notes.contains { $0.text == "m1" && $0.count > 1 } }) {
        $0.notes?.contains { $0.text == "m1" && $0.count > 1 } ?? false
      }
    case 15: return found({ $0.box.width >= number }) { ($0.box?.width).map { $0 >= number } ?? false }
    case 16:
      return found({ $0.box.label == "b1" || $0.box.label.hasPrefix("b2") }) {
        $0.box?.label == "b1" || $0.box?.label?.hasPrefix("b2") == true
      }
    case 17: return found({ $0.box.isOpen }) { $0.box?.isOpen == true }
    case 18:
      return found({ $0.box.width.isIn([2, number]) || $0.box.label.isIn(["b0"]) }) {
        [2, number].contains($0.box?.width) || $0.box?.label == "b0"
      }
    default:
      return found({ $0.parent.receipt.pages < number }) { invoice in
        invoice.parent.flatMap { plain[$0 - 1].receipt?.pages }.map { $0 < number } ?? false
      }
    }
  }

  private func order(_ random: inout Seeded) -> (ModelSort<Invoice>, (Plain, Plain) -> Bool) {
    func less<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool {
      guard let right else { return false }
      return left.map { $0 < right } ?? true
    }
    return switch random.next() % 4 {
    case 0: (.ascending { $0.receipt.pages }, { less($0.receipt?.pages, $1.receipt?.pages) })
    case 1: (.ascending { $0.receipt.shop.opened }, { less($0.receipt?.shop.opened, $1.receipt?.shop.opened) })
    case 2: (.ascending { $0.box.width }, { less($0.box?.width, $1.box?.width) })
    default: (.ascending { $0.receipt.note }, { less($0.receipt?.note, $1.receipt?.note) })
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `Random conditions inside values find in every store the same models as plain Swift`(seed: UInt64) async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    var random = Seeded(state: seed)
    let plain = plain(&random)
    let memory = MemoryModelStore(), indexed = MemoryModelStore(), files = FileModelStore(directory: directory)
    let live = try await fill(memory, plain)
    _ = try await fill(indexed, plain)
    try indexed.index(Invoice.self) { $0.receipt.pages }
    try indexed.index(Invoice.self) { $0.receipt.shop.name }
    try indexed.index(Invoice.self) { $0.receipt.total }
    try indexed.index(Invoice.self) { $0.receipt.kind }
    try indexed.index(Invoice.self) { $0.box.width }
    try await files.index(Invoice.self) { $0.receipt.note }
    try await files.index(Invoice.self) { $0.receipt.shop.opened }
    _ = try await fill(files, plain)
    let rest = RESTModelStore(
      baseURL: try #require(URL(string: "https://a.example")), transport: ListServer(records: try live.jsonData()))
    for number in 1...150 {
      let condition = condition(&random, plain, depth: number % 3)
      var query = ModelQuery<Invoice>(Invoice.self)
      query.filter = condition.query
      var expected = plain.filter(condition.holds)
      if number % 2 == 0 {
        let (sort, isBefore) = order(&random)
        query.sort = [sort]
        // Stable, as a store is for equal keys.
        expected = expected.enumerated().sorted {
          isBefore($0.element, $1.element) || !isBefore($1.element, $0.element) && $0.offset < $1.offset
        }.map(\.element)
      }
      let text = "\(query), seed \(seed)"
      #expect(try await memory.list(query).map(\.id) == expected.map(\.id), "in memory: \(text)")
      #expect(try await indexed.list(query).map(\.id) == expected.map(\.id), "by index: \(text)")
      #expect(try await files.list(query).map(\.id) == expected.map(\.id), "in files: \(text)")
      #expect(try await indexed.count(query) == expected.count, "the count of \(text)")
      #expect(try query.apply(to: live).map(\.id) == expected.map(\.id), "live: \(text)")
      let read = try ModelQuery<Invoice>(json: JSONValue(json: query.json.jsonData()))
      #expect(try await memory.list(read).map(\.id) == expected.map(\.id), "read from JSON: \(text)")
      // The store behind REST reads no fields of related models.
      if number % 10 == 0, !text.contains("parent") {
        var remote = query
        remote.evaluation = .inMemory
        #expect(try await rest.list(remote).map(\.id) == expected.map(\.id), "behind REST: \(text)")
      }
    }
    try await files.close()
  }

  @Test func `Aggregates and groups read members of values`() async throws {
    var random = Seeded(state: 9)
    let plain = plain(&random), store = MemoryModelStore()
    _ = try await fill(store, plain)
    let receipts = plain.compactMap(\.receipt)
    #expect(try await store.sum(Invoice.self, of: { $0.receipt.total }) == receipts.map(\.total).reduce(0, +))
    #expect(try await store.maximum(Invoice.self, of: { $0.receipt.pages }) == receipts.map(\.pages).max())
    #expect(try await store.minimum(Invoice.self, of: { $0.receipt.shop.opened }) == receipts.map(\.shop.opened).min())
    #expect(try await store.sum(Invoice.self, of: { $0.box.width }) == plain.compactMap(\.box?.width).reduce(0, +))
    let groups = try await store.groups(Invoice.self, by: { $0.receipt.kind }) {
      ($0.count, $0.sum { $0.receipt.total })
    }
    for group in groups {
      let members = plain.filter { $0.receipt?.kind == group.key }
      #expect(group.values.0 == members.count)
      #expect(group.values.1 ?? 0 == members.compactMap(\.receipt?.total).reduce(0, +))
    }
    #expect(groups.count == Set(plain.map(\.receipt?.kind)).count)
  }

  @Test func `An index of a member is used, and can be unique`() async throws {
    var random = Seeded(state: 4)
    let plain = plain(&random), store = MemoryModelStore()
    _ = try await fill(store, plain)
    try store.index(Invoice.self) { $0.receipt.pages }
    let report = try await store.explain(ModelQuery(Invoice.self, where: { $0.receipt.pages == 3 }))
    #expect(report.readCount == plain.filter { $0.receipt?.pages == 3 }.count)
    #expect("\(report)".contains("by the index of receipt.page_count"))
    #expect(throws: ModelStoreError.self) { try store.index(Invoice.self, unique: true) { $0.receipt.kind } }
    let error = #expect(throws: ModelStoreError.self) { try store.index(Invoice.self) { $0.parent.receipt.pages } }
    #expect(error?.code == .invalid)
  }

  @Test func `A condition about an unknown member of a value is rejected`() async throws {
    let store = MemoryModelStore()
    _ = try await fill(store, [])
    let refused: [(ModelColumns<Invoice>) -> QueryExpression] = [
      { $0.receipt.isLong }, { $0.receipt.doubled == 4 }, { $0.receipt.note.count == 2 },
      { $0["receipt"]["pages"] == 3 }, { $0["id"]["x"] == 3 }, { $0["notes"]["text"] == "m1" },
    ]
    for filter in refused {
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Invoice.self, where: filter) }
      #expect(error?.code == .invalid)
    }
    // The key under which the member is written is one.
    #expect(try await store.list(Invoice.self, where: { $0["receipt"]["page_count"] == 3 }).isEmpty)
  }

  @Test func `A live result follows a member of a value`() async throws {
    let store = MemoryModelStore(), invoice = Invoice()
    invoice.box = Box(width: 1, label: nil, isOpen: false)
    try await store.save(invoice)
    var results = store.observe(Invoice.self, where: { $0.box.width > 3 }).makeAsyncIterator()
    #expect(await results.next()?.models == [])
    invoice.box?.width = 5
    try await store.save(invoice)
    #expect(await results.next()?.models == [invoice])
    invoice.box?.width = 2
    try await store.save(invoice)
    #expect(await results.next()?.models == [])
  }
}

/// An enumeration without a known sample value.
private enum Mode: String, Codable { case cash, card }

private enum Shape: Codable, Hashable { case circle(radius: Double, label: String) }

private struct Payment: Codable, Hashable {
  var pages: Int
  var mode: Mode
  var total: Int
  var note: String?
  var left: Int
  var right: Int

  var doubled: Int { pages * 2 }
  var positivePages: Int { max(pages, 0) }
  var shownNote: String { note.map { $0.isEmpty ? "none" : $0 } ?? "none" }

  enum CodingKeys: String, CodingKey {
    case pages = "p"
    case mode
    case total = "t"
    case note
    case left = "right"
    case right = "left"
  }
}

/// A value whose keys are the names of its properties.
private struct Parcel: Codable, Hashable {
  struct Label: Codable, Hashable {
    var text: String
    var mode: Mode
    var size: Int
  }

  struct Seal: Codable, Hashable { var mode: Mode? }

  var count: Int
  var label: Label?
  var modes: [Mode]
  var maybe: Mode??
  var seal: Seal
  var shape: Shape
  var weight: Decimal
  var sent: Date
  var tags: [String]?
  var last: Mode
}

private final class Order: Model {
  @Field var id: Int?
  @Field var payment: Payment?
  @Field var parcel: Parcel?
  @Field var box: Box?
  @Field var payload: JSONValue?
  override var identifierField: AnyField? { $id }
}

extension Box {
  fileprivate var area: Int { width * width }
}

@Suite struct `Conditions inside values without sample values` {
  private func orders() -> [Order] {
    (1...3).map { number in
      let order = Order()
      order.payment = Payment(
        pages: number, mode: number == 1 ? .cash : .card, total: number, note: "n\(number)", left: number,
        right: -number)
      order.parcel = Parcel(
        count: number, label: .init(text: "l\(number)", mode: number == 2 ? .cash : .card, size: number),
        modes: number == 3 ? [.cash] : [], maybe: .some(.card), seal: .init(mode: number == 1 ? .cash : nil),
        shape: .circle(radius: 1, label: "x"), weight: Decimal(number),
        sent: Date(timeIntervalSince1970: 10 + Double(number) / 2), tags: ["t\(number)"],
        last: number == 1 ? .cash : .card)
      order.box = Box(width: number, label: nil, isOpen: true)
      return order
    }
  }

  private func store() async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    for order in orders() { try await store.create(order) }
    return store
  }

  @Test func `A condition, a sort and an index find the key of a renamed member before one without a sample value`()
    async throws
  {
    let store = try await store()
    #expect("\(ModelQuery(Order.self, where: { $0.payment.pages == 2 }))".contains("payment.p == 2"))
    #expect(try await store.list(Order.self, where: { $0.payment.pages == 2 }).map(\.id) == [2])
    #expect(try await store.count(Order.self, where: { $0.payment.pages == nil }) == 0)
    #expect(try await store.list(Order.self, where: { $0.payment.mode == .card }).map(\.id) == [2, 3])
    #expect(try await store.list(Order.self, where: { $0.payment.note == "n3" }).map(\.id) == [3])
    #expect(try await store.list(Order.self, sort: [.descending { $0.payment.pages }]).map(\.id) == [3, 2, 1])
    try store.index(Order.self) { $0.payment.pages }
    #expect(try await store.list(Order.self, where: { $0.payment.pages == 2 }).map(\.id) == [2])
    #expect(try await store.list(Order.self, where: { $0["payment"]["t"] == 3 }).map(\.id) == [3])
  }

  @Test func `A property whose key is not known, or that is computed, is refused by conditions, sorts and indexes`()
    async throws
  {
    let store = try await store(), orders = orders()
    let refused: [(ModelColumns<Order>) -> QueryExpression] = [
      { $0.payment.total == 2 }, { $0.payment.left == 2 }, { $0.payment.right == 2 }, { $0.payment.doubled == 2 },
      { $0.payment.positivePages == 2 }, { $0.payment.shownNote == "n3" },
      { $0["payment"]["total"] == 2 }, { $0.box.area == 4 }, { $0.payload.intValue == 1 },
      { $0.parcel.label.text.count == 2 },
    ]
    for filter in refused {
      let query = ModelQuery(Order.self, where: filter)
      let error = await #expect(throws: ModelStoreError.self, "\(query)") { _ = try await store.list(query) }
      #expect(error?.code == .invalid)
      #expect(throws: ModelStoreError.self, "\(query)") { _ = try query.apply(to: orders) }
    }
    let error = await #expect(throws: ModelStoreError.self) {
      _ = try await store.list(Order.self, sort: [.ascending { $0.payment.total }])
    }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("its key is not known. Name the key, as in") == true)
    #expect(throws: ModelStoreError.self) { try store.index(Order.self) { $0.payment.total } }
  }

  @Test func `A condition reads every member of a value without keys of its own`() async throws {
    let store = try await store()
    let conditions: [((ModelColumns<Order>) -> QueryExpression, [Int])] = [
      ({ $0.parcel.count == 2 }, [2]), ({ $0.parcel.label.text == "l2" }, [2]),
      ({ $0.parcel.label.mode == .cash }, [2]), ({ $0.parcel.label.size > 1 }, [2, 3]),
      ({ $0.parcel.modes.contains(.cash) }, [3]), ({ $0.parcel.modes.count == 0 }, [1, 2]),
      ({ $0.parcel.seal.mode == .cash }, [1]), ({ $0.parcel.weight >= 2 }, [2, 3]),
      ({ $0.parcel.sent > Date(timeIntervalSince1970: 11) }, [3]), ({ $0.parcel.tags.contains("t2") }, [2]),
      ({ $0.parcel.last == .card }, [2, 3]),
    ]
    for (condition, expected) in conditions {
      let query = ModelQuery(Order.self, where: condition)
      #expect(try await store.list(query).map(\.id) == expected, "\(query)")
    }
    #expect(try await store.list(Order.self, sort: [.descending { $0.parcel.sent }]).map(\.id) == [3, 2, 1])
  }
}

@Suite struct `Decimal values` {
  private final class Price: Model {
    @Field var id: Int?
    @Field var amount: Decimal?
    override var identifierField: AnyField? { $id }
  }

  @Test func `A decimal is exact through JSON, files and an index`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "Decimal-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let texts = ["0.1", "0.3", "1234567890123456789012345678.12345", "-0.0000000000000000001", "99999999999999999999"]
    let amounts = try texts.map { try #require(Decimal(string: $0)) }
    let memory = MemoryModelStore(), files = FileModelStore(directory: directory)
    try memory.index(\Price.amount)
    try await files.index(\Price.amount)
    for store in [memory, files] as [any TransactionalModelStore] {
      for amount in amounts {
        let price = Price()
        price.amount = amount
        #expect(try Price.from(json: price.jsonData()).amount == amount)
        try await store.create(price)
      }
      for amount in amounts {
        #expect(try await store.list(Price.self, where: { $0.amount == amount }).map(\.amount) == [amount])
        #expect(
          try await store.list(Price.self, where: { $0.amount >= amount }, sort: [.ascending(\.amount)]).map(\.amount)
            == amounts.filter { $0 >= amount }.sorted())
      }
      #expect(
        try await store.sum(Price.self, of: \.amount, where: { $0.amount < 1 }) == amounts[0] + amounts[1] + amounts[3])
    }
    try await files.close()
  }
}
