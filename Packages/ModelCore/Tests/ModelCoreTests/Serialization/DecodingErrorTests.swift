import Foundation
import ModelCore
import Testing

private enum Color: String, CaseIterable {
  case red, green
}

private final class Event: Model {
  let id = Field<Int>(key: "meta.id")
  let title = Field<String>(key: "event_title")
  let isPublic = Field<Bool>()
  let price = Field<Double>()
  let seats = Field<Int8>()
  let tags = Field<String>()*
  let day = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let days = ArrayField(Field<Date>().transform(with: .date(format: "yyyy-MM-dd")))
  let color = EnumField<Color>()
  let host = ModelField<Author>()
  let guests = ModelField<Author>()*
  let album = ModelField<Album>(foreignKey: true)
  let order = ModelField<Order>()
  let custom = Field<Int>().transform(
    importValue: { _ in throw CocoaError(.fileNoSuchFile) }, exportValue: { .int($0) })
  override var identifierField: AnyField? { id }
}

@Suite struct `An error of reading` {
  private func message(_ dictionary: AttributeDictionary) -> String? {
    let error = #expect(throws: ModelDecodingError.self) { try Event.from(dictionaryValue: dictionary) }
    return error?.description
  }

  private static let cases: [(AttributeDictionary, String)] = [
    (["meta": ["id": "x"]], #"meta.id: expected an integer, found the string "x""#),
    (["event_title": 5], "event_title (title): expected a string, found 5"),
    (["isPublic": 1], "isPublic: expected true or false, found 1"),
    (["price": "cheap"], #"price: expected a number, found the string "cheap""#),
    (["seats": 1.5], "seats: expected an integer, found 1.5"),
    (["seats": 300], "seats: expected an integer between -128 and 127, found 300"),
    (["tags": "x"], #"tags: expected a list, found the string "x""#),
    (["tags": ["a", "b", 3]], "tags[2]: expected a string, found 3"),
    (["day": "2024-02-30"], #"day: expected a date as yyyy-MM-dd, found the string "2024-02-30""#),
    (["days": ["2024-02-28", "x"]], #"days[1]: expected a date as yyyy-MM-dd, found the string "x""#),
    (["color": "blue"], #"color: expected one of red, green, found the string "blue""#),
    (["host": [1]], "host: expected an object or an identifier, found a list of 1 element"),
    (["host": true], "host: expected an object or an identifier, found true"),
    (["host": ["name": 1]], "host.name: expected a string, found 1"),
    (["guests": ["name": "Ada"]], "guests: expected a list, found an object"),
    (["guests": [["name": "Ada"], nil]], "guests[1]: expected an object or an identifier, found null"),
    (
      ["guests": [["books": [["title": "A"], ["year": 1.5]]]]],
      "guests[0].books[1].year: expected an integer, found 1.5"
    ),
    (["album": "x"], #"album: expected the identifier of Album, found the string "x""#),
    (["album": [1, 2]], "album: expected an identifier, found a list of 2 elements"),
    (["order": 5], "order: expected the identifier of Order, found 5"),
  ]

  @Test(arguments: cases)
  func `An error of reading has the path, the expected value and the value found`(
    dictionary: AttributeDictionary, text: String
  ) {
    #expect(message(dictionary) == text)
  }

  @Test func `An error of a transformer of its own has the path, too`() {
    let text = message(["custom": 1])
    #expect(text?.hasPrefix("custom: expected a value its transformer accepts, found 1, which it rejects (") == true)
  }

  @Test func `An error of reading in a list begins with the path of the list`() {
    let json = Data(#"{"authors": [{}, {}, {}, {"books": [{"year": "MCM"}]}]}"#.utf8)
    let error = #expect(throws: ModelDecodingError.self) { try Author.list(fromJSON: json, at: "authors") }
    #expect(error?.path == "authors[3].books[0].year")
    #expect(error?.description == #"authors[3].books[0].year: expected an integer, found the string "MCM""#)
  }

  @Test func `An error of reading a list has the index of an element that is not an object`() {
    let error = #expect(throws: ModelDecodingError.self) { try Author.list(fromJSON: Data("[{}, 1]".utf8)) }
    #expect(error?.description == "[1]: expected an object, found 1")
  }

  @Test func `An error of reading concerns the document if that is not an object`() {
    let error = #expect(throws: ModelDecodingError.self) { try Author.from(json: Data("[1, 2]".utf8)) }
    #expect(error?.description == "expected an object, found a list of 2 elements")
    #expect(error?.path == "")
  }

  @Test func `An error of reading follows the case of the context's keys`() {
    let scope = ModelScope(transformers: ValueTransformerContext(keyCase: .snake))
    let error = #expect(throws: ModelDecodingError.self) {
      try Event.from(dictionaryValue: ["is_public": 1], in: scope)
    }
    #expect(error?.path == "is_public")
    #expect(error?.property == "isPublic")
    #expect(error?.description == "is_public (isPublic): expected true or false, found 1")
  }

  @Test func `Errors of reading and of rules name the key and the property where they differ`() {
    final class Ticket: Model {
      let seat = Field<String>(key: "seat_name").require(.notBlank)
      let rows = ArrayField(Field<Int>(), key: "row_numbers")
      let gate = Field<String>(name: "Gate", key: "gate_name").require(.notBlank)
      let note = Field<String>().require(.notBlank)
    }
    var issues: [String] = []
    let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient))
    scope.decodingIssueHandler = { issues += $0.map(\.description) }
    let json = Data(#"{"seat_name": [], "row_numbers": [1, {}]}"#.utf8)
    let ticket = try? Ticket.from(json: json, in: scope)
    #expect(
      issues.sorted() == [
        "row_numbers[1] (rows): expected an integer, found an object",
        "seat_name (seat): expected a string, found a list of 0 elements",
      ])
    ticket?.validate()
    #expect(
      ticket?.validationErrors.map(\.description) == [
        "seat_name (seat) could not be read: expected a string, found a list of 0 elements",
        "Gate cannot be blank", "note cannot be blank",
      ])
    #expect(ticket?.validationErrors.map(\.property) == ["seat", "gate", "note"])
  }

  @Test func `An error of reading can be converted to the path in an outer document`() {
    let error = ModelDecodingError(path: "name", expected: "a string", found: "7", position: 12)
    #expect(error.inside("people[2]").description == "people[2].name: expected a string, found 7 (at byte 12)")
  }

  @Test(arguments: [
    "", "{", #"{"name": }"#, #"{"name": "Ada"} x"#, "nope",
  ])
  func `Invalid JSON throws a syntax error`(json: String) {
    #expect(throws: JSONSyntaxError.self) { try Author.from(json: Data(json.utf8)) }
  }

  @Test func `A syntax error has line and column`() {
    let error = #expect(throws: JSONSyntaxError.self) {
      try Author.from(json: Data("{\n  \"name\": ?\n}".utf8))
    }
    #expect(error?.line == 2)
    #expect(error?.column == 11)
  }

  @Test func `A missing list at a path is an error`() {
    let error = #expect(throws: JSONSyntaxError.self) {
      try Author.list(fromJSON: Data(#"{"writers": []}"#.utf8), at: "authors")
    }
    #expect(error?.code == .missingArray)
  }
}
