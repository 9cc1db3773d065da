import FieldKit
import Testing

@Suite struct `A JSON value` {
  @Test func `A JSON value is written down as a literal`() {
    let number = 7
    let value: JSONValue = [
      "name": "Bob \(number)", "age": 42, "height": 1.85, "active": true, "company": nil, "tags": ["red", "blue"],
      "more": [:], "none": [],
    ]
    #expect(
      value
        == .object([
          "name": .string("Bob 7"), "age": .int(42), "height": .double(1.85), "active": .bool(true), "company": .null,
          "tags": .array([.string("red"), .string("blue")]), "more": .object([:]), "none": .array([]),
        ]))
    #expect(["a": 1, "a": 2] as JSONValue == ["a": 2])
    let attributes: AttributeDictionary = ["name": "Bob"]
    #expect(attributes["name"] == "Bob")
    #expect(attributes["age"] == nil)
  }

  @Test func `A JSON value returns its content only as its own kind`() {
    let values: [JSONValue] = [nil, true, 1, 1.5, .number("1e400"), "1", [1], ["a": 1]]
    #expect(values.map(\.isNull) == [true, false, false, false, false, false, false, false])
    #expect(values.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil, nil])
    #expect(values.map(\.intValue) == [nil, nil, 1, nil, nil, nil, nil, nil])
    #expect(values.map(\.doubleValue) == [nil, nil, 1, 1.5, nil, nil, nil, nil])
    #expect(values.map(\.stringValue) == [nil, nil, nil, nil, nil, "1", nil, nil])
    #expect(values.map(\.arrayValue) == [nil, nil, nil, nil, nil, nil, [1], nil])
    #expect(values.map(\.objectValue) == [nil, nil, nil, nil, nil, nil, nil, ["a": 1]])
    #expect(values.map(\.kind) == [.null, .bool, .number, .number, .number, .string, .array, .object])
    #expect(
      values.map(\.typeDescription) == [
        "null", "a boolean", "an integer", "a number", "a number", "a string", "an array", "an object",
      ])
    #expect(JSONValue.double(2).typeDescription == "an integer")
  }

  @Test func `A JSON value is read and changed by key`() {
    var value: JSONValue = ["name": "Bob", "address": ["city": "Oslo"]]
    #expect(value["name"] == "Bob")
    #expect(value["missing"] == nil)
    #expect(value["name"]?["x"] == nil)
    value["age"] = 42
    value["name"] = nil
    value["company"] = .null
    value["address"]?["city"] = "Bergen"
    value["address"]?["street"] = "Main"
    #expect(value == ["age": 42, "company": nil, "address": ["city": "Bergen", "street": "Main"]])
    #expect(value["company"] == .null)
  }

  @Test func `Setting a member of a JSON value makes null an object, and leaves other values unchanged`() {
    var value: JSONValue = nil
    value["a"] = nil
    #expect(value == nil)
    value["a"] = 1
    #expect(value == ["a": 1])
    for original: JSONValue in ["text", 1, [1], true] {
      var value = original
      value["a"] = 1
      #expect(value == original)
    }
  }

  @Test func `A JSON value is read and changed by index`() {
    var value: JSONValue = [1, "two", [3]]
    #expect(value[0] == 1)
    #expect(value[3] == nil)
    #expect(value[-1] == nil)
    #expect(value["a"] == nil)
    value[0] = "one"
    value[2]?[0] = "three"
    #expect(value == ["one", "two", ["three"]])
    value[3] = 4
    value[9] = 9
    value[-1] = 0
    #expect(value == ["one", "two", ["three"], 4])
    value[1] = nil
    #expect(value == ["one", ["three"], 4])
    value[7] = nil
    #expect(value == ["one", ["three"], 4])
    var text: JSONValue = "text"
    text[0] = 1
    #expect(text == "text")
  }

  @Test func `A JSON value is read by dotted path`() {
    let value: JSONValue = [
      "author": ["full_name": "Nina", "books": [["title": "A"], ["title": "B"]]], "grid": [[1, 2], [3, 4]], "a[x]": 5,
      "": 6,
    ]
    #expect(value[path: "author.full_name"] == "Nina")
    #expect(value[path: "author.books[1].title"] == "B")
    #expect(value[path: "author.books.[1].title"] == "B")
    #expect(value[path: "grid[1][0]"] == 3)
    #expect(value[path: "a[x]"] == 5)
    #expect(value[path: ""] == value)
    for path in [
      "nobody", "author.nobody", "author.full_name.x", "author.books[2]", "author.books[-1]", "author[0]", "grid[0][9]",
      "grid[99999999999999999999]", "author.",
    ] {
      #expect(value[path: path] == nil, "\(path)")
    }
    #expect(([["a": 1]] as JSONValue)[path: "[0].a"] == 1)
  }

  @Test func `A JSON value is changed by dotted path, and makes the objects that are missing`() {
    var value: JSONValue = ["books": [["title": "A"]]]
    value[path: "author.address.city"] = "Oslo"
    value[path: "books[0].title"] = "B"
    value[path: "books[0].price.amount"] = 8.99
    value[path: "books[1]"] = ["title": "C"]
    #expect(
      value == [
        "author": ["address": ["city": "Oslo"]], "books": [["title": "B", "price": ["amount": 8.99]], ["title": "C"]],
      ])
    value[path: "author.address.city"] = nil
    value[path: "books[0]"] = nil
    value[path: "no.such.thing"] = nil
    #expect(value == ["author": ["address": [:]], "books": [["title": "C"]]])
    value[path: "books.title"] = "nothing replaces an array"
    value[path: "books[0].title.x"] = "nor a string"
    value[path: "list[0]"] = "nor is an array made"
    value[path: "books[7].title"] = "nor a gap"
    #expect(value == ["author": ["address": [:]], "books": [["title": "C"]]])
    value[path: ""] = 1
    #expect(value == 1)
  }

  @Test func `A JSON value of attributes is read and changed by dotted path`() {
    var attributes: AttributeDictionary = ["name": "Bob"]
    attributes[path: "company.name"] = "Acme"
    attributes[path: "name"] = nil
    #expect(attributes == ["company": ["name": "Acme"]])
    #expect(attributes[path: "company.name"] == "Acme")
    attributes[path: ""] = 1
    attributes[path: "[0]"] = 1
    #expect(attributes == ["company": ["name": "Acme"]])
  }

  @Test func `A JSON value is changed in place, however large it is`() {
    var value: JSONValue = ["list": .array(Array(repeating: 0, count: 20_000))]
    for index in 0..<20_000 { value["list"]?[index] = .int(index) }
    #expect(value["list"]?[19_999] == 19_999)
    for index in 0..<20_000 { value["\(index)"] = .int(index) }
    for index in 0..<20_000 { value["\(index)"] = nil }
    #expect(value.objectValue?.count == 1)
  }

  @Test func `The description of a JSON value is compact JSON with sorted keys`() {
    let value: JSONValue = ["b": [1, 2.5, nil], "a": "x\"y", "c": ["d": true]]
    #expect(value.description == #"{"a":"x\"y","b":[1,2.5,null],"c":{"d":true}}"#)
    #expect(value.debugDescription == value.description)
    let dictionary: AttributeDictionary = ["name": "Bob"]
    #expect("\(dictionary)" == #"["name": "Bob"]"#)
    #expect("\(JSONValue.double(.nan)) \(JSONValue.double(-.infinity))" == "nan -inf")
    #expect(JSONValue.number("1e400").debugDescription == "1e400")
  }
}
