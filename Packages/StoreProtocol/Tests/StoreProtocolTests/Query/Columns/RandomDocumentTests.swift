@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

/// Columns, conditions and values are read from the bytes of records. A parse of the whole document is the reference.
@Suite struct `Values read from random documents` {
  final class Invoice: Model {
    @Field var id: Int?
    @Field var number: Int?
    @Field var weight: Double?
    @Field var price: Decimal?
    @Field var title: String?
    @Field var isPaid: Bool?
    @Field(key: "meta.number") var inner: Int?
    override var identifierField: AnyField? { $id }
  }

  private typealias Condition = (ModelColumns<Invoice>) -> QueryExpression

  private let conditions: [Condition] = [
    { $0.number > 1 }, { $0.number == nil }, { $0.number != -1 && $0.title != "" }, { $0.weight < 0.5 },
    { $0.weight == 0 || $0.isPaid == true }, { $0.price >= 1 }, { $0.title == "a" }, { $0.title > "[" },
    { $0.title == nil }, { !($0.isPaid == false) }, { $0.inner > 0 }, { $0.inner == nil && $0.number < 100 },
    { $0.number > 0 && $0.weight > 0 && $0.price > 0 && $0.title != "b" && $0.isPaid != nil },
  ]

  /// Makes every column of the model a column of the query.
  private let all: Condition = {
    $0.number == nil && $0.weight == nil && $0.price == nil && $0.title == nil && $0.isPaid == nil && $0.inner == nil
  }

  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `Values of documents are those of a parse of the whole document`(seed: UInt64) throws {
    var source = DocumentSource(seed: seed)
    let programs = try conditions.map { try QueryProgram(ModelQuery(Invoice.self, where: $0), in: .standard) }
    var validCount = 0
    for _ in 0..<150 {
      let (documents, areSound) = source.documents()
      let records = try documents.map { document -> AttributeDictionary? in
        guard areSound else { return nil }
        let record: AttributeDictionary = try #require(JSONValue(json: Array(document.utf8)).objectValue)
        return record
      }
      validCount += records.count { $0 != nil }
      let valid = zip(documents, records).compactMap { document, record in record.map { (document, $0) } }
      try checkValues(valid)
      try checkColumns(valid)
      for program in programs { try check(program, valid) }
      for (document, record) in zip(documents, records) where record == nil { readInvalid(document, programs) }
    }
    #expect(validCount > 500)
  }

  /// A document that is no JSON, or has a key twice, may give an error or any value.
  private func readInvalid(_ document: String, _ programs: [QueryProgram<Invoice>]) {
    for program in programs {
      Array(document.utf8).withUnsafeBytes { _ = try? program.matches($0, QueryRelatedRecords(nil)) }
      let builder = program.columnBuilder(for: program.slots.map(\.spelledKey))
      try? builder.add(Array(document.utf8))
      _ = builder.finish()
    }
  }

  private func checkValues(_ documents: [(String, AttributeDictionary)]) throws {
    let program = try QueryProgram(ModelQuery(Invoice.self, where: all), in: .standard)
    let keys = BytesRow.Keys(program.slots)
    let offsets = UnsafeMutablePointer<Int>.allocate(capacity: program.slots.count)
    defer { offsets.deallocate() }
    let surroundings = QueryRelatedRecords(nil)
    for (document, record) in documents {
      try Array(document.utf8).withUnsafeBytes { bytes in
        try keys.locate(in: bytes, offsets)
        let row = BytesRow(bytes: bytes, offsets: offsets, surroundings: surroundings)
        for slot in program.slots {
          #expect(try row.json(at: slot) == slot.value(in: record) ?? slot.missing, "\(slot.key) of \(document)")
        }
      }
    }
    withExtendedLifetime(surroundings) {}
  }

  private func checkColumns(_ documents: [(String, AttributeDictionary)]) throws {
    let program = try QueryProgram(ModelQuery(Invoice.self, where: all), in: .standard)
    let everyKey = program.slots.map(\.spelledKey)
    // One key, and keys that are searched together.
    for keys in everyKey.map({ [$0] }) + [everyKey, ["number", "weight", "title"]] {
      let builder = program.columnBuilder(for: keys)
      for (document, _) in documents { try builder.add(Array(document.utf8)) }
      let isImpossible = builder.isImpossible
      let columns = builder.finish()
      for slot in program.slots where keys.contains(slot.spelledKey) {
        let expected = try documents.map { try slot.value(in: $0.1) ?? slot.missing }
        let values = expected.map { value(of: $0, in: slot) }
        let isStorable = values.allSatisfy { $0 != nil }
        guard let column = columns[slot.spelledKey] ?? nil else {
          #expect(isImpossible && (!isStorable || columns[slot.spelledKey] == nil), "\(slot.key) of \(documents)")
          continue
        }
        #expect(isStorable && column.count == documents.count)
        for (row, value) in values.enumerated() {
          #expect(column.json(row) == value, "\(slot.key) of \(documents[row].0)")
        }
      }
    }
  }

