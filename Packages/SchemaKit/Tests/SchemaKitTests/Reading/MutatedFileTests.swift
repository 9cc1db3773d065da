import Foundation
import SchemaKit
import Testing

/// A random number generator that repeats its sequence for a seed.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

@Suite struct `A model file that was damaged` {
  private static let originals = [
    AuthorsModel.second, AuthorsModel.third, `A model file`.everything, `Generated Swift source`.shop,
    `Generated Swift source`.drawing,
  ]

  private static let tokens = [
    "<", ">", "/>", "</entity>", "<entity name=\"X\">", "\"", "&", "&lt;", "&#0;", "&#10;", "]]>", "<![CDATA[", "<!--",
    "YES", "-9223372036854775809", "1e999", "nan", "name=\"\"", "parentEntity=\"Item\"", "toMany=\"YES\"", "\u{0}",
    "\u{FEFF}", "é", "jsonKeyPath", "a..b", "[0]", "attributeType=\"Composite\" compositeName=\"Extent\"", "<composite",
  ]

  private static func damaged(_ original: String, by generator: inout SeededGenerator) -> Data {
    var bytes = Array(original.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let start = Int.random(in: 0..<bytes.count, using: &generator)
      let end = min(bytes.count, start + Int.random(in: 1...60, using: &generator))
      let other = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: bytes[start] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.removeSubrange(start..<end)
      case 2: bytes.insert(contentsOf: Array(bytes[start..<end]), at: other)
      case 3: bytes.insert(contentsOf: (tokens.randomElement(using: &generator) ?? "").utf8, at: start)
      case 4: if start > 20 { bytes.removeSubrange(start...) }
      default: swapValues(in: &bytes, start, other)
      }
      if bytes.isEmpty { bytes = [UInt8(ascii: "<")] }
    }
    return Data(bytes)
  }

  /// Swaps the contents of the next two pairs of quotation marks, so that most results are well-formed.
  private static func swapValues(in bytes: inout [UInt8], _ first: Int, _ second: Int) {
    func value(after start: Int) -> Range<Int>? {
      guard let open = bytes[start...].firstIndex(of: UInt8(ascii: "\"")),
        let close = bytes[(open + 1)...].firstIndex(of: UInt8(ascii: "\""))
      else { return nil }
      return open + 1..<close
    }
    guard let one = value(after: min(first, second)), let two = value(after: max(first, second)),
      one.upperBound <= two.lowerBound
    else { return }
    let (left, right) = (Array(bytes[one]), Array(bytes[two]))
    bytes.replaceSubrange(two, with: left)
    bytes.replaceSubrange(one, with: right)
  }

  @Test(arguments: originals.indices) func `A damaged model file is rejected or gives a usable schema`(index: Int)
    throws
  {
    let original = Self.originals[index]
    let first = try AuthorsModel.schema(original)
    var generator = SeededGenerator(state: UInt64(index))
    var readCount = 0
    for round in 0..<60 {
      let data = Self.damaged(original, by: &generator)
      let schema: CoreDataSchema
      do {
        schema = try CoreDataSchema(contents: data)
      } catch {
        let refusal = try #require(error as? SchemaFileError, "round \(round)")
        #expect(!refusal.message.isEmpty && (refusal.line ?? 1) >= 1)
        continue
      }
      readCount += 1
      let again = try CoreDataSchema(contents: Data(schema.contents.utf8))
      #expect(again == schema, "round \(round)")
      #expect(again.differences(from: schema) == [])
      for difference in schema.differences(from: first) { #expect(!difference.description.isEmpty) }
      for issue in schema.check() + schema.notes { #expect(issue.line.map { $0 >= 1 } == true, "\(issue)") }
      for entity in schema.entities.prefix(2) { use(entity, of: schema) }
    }
    #expect(readCount >= 4)
  }

  /// Generates source and a model, or gets an error.
  private func use(_ entity: CoreDataSchema.Entity, of schema: CoreDataSchema) {
    _ = try? schema.swiftSource(for: entity.name)
    _ = try? schema.swiftFiles(for: entity.name)
    let json: AttributeDictionary = ["id": 1, "title": "x", "books": [["book_id": "7"]], "size": "4", "code": nil]
    guard let model = try? DynamicModel(entity: entity.name, in: schema, dictionaryValue: json) else { return }
    _ = model.validate()
    #expect(!model.dictionaryValue.keys.contains(""))
    _ = try? model.jsonData()
  }
}
