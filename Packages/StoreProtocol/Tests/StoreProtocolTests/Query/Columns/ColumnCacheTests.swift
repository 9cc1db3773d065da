import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

@Suite struct `The cache of columns` {
  private var cache = ColumnCache(maximumSize: 1_500)

  /// Requests the column of the ages of 100 people.
  private mutating func hasColumn(of type: String, count: Int = 100) throws -> Bool {
    let program = try QueryProgram(ModelQuery(ContractPerson.self, where: { $0.age > 1 }), in: .standard)
    let table = try cache.table(["age"], of: type, at: 1, changes: { _ in nil }) { keys in
      let builder = program.columnBuilder(for: keys)
      for number in 0..<count { try builder.add(Array(#"{"id": \#(number), "age": \#(number)}"#.utf8)) }
      return builder
    }
    return table != nil
  }

  @Test mutating func `Columns that were evicted for others are built again when they are requested twice`() throws {
    #expect(try !hasColumn(of: "A"))
    #expect(try hasColumn(of: "A"))
    #expect(try !hasColumn(of: "B"))
    #expect(try hasColumn(of: "B"))
    #expect(try !hasColumn(of: "A"))
    #expect(try hasColumn(of: "A"))
    #expect(try hasColumn(of: "A"))
    #expect(try !hasColumn(of: "B"))
  }

  @Test mutating func `Columns that are too large by themselves are not built each time`() throws {
    #expect(try !hasColumn(of: "A", count: 1_000))
    _ = try hasColumn(of: "A", count: 1_000)
    #expect(try !hasColumn(of: "A", count: 1_000))
  }
}
