@_spi(ModelKitInternals) import FieldKit
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

@Suite struct `The search for keys in records` {
  private func program() throws -> QueryProgram<ContractPerson> {
    try QueryProgram(
      ModelQuery(ContractPerson.self, where: { $0.age > 1 && $0.name != "" && $0.isActive == true }), in: .standard)
  }

  /// Returns a value that may contain what looks like a key.
  private func value(_ random: inout RandomSource) -> String {
    let values = [
      "1", "-20", "0", "12345", "1.5", "null", "true", #""a""#, #""Jane Austen, a novelist""#, #""\"age\":7""#,
      #"",\"name\":\"x\"""#, #""[{""#, #"{"age":99,"name":"inner"}"#, "[]", #"["age",{"isActive":false}]"#, #""ü""#,
      #""\u00fc""#,
    ]
    return values[Int.random(in: values.indices, using: &random)]
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `Values are found where a read in order finds them, or not at all`(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let slots = try program().slots
    var search = try #require(KeySearch(slots))
    let keys = BytesRow.Keys(slots)
    let found = UnsafeMutablePointer<Int>.allocate(capacity: slots.count)
    let expected = UnsafeMutablePointer<Int>.allocate(capacity: slots.count)
    defer {
      found.deallocate()
      expected.deallocate()
    }
    var foundCount = 0
    for _ in 0..<4_000 {
      var names = ["age", "name", "isActive", "id", "a", "names", "ages"].shuffled(using: &random)
      if Bool.random(using: &random) { names.removeLast(Int.random(in: 0..<3, using: &random)) }
      let space = Int.random(in: 0..<10, using: &random) == 0 ? " " : ""
      let members = names.map { "\"\($0)\":\(space)\(value(&random))" }
      let record = Array("{\(members.joined(separator: ",\(space)"))}".utf8)
      try record.withUnsafeBytes { bytes in
        guard search.locate(in: bytes, found) else { return }
        foundCount += 1
        try keys.locate(in: bytes, expected)
        for slot in slots {
          var scanner = JSONScanner(bytes, offset: found[slot.index], depth: 1, maximumDepth: 512)
          scanner.skipWhitespace()
          #expect(scanner.offset == expected[slot.index])
        }
      }
    }
    #expect(foundCount > 100)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `Columns have the values of their records`(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let builder = try program().columnBuilder(for: ["age", "name", "isActive"])
    var expected: [[JSONValue]] = []
    for number in 0..<2_000 {
      let ages = ["0", "7", "-7", "123456789012345678", "9223372036854775807", "-0", "1e2", "null"]
      let names = [#""n\#(number % 50)""#, #""n\#(number)""#, #""\u00fc,\"age\":1""#, "null", #""""#]
      var members = [
        "\"age\":\(ages[Int.random(in: ages.indices, using: &random)])",
        "\"name\":\(names[Int.random(in: names.indices, using: &random)])",
        "\"isActive\":\(Bool.random(using: &random))",
        #""tags":["a"]"#,
      ].shuffled(using: &random)
      if number % 10 == 0 { members.removeLast() }
      let text = "{\(members.joined(separator: ","))}"
      let record = try #require(JSONValue(json: Array(text.utf8)).objectValue)
      expected.append(["age", "name", "isActive"].map { record[$0] ?? .null })
      try builder.add(Array(text.utf8))
    }
    let columns = builder.finish()
    for (number, key) in ["age", "name", "isActive"].enumerated() {
      let column = try #require(columns[key] ?? nil)
      #expect(column.count == expected.count)
      for row in expected.indices {
        // An integer column has no negative zero, and no other spelling of an integer.
        let value = expected[row][number]
        #expect(column.json(row) == (key == "age" ? value.intValue.map { .int($0) } ?? .null : value))
      }
    }
  }

  @Test func `A column that can't be built is the only one of its builder`() throws {
    let builder = try program().columnBuilder(for: ["age", "name"])
    for age in ["1", #""two""#, "3"] { try builder.add(Array(#"{"age":\#(age),"name":"a"}"#.utf8)) }
    #expect(builder.isImpossible)
    let columns = builder.finish()
    #expect(columns.keys.sorted() == ["age"])
    #expect(columns["age"] as? ValueColumn == nil)
  }
}
