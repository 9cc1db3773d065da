import FileStore
import Foundation
import StoreProtocolTesting
import Testing

private struct Money: Hashable, JSONConvertible, Sendable {
  var cents: Int

  init(cents: Int) { self.cents = cents }

  init(json: JSONValue) throws { cents = try Int(json: json["cents"] ?? .null) }

  var json: JSONValue { ["cents": .int(cents)] }
}

/// A text whose values are equal in any case.
private struct AnyCase: Hashable, JSONConvertible, Sendable {
  var text: String

  init(_ text: String) { self.text = text }

  init(json: JSONValue) throws { text = try String(json: json) }

  var json: JSONValue { .string(text) }

  static func == (left: AnyCase, right: AnyCase) -> Bool { left.text.lowercased() == right.text.lowercased() }

  func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
}

private final class Bill: Model {
  let id = Field<Int>()
  let amount = Field<Decimal>()
  let price = Field<Money>()
  let code = Field<AnyCase>()
  override var identifierField: AnyField? { id }
}

@Suite struct `An index of a file store of decimals and JSON-convertible values` {
  private func withBills(_ count: Int, _ body: (FileModelStore, _ plain: FileModelStore) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { directory in
      for isReopened in [false, true] {
        let folder = directory.appending(path: "\(isReopened)")
        var stores = ["a", "b"].map {
          FileModelStore(directory: folder.appending(path: $0), options: FileStoreOptions(durability: .none))
        }
        for store in stores {
          let bills = (0..<count).map { number in
            let bill = Bill()
            bill.amount.value = number % 50 == 0 ? nil : Decimal(number % 20) / 8
            bill.price.value = number % 50 == 0 ? nil : Money(cents: number % 20)
            bill.code.value = AnyCase(number % 2 == 0 ? "a\(number % 20)" : "A\(number % 20)")
            return bill
          }
          try await store.createAll(bills)
        }
        if isReopened {
          for store in stores { try await store.close() }
          stores = stores.map { FileModelStore(directory: $0.handle.directory) }
        }
        try await body(stores[0], stores[1])
        for store in stores { try await store.close() }
      }
    }
  }

  @Test func `An index of decimals and JSON-convertible values finds the same models as without, and reads only these`()
    async throws
  {
    try await withBills(200) { store, plain in
      try await store.index(\Bill.amount)
      try await store.index(\Bill.price)
      try await store.index(\Bill.code)
      let half = Decimal(string: "0.5") ?? 0
      let queries = [
        ModelQuery(Bill.self, where: { $0.amount == half }),
        ModelQuery(Bill.self, where: { $0.price == Money(cents: 3) }),
        ModelQuery(Bill.self, where: { $0.code == AnyCase("A4") }), ModelQuery(Bill.self, where: { $0.price == nil }),
        ModelQuery(Bill.self, where: { $0.code.isIn([AnyCase("a5"), AnyCase("A6")]) }),
        ModelQuery(Bill.self, where: { $0.amount <= half }, sort: [.descending(\.amount)], limit: 5),
      ]
      for _ in 0..<2 {
        for query in queries {
          let found = try await store.identifiers(query)
          #expect(try await found == plain.identifiers(query), "\(query)")
          #expect(try await store.count(query) == found.count, "\(query)")
          let report = try await store.explain(query)
          #expect(report.readCount == found.count, "\(query)")
        }
        // The same once they were changed, deleted and compacted.
        for each in [store, plain] {
          let bill = try await each.lookup(Bill.self, identifier: "8")
          (bill.amount.value, bill.price.value, bill.code.value) = (half, nil, AnyCase("a4"))
          try await each.update(bill)
          if let last = try await each.list(Bill.self, where: { $0.price == Money(cents: 3) }).last {
            try await each.delete(last)
          }
          try await each.compact()
        }
      }
    }
  }

  @Test func `A unique one compares values, not how they are written`() async throws {
    try await withBills(2) { store, _ in
      try await store.index(\Bill.code, unique: true)
      try await store.index(\Bill.price, unique: true)
      let bill = Bill()
      bill.code.value = AnyCase("A0")
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(bill) }
      #expect(error?.code == .conflict)
      bill.code.value = AnyCase("new")
      bill.price.value = Money(cents: 1)
      await #expect(throws: ModelStoreError.self) { _ = try await store.create(bill) }
    }
  }
}