  /// Returns a value as its column has it; nil if a column can't.
  private func value(of json: JSONValue, in slot: QuerySlot) -> JSONValue? {
    if json.isNull { return .null }
    switch slot.field {
    case is Field<Int>: return json.intValue.map { .int($0) }
    case is Field<Double>: return json.doubleValue.map { .double($0) }
    default:
      // A plain nil would be the JSON value.
      return [.array, .object].contains(json.kind) ? JSONValue?.none : json
    }
  }

  private func check(_ program: QueryProgram<Invoice>, _ documents: [(String, AttributeDictionary)]) throws {
    let surroundings = QueryRelatedRecords(nil)
    let expected = documents.map { _, record in Result { try program.matches(record, surroundings) } }
    for ((document, _), expected) in zip(documents, expected) {
      let found = Result {
        try Array(document.utf8).withUnsafeBytes { try program.matches($0, surroundings) }
      }
      #expect((try? found.get()) == (try? expected.get()), "\(program.query) of \(document)")
    }
    let keys = try #require(program.keysOfCondition)
    let builder = program.columnBuilder(for: keys)
    for (document, _) in documents { try builder.add(Array(document.utf8)) }
    let columns = builder.finish().compactMapValues(\.self)
    guard !builder.isImpossible, let rows = try? program.rows(in: ColumnTable(columns)) else {
      // A column also has values that an earlier part of the condition excludes.
      return
    }
    let matching = expected.indices.filter { (try? expected[$0].get()) == true }
    #expect(rows == matching.map { Int32($0) }, "\(program.query) of \(documents.map(\.0))")
  }

