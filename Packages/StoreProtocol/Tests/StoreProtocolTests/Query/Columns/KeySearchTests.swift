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

  /// A model with keys of all lengths that are searched in different ways.
  final class Form: Model {
    @Field var id: Int?
    @Field var a: Int?
    @Field var sixteen: Int?
    @Field var aKeyOfMoreBytes: Int?
    @Field var aKeyOfMoreBytesThanTwoWords: Int?
    override var identifierField: AnyField? { $id }
  }

  /// Returns a JSON value, often one with brackets, quotation marks and keys in it.
  private func anyValue(_ random: inout RandomSource, depth: Int = 0) -> String {
    let texts = [
      "", "a", "[", "]", "{", "}", "|", #"\\"#, #"\""#, #"\n"#, #"\u005b"#, #"\"a\":"#, ":", ",", #",\"a\":1"#, "{]",
      "ü", "🧾",
      "sixteen", "a longer text without any of them",
    ]
    func text(_ random: inout RandomSource) -> String {
      let count = Int.random(in: 0..<4, using: &random)
      return "\"" + (0..<count).map { _ in texts.randomElement(using: &random) ?? "" }.joined() + "\""
    }
    func list(_ random: inout RandomSource, _ body: (inout RandomSource) -> String) -> String {
      (0..<Int.random(in: 0..<4, using: &random)).map { _ in body(&random) }.joined(separator: ",")
    }
    switch Int.random(in: 0..<(depth > 2 ? 6 : 9), using: &random) {
    case 0, 1: return text(&random)
    case 2: return "\(Int.random(in: -9...9, using: &random))"
    case 3: return "\(UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64.random(in: 1..<64, using: &random))"
    case 4: return ["1e3", "-0", "1.50", "0.0", "12E-1"].randomElement(using: &random) ?? ""
    case 5: return ["null", "true", "false"].randomElement(using: &random) ?? ""
    case 6: return "[" + list(&random) { anyValue(&$0, depth: depth + 1) } + "]"
    default:
      return "{"
        + list(&random) { random in
          let key = ["a", "id", "sixteen", "b", #"\"a"#].randomElement(using: &random) ?? ""
          return "\"\(key)\":" + anyValue(&random, depth: depth + 1)
        } + "}"
    }
  }

  /// Records of one shape, whose values have similar or different lengths, and records of any other.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `Random documents have the values that a read in order finds`(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let program = try QueryProgram(
      ModelQuery(
        Form.self,
        where: {
          $0.a > 1 && $0.id > 1 && $0.sixteen > 1 && $0.aKeyOfMoreBytes > 1 && $0.aKeyOfMoreBytesThanTwoWords > 1
        }), in: .standard)
    let slots = program.slots
    var search = try #require(KeySearch(slots))
    let keys = BytesRow.Keys(slots)
    var (found, expected) = (Array(repeating: 0, count: slots.count), Array(repeating: 0, count: slots.count))
    let wanted = slots.map(\.spelledKey).sorted()
    var foundCount = 0
    for round in 0..<3_000 {
      var names = wanted + ["category", "tags", "title", "sixteenth"]
      if seed.isMultiple(of: 3) { names.shuffle(using: &random) } else { names.sort() }
      if round % 7 == 0 { names.remove(at: Int.random(in: names.indices, using: &random)) }
      let members = names.map { name -> String in
        let isPlain = Int.random(in: 0..<6, using: &random) > 0
        return "\"\(name)\":"
          + (isPlain
            ? "\(Int.random(in: 0..<(seed.isMultiple(of: 2) ? 100 : 10_000_000), using: &random))" : anyValue(&random))
      }
      try Array("{\(members.joined(separator: ","))}".utf8).withUnsafeBytes { bytes in
        let isFound = found.withUnsafeMutableBufferPointer { search.locate(in: bytes, $0.baseAddress!) }
        if !isFound { return }
        foundCount += 1
        try expected.withUnsafeMutableBufferPointer { try keys.locate(in: bytes, $0.baseAddress!) }
        #expect(found == expected, "\(String(decoding: bytes, as: UTF8.self))")
        for offset in found {
          var scanner = JSONScanner(bytes, offset: offset, depth: 1, maximumDepth: 512)
          if let value = PlainInteger.value(at: offset, in: bytes) { #expect(try scanner.readValue() == .int(value)) }
        }
      }
    }
    #expect(foundCount > 500)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `An integer is read wherever its record ends`(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    for _ in 0..<4_000 {
      var digits = String(
        UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64.random(in: 0..<64, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: digits = "-" + digits
      case 1: digits = "0" + digits
      case 2: digits += [".5", "e1", "E2", "x", "", "/", ":"].randomElement(using: &random) ?? ""
      default: break
      }
      let end = [",", "}", " ", "", "]"].randomElement(using: &random) ?? ""
      let rest = String(repeating: "9", count: Int.random(in: 0..<10, using: &random))
      let isPlain =
        [",", "}"].contains(end) && Int(digits).map(String.init) == digits && digits.count { $0 != "-" } <= 18
      Array((digits + end + rest).utf8).withUnsafeBytes { bytes in
        #expect(PlainInteger.value(at: 0, in: bytes) == (isPlain ? Int(digits) : nil), "\(digits + end + rest)")
      }
    }
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
