@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

private struct Event: Codable, Equatable {
  var day: Date
  var days: [Date] = []
  var byName: [String: Date] = [:]
  var end: Date?
  var data = Data([0, 1, 255])
  var url: URL?
  var id: UUID?
  var price = Decimal(0)
  var color: Tint?
}

private enum Tint: String, Codable, CaseIterable { case red, green }

private enum Shape: Codable, Equatable {
  case circle(radius: Double)
  case polygon([Int])
}

private class Animal: Codable {
  var name = "Rex"
}

private final class Dog: Animal {
  var breed = "Collie"
  enum CodingKeys: CodingKey { case breed }
  init(named name: String) {
    super.init()
    self.name = name
  }
  required init(from decoder: any Decoder) throws {
    breed = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .breed)
    try super.init(from: decoder.container(keyedBy: CodingKeys.self).superDecoder())
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(breed, forKey: .breed)
    try super.encode(to: container.superEncoder())
  }
}

/// Encodes lists, nested containers and single values by hand.
private struct Matrix: Codable, Equatable {
  var rows: [[Int?]]
  init(rows: [[Int?]]) { self.rows = rows }
  init(from decoder: any Decoder) throws {
    var outer = try decoder.unkeyedContainer()
    rows = []
    while !outer.isAtEnd {
      var inner = try outer.nestedUnkeyedContainer()
      var row: [Int?] = []
      while !inner.isAtEnd {
        if try inner.decodeNil() { row.append(nil) } else { row.append(try inner.decode(Int.self)) }
      }
      rows.append(row)
    }
  }
  func encode(to encoder: any Encoder) throws {
    var outer = encoder.unkeyedContainer()
    for row in rows {
      var inner = outer.nestedUnkeyedContainer()
      for number in row { if let number { try inner.encode(number) } else { try inner.encodeNil() } }
    }
  }
}

/// A number or a text, tried one after the other.
private enum Either: Codable, Equatable {
  case number(Int)
  case text(String)
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do { self = .number(try container.decode(Int.self)) } catch DecodingError.typeMismatch {
      self = .text(try container.decode(String.self))
    }
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}

@Suite struct `A Codable value` {
  private func again<Value: Codable>(_ value: Value, in context: ValueTransformerContext = .standard) throws -> Value? {
    let field = Field<Value>()
    try field.read(#require(try Field(value).written(in: context)), in: context)
    return field.value
  }

  @Test(
    arguments: [
      (["day": 0], "day: expected an ISO 8601 time such as 2024-03-05T10:00:00Z, found 0"),
      (
        ["day": "2024-03-05", "days": ["2024-03-05", "x"]],
        #"days[1]: expected an ISO 8601 time such as 2024-03-05T10:00:00Z, found the string "x""#
      ),
      (["days": []], "day: expected a value, found nothing"),
      (["day": nil], "day: expected an ISO 8601 time such as 2024-03-05T10:00:00Z, found null"),
      ([1], "expected an object, found a list of 1 element"),
    ] as [(JSONValue, String)])
  func `A Codable value reports the path and the expected kind of a bad member`(json: JSONValue, message: String) {
    let field = Field<Event>()
    let error = #expect(throws: ValueTransformError.self) { try field.read(json) }
    #expect(error?.description == message)
    #expect(field.isUnset)
  }

  @Test func `A Codable value lists the cases of an enumeration inside of it`() throws {
    var json = try #require(try Field(Event(day: Date(timeIntervalSince1970: 0))).written())
    json["color"] = "black"
    let error = #expect(throws: ValueTransformError.self) { try Field<Event>().read(json) }
    #expect(error?.description == "color: expected one of red, green, found the string \"black\"")
  }

  @Test func `A Codable value cuts no digits of a decimal inside of it`() throws {
    var json = try #require(try Field(Event(day: Date(timeIntervalSince1970: 0))).written())
    json["price"] = .number("1234567890123456789012345678901234567890.5")
    let error = #expect(throws: ValueTransformError.self) { try Field<Event>().read(json) }
    #expect(error?.path == "price")
  }

  @Test func `A Codable value writes its members like fields of their types`() throws {
    let event = Event(
      day: Date(timeIntervalSince1970: 0), days: [Date(timeIntervalSince1970: 0.5)],
      byName: ["x": Date(timeIntervalSince1970: 1)], url: URL(string: "https://example.com/a?b#c"),
      id: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
      price: Decimal(string: "12.345678901234567890123") ?? 0,
      color: .green)
    #expect(
      try Field(event).written() == [
        "day": "1970-01-01T00:00:00Z", "days": ["1970-01-01T00:00:00.500Z"], "byName": ["x": "1970-01-01T00:00:01Z"],
        "data": "AAH/", "url": "https://example.com/a?b#c", "id": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
        "price": .number("12.345678901234567890123"), "color": "green",
      ])
    #expect(try again(event) == event)
  }

