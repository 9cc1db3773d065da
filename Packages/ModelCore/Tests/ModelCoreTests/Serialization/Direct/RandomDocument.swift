import Foundation
import ModelCore

/// A generator of JSON for the models of the tests, with occasional errors.
struct RandomDocument {
  var random: SeededGenerator
  /// The number of values of a wrong type, in a thousand.
  var mistakes = 4

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func chance(_ thousandths: Int) -> Bool { Int.random(in: 0..<1000, using: &random) < thousandths }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  // MARK: Documents

  mutating func list(of type: any Model.Type) -> String {
    var text =
      "[" + (0..<number(0...5)).map { _ in object(of: type, depth: 0) }.joined(separator: pick([",", " ,\n "])) + "]"
    if chance(15) { text.removeLast() }
    if chance(10) { text += pick(["x", " ", ",", "[]"]) }
    if chance(10), let index = text.indices.randomElement(using: &random) { text.remove(at: index) }
    return text
  }

  mutating func object(of type: any Model.Type, depth: Int) -> String {
    if chance(mistakes) { return pick(["null", "1", "\"x\"", "[]", "true"]) }
    var members: [String] = []
    for (key, value) in membersInOrder(of: type, depth: depth) where !chance(180) {
      members.append("\(spelled(key)):\(pick(["", "", " ", "\n"]))\(chance(mistakes) ? mistake() : value)")
      if chance(25) { members.append("\(spelled(key)):\(value)") }
    }
    if chance(60) { members.append("\"unknown\": [1, {\"a\": null}]") }
    if chance(40) {
      members.append("\"extra\": \(pick(["null", "1.10", "123456789012345678901", "{\"z\": 1}", "\"x\""]))")
    }
    if chance(300) { members.shuffle(using: &random) }
    return "{" + members.joined(separator: pick([",", ",", ", ", " ,\n"])) + pick(["", " "]) + "}"
  }

  private mutating func spelled(_ key: String) -> String {
    if chance(20), let first = key.unicodeScalars.first {
      let hex = String(first.value, radix: 16)
      return "\"\\u" + String(repeating: "0", count: 4 - hex.count) + hex + key.dropFirst() + "\""
    }
    return "\"\(key)\""
  }

  private mutating func mistake() -> String {
    pick(["null", "true", "1.5", "\"x\"", "[]", "{}", "[null]", "[[1]]", "1e400", "99999999999999999999", "-"])
  }

  // MARK: Members

  private mutating func membersInOrder(of type: any Model.Type, depth: Int) -> [(String, String)] {
    let id = ("id", "\(number(1...4))")
    switch type {
    case is Author.Type: return [id, ("name", text()), ("books", related(Book.self, depth, isList: true))]
    case is Book.Type:
      return [id, ("title", text()), ("year", "\(number(1900...1903))"), ("author", related(Author.self, depth))]
    case is Person.Type:
      return [
        id, ("name", text()), ("parent", related(Person.self, depth)),
        ("children", related(Person.self, depth, isList: true)), ("spouse", related(Person.self, depth)),
        ("friends", related(Person.self, depth, isList: true)),
      ]
    case is Album.Type: return [id, ("title", text()), ("tracks", pick(["[\"1\", \"2\"]", "[]", "[3]", "null"]))]
    case is Track.Type:
      return [("id", "\"\(number(1...4))\""), ("title", text()), ("album", pick(["1", "\"2\"", "null", "3"]))]
    case is Shape.Type:
      return [
        id, ("kind", pick(["\"circle\"", "\"square\"", "\"other\"", "\"author\"", "null"])), ("radius", "1.5"),
        ("side", "2"),
      ]
    case is Drawing.Type: return [("title", text()), ("shapes", related(Shape.self, depth, isList: true))]
    case is Order.Type:
      return [
        ("number", "\(number(1...3))"), ("customer", related(Author.self, depth)),
        ("items", related(Book.self, depth, isList: true)),
      ]
    case is Watcher.Type: return [id, ("name", text())]
    case is Crossing.Type:
      return [
        ("code", "\"\(number(1...3))\""), ("zeta", related(Author.self, depth)), ("alpha", related(Author.self, depth)),
        ("note", text()), ("hidden", text()), ("books", pick(["[1, 2]", "[4]", "[]"])),
      ]
    case is Dotted.Type:
      return [
        ("meta", "{\"id\": \(number(1...3))}"),
        ("titles", pick(["{\"main\": \"T\"}", "{\"main\": \"T\", \"sub\": [1]}", "null", "5", "{}"])),
        ("writer", related(Author.self, depth)), ("inner", related(Sampler.self, depth)),
      ]
    default: return samplerMembers(id, depth)
    }
  }

  private mutating func samplerMembers(_ id: (String, String), _ depth: Int) -> [(String, String)] {
    [
      id, ("text", text()), ("first_name", text()), ("firstName", text()), ("count", "\(number(-3...9))"),
      ("ratio", pick(["1", "-0", "-0.0", "0.1", "1e3", "123456789012345678", "0.30000000000000004"])),
      ("isOn", pick(["true", "false"])), ("is_on", pick(["true", "false"])),
      ("tags", pick(["[]", "[\"a\", \"b\"]", "[\"\\u0061\"]"])), ("numbers", pick(["[]", "[1, 2.0]", "[1e2]"])),
      ("plainTags", pick(["[]", "[\"é\"]"])), ("uniqueTags", pick(["[]", "[\"a\", \"a\", \"b\"]"])),
      ("limited", "\(number(-5...15))"), ("limitedTags", "[\(number(-5...15)), 3]"),
      ("small", "\(number(0...127))"), ("day", "\"2024-03-0\(number(1...9))\""),
      ("moment", "\"2024-03-05T10:00:0\(number(0...9))Z\""), ("uuid", "\"7D444840-9DC0-11D1-B245-5FFDCE74FAD2\""),
      ("suit", pick(["\"hearts\"", "\"spades\""])), ("negated", "\(number(0...3))"),
      ("json", pick(["{\"b\": [1, null], \"a\": 2.5}", "3", "\"x\""])), ("map", pick(["{}", "{\"z\": 1, \"a\": 2}"])),
      ("ruled", pick(["\"\"", "\"ok\""])), ("next", related(Sampler.self, depth)),
      ("others", related(Sampler.self, depth, isList: true)),
    ].map { chance(40) ? ($0.0, "null") : $0 }
  }

  private mutating func text() -> String {
    pick([
      "\"Ada\"", "\"Bob\"", "\"\"", "\"a \\\"quote\\\" / \\n\"", "\"Zürich und noch viel mehr\"", "\"\\ud83d\\ude00\"",
    ])
  }

  private mutating func related(_ type: any Model.Type, _ depth: Int, isList: Bool = false) -> String {
    if isList {
      if depth > 2 || chance(200) { return pick(["[]", "null"]) }
      return "[" + (0..<number(0...2)).map { _ in related(type, depth) }.joined(separator: ",") + "]"
    }
    if chance(100) { return isIdentified(type) ? "\(number(1...4))" : "{}" }
    if depth > 2 || chance(150) { return isIdentified(type) ? "{\"id\": \(number(1...4))}" : "{}" }
    return object(of: type, depth: depth + 1)
  }

  private func isIdentified(_ type: any Model.Type) -> Bool { !(type is Order.Type || type is Drawing.Type) }
}