  /// Stores keep no such record: the result is one of the values, or an error.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `A key that occurs twice has one of its values`(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let program = try QueryProgram(ModelQuery(Invoice.self, where: { $0.number > 1 && $0.title != "" }), in: .standard)
    for _ in 0..<2_000 {
      let numbers = (0..<Int.random(in: 2...4, using: &random)).map { _ in Int.random(in: 0..<999_999, using: &random) }
      var members = numbers.map { #""number":\#($0)"# }
      members.append(#""title":"t""#)
      members.append(#""meta":{"number":-1,"title":"x"}"#)
      members.shuffle(using: &random)
      let builder = program.columnBuilder(for: ["number", "title"])
      guard (try? builder.add(Array("{\(members.joined(separator: ","))}".utf8))) != nil else { continue }
      let columns = builder.finish()
      #expect((columns["number"] ?? nil).map { numbers.contains($0.json(0).intValue ?? -2) } == true, "\(members)")
      #expect((columns["title"] ?? nil)?.json(0) == "t", "\(members)")
    }
  }

  /// A key that begins with a separator looks like the end of a text and the begin of the next key.
  @Test func `A key that begins with punctuation is found`() throws {
    final class Odd: Model {
      @Field var id: Int?
      @Field(key: ",") var comma: Int?
      @Field(key: ":1,") var colon: Int?
      @Field(key: "],") var bracket: Int?
      override var identifierField: AnyField? { $id }
    }
    let program = try QueryProgram(
      ModelQuery(Odd.self, where: { $0.comma > 1 && $0.colon > 1 && $0.bracket > 1 }), in: .standard)
    let document = #"{"x,":",",":":1,"list":["y,"],":1,":2,",":3,"],":4}"#
    let record = try #require(JSONValue(json: Array(document.utf8)).objectValue)
    for slot in program.slots {
      let builder = program.columnBuilder(for: [slot.spelledKey])
      try builder.add(Array(document.utf8))
      #expect((builder.finish()[slot.spelledKey] ?? nil)?.json(0) == record[slot.spelledKey], "\(slot.key)")
    }
  }
}

/// A source of documents like records: most are JSON objects, and a few are no JSON.
private struct DocumentSource {
  private var random: RandomSource

  init(seed: UInt64) { random = RandomSource(seed: seed) }

  /// Returns some documents of a similar shape, as the records of one type have.
  ///
  /// - Returns: the documents, and whether all of them are records.
  mutating func documents() -> (texts: [String], areSound: Bool) {
    let (isSpaced, isSorted, isSpelledOtherwise) = (chance(4), !chance(4), chance(6))
    let isInvalid = chance(8)
    let texts = (0..<random.below(12) + 1).map { _ in
      document(isSpaced: isSpaced, isSorted: isSorted, isSpelledOtherwise: isSpelledOtherwise, isInvalid: isInvalid)
    }
    return (texts, !isInvalid)
  }

  private mutating func chance(_ count: Int) -> Bool { random.below(count) == 0 }

  private mutating func document(
    isSpaced: Bool, isSorted: Bool, isSpelledOtherwise: Bool, isInvalid: Bool
  ) -> String {
    var members = [
      ("id", "\(random.below(1_000))"), ("number", chance(12) ? value() : number()),
      ("weight", chance(12) ? value() : number()), ("price", chance(12) ? value() : number()),
      ("title", chance(12) ? value() : text()), ("isPaid", chance(12) ? value() : random.pick(["true", "false"])),
    ]
    if !chance(3) { members.append(("meta", object())) }
    if chance(8) { members.append(("meta.number", number())) }
    for key in ["address", "numbers", "tags", "zone"] where chance(3) { members.append((key, value())) }
    for index in members.indices where chance(10) { members[index].1 = "null" }
    while members.count > 1, chance(4) { members.remove(at: random.below(members.count)) }
    if isInvalid, chance(3), let member = members.randomElement(using: &random) { members.append(member) }
    if isSorted { members.sort { $0.0 < $1.0 } } else { members.shuffle(using: &random) }
    let written = members.map { key, value in
      let space = isSpaced ? self.space() : ""
      return space + quoted(key, isSpelledOtherwise) + (isSpaced ? self.space() + ":" + self.space() : ":") + value
        + space
    }
    var document = "{" + written.joined(separator: ",") + "}"
    if isInvalid, chance(3) { document = String(document.prefix(random.below(document.count + 1))) }
    if isInvalid, chance(3) {
      let index = document.index(document.startIndex, offsetBy: random.below(max(document.count, 1)))
      document.insert(contentsOf: random.pick(["\"", "\\", "{", "}", "[", ",", "\u{1}", "-", "9"]), at: index)
    }
    return document
  }

  private mutating func space() -> String { random.pick(["", " ", "\n", "\t  ", "\r\n"]) }

  private mutating func quoted(_ key: String, _ isSpelledOtherwise: Bool) -> String {
    guard isSpelledOtherwise, chance(3), let first = key.unicodeScalars.first else { return "\"\(key)\"" }
    return "\"\\u00" + String(first.value, radix: 16) + key.dropFirst() + "\""
  }

  private mutating func number() -> String {
    switch random.below(6) {
    case 0:
      return random.pick([
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
        "18446744073709551616", "1e400", "-1e400", "1e-400", "123456789012345678901234567890.123456789",
        "99999999999999999.99", "0.00000000000000000001",
      ])
    case 1:
      return random.pick([
        "0", "-0", "-0.0", "0.1", "1.0", "1e2", "1E+2", "10e-1", "12345678901234567", "1.2345678901234567",
        "0.30000000000000004", "-1.5",
      ])
    case 2: return "\(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random))"
    case 3: return "\(Double(Int.random(in: -99_999...99_999, using: &random)) / 100)"
    default: return "\(random.below(random.pick([10, 1_000, 10_000_000])))"
    }
  }

  private mutating func text() -> String {
    let pieces = [
      "", "a", "b", "[", "]", "{", "}", "|", ":", ",", #"\""#, #"\\"#, #"\/"#, #"\n"#, #"\u0000"#, #"\u00fc"#, "ü",
      "u\u{308}", "🧾", #"\ud83e\uddfe"#, #"\"number\":7"#, ##",\"number\":7,\""##, #"{\"title\":\"x\"}"#, "number",
      "meta", String(repeating: "long ", count: random.below(40)),
    ]
    if chance(40) { return "\"" + String(repeating: "longer ", count: 3_000) + random.pick(["", "[", #"\""#]) + "\"" }
    return "\"" + (0..<random.below(4)).map { _ in random.pick(pieces) }.joined() + "\""
  }

  private mutating func object(depth: Int = 0) -> String {
    let members = ["number", "title", "weight", "meta", "isPaid"].shuffled(using: &random)
      .prefix(random.below(4))
      .map { key in "\"\(key)\":" + (key == "number" && !chance(4) ? number() : value(depth: depth + 1)) }
    return "{" + members.joined(separator: ",") + "}"
  }

  private mutating func value(depth: Int = 0) -> String {
    switch random.below(depth > 2 ? 5 : 8) {
    case 0, 1: return text()
    case 2: return number()
    case 3: return random.pick(["null", "true", "false"])
    case 4: return random.pick(["[]", "{}", #"["number",1]"#, #"["title"]"#, #"[{"number":5}]"#])
    case 5: return "[" + (0..<random.below(4)).map { _ in value(depth: depth + 1) }.joined(separator: ",") + "]"
    default: return object(depth: depth)
    }
  }
}