  @Test func `A Codable value follows the transformers and the leniency of the context`() throws {
    var context = ValueTransformerContext(decoding: .lenient)
    context.transform(Date.self, with: DateTransformer(format: "dd.MM.yyyy"))
    let event = Event(day: Date(timeIntervalSince1970: 0), end: Date(timeIntervalSince1970: 86_400))
    let json = try #require(try Field(event).written(in: context))
    #expect(json["day"] == "01.01.1970")
    #expect(json["end"] == "02.01.1970")
    #expect(try again(event, in: context) == event)
    var text = json
    text["price"] = "1.5"
    let field = Field<Event>()
    try field.read(text, in: context)
    #expect(field.value?.price == 1.5)
    let error = #expect(throws: ValueTransformError.self) { try field.read(["day": "1970-01-01"], in: context) }
    #expect(error?.description == "day: expected a date as dd.MM.yyyy, found the string \"1970-01-01\"")
  }

  @Test func `A Codable value may be of any shape`() throws {
    #expect(try again(Shape.circle(radius: 1.5)) == .circle(radius: 1.5))
    #expect(try again(Shape.polygon([1, 2])) == .polygon([1, 2]))
    #expect(try Field(Shape.polygon([1])).written() == ["polygon": ["_0": [1]]])
    let matrix = Matrix(rows: [[1, nil], [], [3]])
    #expect(try Field(matrix).written() == [[1, nil], [], [3]])
    #expect(try again(matrix) == matrix)
    #expect(try again([Either.number(1), .text("x")]) == [.number(1), .text("x")])
    #expect(try Field([Either.number(1), .text("x")]).written() == [1, "x"])
    #expect(try again(Set([1, 2, 3])) == [1, 2, 3])
    #expect(try again([1: "a", 2: "b"]) == [1: "a", 2: "b"])
    let dog = try #require(try again(Dog(named: "Bo")))
    #expect(dog.name == "Bo")
    #expect(dog.breed == "Collie")
  }

  @Test func `A Codable value reports the path of a list inside it that is too short or has a bad element`() {
    struct Pair: Codable {
      var left: Int
      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        _ = try list.decode(Int.self)
        left = try list.decode(Int.self)
      }
    }
    let short = #expect(throws: ValueTransformError.self) { try Field<[String: Pair]>().read(["p": [1]]) }
    #expect(short?.description == "p[1]: expected a value, found the end of the list")
    let wrong = #expect(throws: ValueTransformError.self) { try Field<Matrix>().read([[1], [2, true]]) }
    #expect(wrong?.description == "[1][1]: expected an integer, found true")
  }

  @Test func `An error that a Codable type throws is the cause of the reported error`() {
    struct Never: Error {}
    struct Stubborn: Codable {
      init() {}
      init(from decoder: any Decoder) throws { throw Never() }
      func encode(to encoder: any Encoder) throws { throw Never() }
    }
    let reading = #expect(throws: ValueTransformError.self) { try Field<[Stubborn]>().read([1]) }
    #expect(reading?.description == "[0]: expected Stubborn (Never()), found 1")
    #expect(reading?.cause is Never)
    let writing = #expect(throws: ValueTransformError.self) { try Field(["a": Stubborn()]).written() }
    #expect(writing?.path == "a")
    #expect(writing?.cause is Never)
  }

  @Test func `A Codable value may have members that can only be written, and many of them`() throws {
    struct Line: Encodable { var text = "x" }
    struct Page: Codable {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: KeyedBy.self)
        try container.encode([Line(), Line()], forKey: .lines)
        try container.encode(["a": Line()], forKey: .named)
      }
      enum KeyedBy: CodingKey { case lines, named }
    }
    #expect(try Field(Page()).written() == ["lines": [["text": "x"], ["text": "x"]], "named": ["a": ["text": "x"]]])
    let numbers = Set(0..<50_000)
    #expect(try again(numbers) == numbers)
    let names = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ($0, "\($0)") })
    #expect(try again(names) == names)
  }

  @Test func `Equal sets and dictionaries are written as the same sorted list`() throws {
    struct Plan: Codable, Equatable {
      var tags: Set<String> = ["b", "d", "a", "c", "e"]
      var counts: [Tint: [Set<Int>]] = [.red: [[9, 10, 100, -1, 1]], .green: []]
    }
    let json: JSONValue = ["tags": ["a", "b", "c", "d", "e"], "counts": ["green", [], "red", [[-1, 1, 9, 10, 100]]]]
    #expect(try Field(Plan()).written() == json)
    #expect(try again(Plan()) == Plan())
    #expect(try Field(Set([[3], [1, 2], [1]])).written() == [[1, 2], [1], [3]])
    let error = #expect(throws: ValueTransformError.self) { try Field<Plan>().read(["tags": ["a", 1], "counts": []]) }
    #expect(error?.description == "tags[1]: expected a string, found 1")
    let keys = Dictionary(uniqueKeysWithValues: (0..<50).map { (UUID(), $0) })
    var grown = keys
    grown.reserveCapacity(1_000)
    #expect(try Field(keys).written() == Field(grown).written())
  }

  @Test func `A Codable value that can't be written reports the path`() {
    struct Size: Codable { var width = [1.0, .nan] }
    let error = #expect(throws: ValueTransformError.self) { try Field(["size": Size()]).written() }
    #expect(error?.description == "size.width[1]: expected a finite number, found nan")
  }

  @Test func `A Codable value reports the data that its own decoding found corrupt`() {
    struct Even: Codable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "odd")
      }
    }
    let error = #expect(throws: ValueTransformError.self) { try Field<[Even]>().read([3]) }
    #expect(error?.description == "[0]: expected Even (odd), found 3")
  }
}
