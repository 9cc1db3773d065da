import Foundation
import ModelKit
import Testing

/// A text that is far too long for a message, on several lines.
private let long = "a\n\u{7}b\u{202E}" + String(repeating: "x", count: 300_000)

/// Mistakes with values, keys and identifiers of any length.
private struct LongMistake: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let mistake: @Sendable () async throws -> Void

  init(_ name: String, _ mistake: @escaping @Sendable () async throws -> Void) {
    testDescription = name
    self.mistake = mistake
  }

  static let all: [LongMistake] = [
    LongMistake("a text where a number is due") {
      try Field<Int>(key: "age").read(from: ["age": .string(long)])
    },
    LongMistake("a number with many digits") {
      let digits = String(repeating: "9", count: 300_000)
      try Field<Int>(key: "age").read(from: ["age": JSONValue(json: digits)])
    },
    LongMistake("a combination of many marks") {
      let marks = "e" + String(repeating: "\u{301}", count: 100_000)
      try Field<Int>(key: "age").read(from: ["age": .string(marks)])
    },
    LongMistake("a long key") { try Field<Int>(key: long).read(from: [long: "x"]) },
    LongMistake("a long key in an object") {
      try Field<[String: Int]>(key: "ages").read(from: ["ages": [long: "x"]])
    },
    LongMistake("a deep path") {
      var json: JSONValue = "x"
      for _ in 0..<200 { json = ["key": json] }
      _ = try Nested.from(dictionaryValue: ["value": json])
    },
    LongMistake("a value that its transformer refuses") {
      let field = Field<String>(key: "name").transform(
        importValue: { _ in throw Reported(long) }, exportValue: { _ in throw Reported(long) })
      try field.read(from: ["name": .string(long)])
    },
    LongMistake("a value that its transformer does not write") {
      let field = Field<String>(long, key: "name").transform(
        importValue: { _ in nil }, exportValue: { _ in throw Reported(long) })
      var dictionary: AttributeDictionary = [:]
      try field.write(to: &dictionary)
    },
    LongMistake("a value that a custom type rejects") {
      try Field<Refusing>(key: "name").read(from: ["name": .string(long)])
    },
    LongMistake("a long name of a field") {
      let field: AnyField = Field<Int>(name: long)
      try field.set(anyValue: "x")
    },
    LongMistake("a long name of a field without a key") { try Field<Int>(name: long).read(from: [:]) },
    LongMistake("a long text in a model") { _ = try Author.from(dictionaryValue: ["age": .string(long)]) },
    LongMistake("a long case of an enumeration") { _ = try Author.from(dictionaryValue: ["genre": .string(long)]) },
    LongMistake("a long path of a list") { _ = try Author.list(fromJSON: Data("{}".utf8), at: long) },
    LongMistake("a long path") { try Author("Jane").set(7, at: FieldPath(long)) },
    LongMistake("a long path to another value") { try Author("Jane").set(7, at: FieldPath("books[7]." + long)) },
    LongMistake("a long key of a relation") { try Author("Jane").add(Book("Emma"), forKey: long) },
    LongMistake("a long key of a field to add") {
      let author = Author("Jane")
      try author.add(field: Field<Int>(key: long))
      try author.add(field: Field<Int>(key: long))
    },
    LongMistake("a condition that is none") {
      _ = try ModelQuery<Author>(json: ["type": .string(Author.typeName), "where": .string(long)])
    },
    LongMistake("a query for another type") { _ = try ModelQuery<Author>(json: ["type": .string(long)]) },
    LongMistake("an identifier that is not there") {
      _ = try await MemoryModelStore().lookup(Firm.self, identifier: long)
    },
    LongMistake("an identifier that is taken") {
      let store = MemoryModelStore()
      for _ in 1...2 {
        let firm = Firm()
        firm.id.value = long
        try await store.create(firm)
      }
    },
    LongMistake("identifiers that deny a deletion") {
      let store = MemoryModelStore()
      let firm = Firm()
      firm.id.value = long
      try await store.create(firm)
      for _ in 1...5 {
        let debt = Debt()
        debt.firm.value = firm
        try await store.create(debt)
      }
      try await store.delete(firm)
    },
    LongMistake("a stored value that can't be read") {
      let store = MemoryModelStore()
      try await store.create(Author(id: 7, long))
      _ = try await MemoryModelStore(store.handle).list(NumberedAuthor.self)
    },
    LongMistake("rules broken by many elements") {
      let model = ManyRules()
      model.tags.value = Array(repeating: "", count: 10_000)
      model.text.value = "x"
      try await MemoryModelStore().create(model)
    },
    LongMistake("a stream with a long value") {
      let data = try Data(JSONValue.array([["age": .string(long)]]).jsonData())
      let chunks = AsyncStream<Data> { continuation in
        continuation.yield(data)
        continuation.finish()
      }
      for try await _ in Author.stream(fromJSON: chunks) {}
    },
    LongMistake("two models with a long identifier") {
      let scope = ModelScope()
      var reported: [String] = []
      scope.conflictHandler = { reported.append($0.description) }
      let models = [
        try Firm.from(dictionaryValue: ["id": .string(long)], in: scope), Firm.with(identifier: "8", in: scope),
      ]
      models[1].id.value = long
      throw Reported(reported.joined())
    },
  ]
}

private struct Refusing: JSONConvertible, Sendable {
  init(json: JSONValue) throws { throw Reported(json) }
  var json: JSONValue { "" }
}

private final class Nested: Model {
  let value = Field<Deep>()
}

/// Objects inside each other, of which the innermost is no object.
private indirect enum Deep: Codable, Sendable {
  case next(Deep), end
  private enum Key: CodingKey { case key }
  init(from decoder: any Decoder) throws {
    self = .next(try decoder.container(keyedBy: Key.self).decode(Deep.self, forKey: .key))
  }
  func encode(to encoder: any Encoder) throws {}
}

private final class ManyRules: Model {
  let id = Field<Int>()
  let tags = Field<String>().require(.notBlank)*
  let text = Field<String>().require(.oneOf(Array(repeating: String(repeating: "y", count: 100), count: 1_000)))
  override var identifierField: AnyField? { id }
}

@Suite struct `The text of an error about something very long` {
  @Test(arguments: LongMistake.all)
  fileprivate func `The text of an error about something very long stays short and on one line`(row: LongMistake) async
  {
    let error = await #expect(throws: (any Error).self) { try await row.mistake() }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.unicodeScalars.count < 1_000)
    #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{202E}" }, "\(text)")
  }
}
