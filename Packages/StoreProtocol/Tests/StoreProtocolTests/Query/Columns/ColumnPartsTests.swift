@_spi(ModelKitInternals) import FieldKit
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

/// Parts of a scan build columns of their own, which are joined.
@Suite struct `Columns of parts` {
  final class Row: Model {
    @Field var id: Int?
    @Field var number: Int?
    @Field var weight: Double?
    @Field var text: String?
    @Field var flag: Bool?
    override var identifierField: AnyField? { $id }
  }

  private let keys = ["number", "weight", "text", "flag"]

  private func program() throws -> QueryProgram<Row> {
    try QueryProgram(
      ModelQuery(Row.self, where: { $0.number > 1 && $0.weight > 1 && $0.text != "" && $0.flag == true }),
      in: .standard)
  }

  private func columns(of builder: ColumnTableBuilder) throws -> [[JSONValue]] {
    let columns = builder.finish()
    return try keys.map { key in
      let column = try #require(columns[key] ?? nil)
      return (0..<column.count).map { column.json($0) }
    }
  }

  /// Texts of few and of many values are kept in different ways, and a part can have only nil.
  private func record(_ random: inout RandomSource, distinctCount: Int, nilShare: Int) -> String {
    func value(_ random: inout RandomSource, _ text: String) -> String {
      random.below(100) < nilShare ? "null" : text
    }
    let number = value(&random, "\(random.next() >> random.next() % 64 >> 1)")
    let weight = value(&random, "\(Double(random.below(1_000)) / 8)")
    let text = value(&random, "\"t\(random.below(distinctCount))\(random.pick(["", "ü", #"\n"#]))\"")
    let flag = value(&random, random.pick(["true", "false"]))
    return #"{"flag":\#(flag),"number":\#(number),"text":\#(text),"weight":\#(weight)}"#
  }

  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `Columns of parts are those of all records`(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let program = try program()
    let whole = program.columnBuilder(for: keys)
    let joined = program.columnBuilder(for: keys)
    for part in 0..<random.below(5) + 1 {
      let builder = part == 0 ? joined : program.columnBuilder(for: keys)
      let distinctCount = random.pick([3, 2_000, 40_000])
      let nilShare = random.pick([0, 0, 10, 100])
      for _ in 0..<random.pick([0, 1, 60, 3_000]) {
        let record = Array(record(&random, distinctCount: distinctCount, nilShare: nilShare).utf8)
        try whole.add(record)
        try builder.add(record)
      }
      if part > 0 { joined.append(builder) }
    }
    #expect(try columns(of: joined) == columns(of: whole))
  }

  @Test func `Numbers of texts and bytes of texts are joined in any order`() throws {
    var random = RandomSource(seed: 7)
    for counts in [[10, 9_000], [9_000, 10], [3_000, 3_000], [9_000, 9_000], [0, 9_000], [9_000, 0, 9_000, 10]] {
      let program = try program()
      let whole = program.columnBuilder(for: keys)
      let joined = program.columnBuilder(for: keys)
      for (part, count) in counts.enumerated() {
        let builder = part == 0 ? joined : program.columnBuilder(for: keys)
        for number in 0..<count {
          let text = random.below(9) == 0 ? "null" : "\"\(part % 2):\(number)\""
          let record = Array(#"{"flag":true,"number":\#(number),"text":\#(text),"weight":0.5}"#.utf8)
          try whole.add(record)
          try builder.add(record)
        }
        if part > 0 { joined.append(builder) }
      }
      #expect(try columns(of: joined) == columns(of: whole), "\(counts)")
    }
  }

  @Test(arguments: [0, 1, 2])
  func `A value that can't be stored in the column of a part has none in the whole`(place: Int) throws {
    let program = try program()
    let builders = try (0..<3).map { part in
      let builder = program.columnBuilder(for: keys)
      try builder.add(Array(#"{"number":\#(part == place ? #""one""# : "1"),"text":"t"}"#.utf8))
      return builder
    }
    for next in builders.dropFirst() { builders[0].append(next) }
    #expect(builders[0].isImpossible)
    #expect(builders[0].finish().keys.sorted() == ["number"])
  }
}
