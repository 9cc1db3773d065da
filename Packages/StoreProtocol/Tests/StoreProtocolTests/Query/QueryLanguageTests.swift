import Foundation
import StoreProtocol
import Testing

@Suite struct `A query` {
  @Test func `A query is printed as a person would write it`() {
    let query = ModelQuery(
      Worker.self,
      where: { $0.age > 30 && $0.name != "Bob" || $0.tags.contains("x") && $0.firm.name.hasPrefix("A") },
      sort: [.ascending(\.name), .descending(\.age, nils: .first)], limit: 20, offset: 40)
    #expect(
      query.description == """
        Worker where age > 30 && name != "Bob" || tags.contains("x") && firm.name.hasPrefix("A") sorted by name, \
        age descending nils first limit 20 offset 40
        """)
  }

  @Test(arguments: Self.printed) func `A query shows every kind of condition`(query: ModelQuery<Worker>, text: String) {
    #expect(query.filter?.description == text)
  }

  @Test(arguments: Self.printed) func `A query is the same after a round trip through JSON`(
    query: ModelQuery<Worker>, text: String
  ) throws {
    var query = query
    query.sort = [.ascending { $0.firm.name.ignoringCase }, .descending(\.age, nils: .first)]
    query.limit = 3
    query.evaluation = .inMemory
    let data = try JSONEncoder().encode(query)
    #expect(try JSONDecoder().decode(ModelQuery<Worker>.self, from: data) == query)
    #expect(try ModelQuery<Worker>(json: JSONValue(json: query.json.jsonData())) == query)
  }

  static let printed: [(ModelQuery<Worker>, String)] = [
    (ModelQuery(where: { ($0.age > 1 || $0.age == nil) && !$0.isActive }), "(age > 1 || age == nil) && !isActive"),
    (ModelQuery(where: { !($0.age > 1 && $0.age < 3) }), "!(age > 1 && age < 3)"),
    (
      ModelQuery(where: { $0.color == .red && $0.color.isIn([.red, .green]) }),
      #"color == "red" && color.isIn(["red","green"])"#
    ),
    (
      ModelQuery(where: { $0.age.isIn(3...5) && (3..<5).contains($0.age) }),
      "age >= 3 && age <= 5 && age >= 3 && age < 5"
    ),
    (ModelQuery(where: { ["a", "b"].contains($0.name) && $0.age.isIn(18...) }), #"name.isIn(["a","b"]) && age >= 18"#),
    (ModelQuery(where: { $0.name.ignoringCase.contains("da") }), #"name.ignoringCase.contains("da")"#),
    (ModelQuery(where: { $0.name.ignoringCaseAndAccents < "da" }), #"name.ignoringCaseAndAccents < "da""#),
    (ModelQuery(where: { !$0.name.matches(words: "da* \"x") }), #"!name.matches(words: "da* \"x")"#),
    (ModelQuery(where: { $0.tags.matches(words: "da") }), #"tags.contains { $0.matches(words: "da") }"#),
    (
      ModelQuery(where: { $0.name.matches(/[a-z]+/) || $0.name.contains(/[0-9]/) }),
      "name.matches(/[a-z]+/) || name.contains(/[0-9]/)"
    ),
    (ModelQuery(where: { $0.tags.contains { $0.hasPrefix("a") } }), #"tags.contains { $0.hasPrefix("a") }"#),
    (ModelQuery(where: { $0.tags.isEmpty || $0.tags.count > 2 }), "tags.isEmpty || tags.count > 2"),
    (ModelQuery(where: { $0.friends.contains { $0.age > 3 } }), "friends.contains { age > 3 }"),
    (ModelQuery(where: { $0.age > $0.boss.age }), "age > boss.age"),
    (ModelQuery(where: { $0.firm == nil }), "firm == nil"),
    (ModelQuery(where: { $0.birthday < Date(timeIntervalSince1970: 0) }), #"birthday < "1970-01-01T00:00:00Z""#),
    (ModelQuery(where: { $0.nickname == "x" }), #"names.nick == "x""#),
  ]

  @Test func `A query is equal to another with the same parts, and to no other`() {
    let one = ModelQuery(Worker.self, where: { $0.age > 30 }, sort: [.ascending(\.name)])
    #expect(one == ModelQuery(Worker.self, where: { $0.age > 30 }, sort: [.ascending(\.name)]))
    #expect(one != ModelQuery(Worker.self, where: { $0.age >= 30 }, sort: [.ascending(\.name)]))
    #expect(Set([one, one]).count == 1)
  }

  @Test func `A store can read the condition of a query`() {
    let query = ModelQuery(Worker.self, where: { $0.firm.name == "Acme" })
    #expect(
      query.filter
        == .comparison(QueryComparison(QueryTerm(["firm", "name"]), .equal, .value("Acme"))))
  }

  @Test func `A query rejects negative limits and offsets with an error`() throws {
    let limited = #expect(throws: ModelStoreError.self) { try ModelQuery(Worker.self, limit: -1).validate() }
    #expect(limited?.code == .invalid)
    #expect(limited?.message == "A list can't have a limit of -1: use 0 or more, or nil for all.")
    #expect(throws: ModelStoreError.self) { try ModelQuery(Worker.self, offset: -1).validate() }
    try ModelQuery(Worker.self, limit: 0).validate()
  }

  @Test(arguments: [
    (#"{"type": "T", "where": {"field": "agee", "is": ">", "value": 3}}"#, "no field \"agee\""),
    (#"{"type": "T", "where": {"field": "age", "is": ">", "value": "x"}}"#, "can't be evaluated"),
    (#"{"type": "T", "where": {"field": "color", "is": "<", "value": "red"}}"#, "no order"),
    (#"{"type": "T", "where": {"field": "name.age", "is": "<", "value": 3}}"#, "inside name"),
    (#"{"type": "T", "where": {"field": "name", "is": "matches", "value": "("}}"#, "not a regular expression"),
    (#"{"type": "T", "where": {"field": "age", "is": "in", "value": 3}}"#, "needs a list"),
    (#"{"type": "T", "sort": [{"field": "color"}]}"#, "no order"),
    (#"{"type": "T", "limit": -3}"#, "limit of -3"),
    (#"{"type": "Other"}"#, "was expected"),
  ]) func `An invalid query from JSON is rejected with the reason`(text: String, reason: String) {
    let text = text.replacing("\"T\"", with: "\"\(Worker.typeName)\"")
    let error = #expect(throws: ModelStoreError.self) { try ModelQuery<Worker>(json: JSONValue(json: text)) }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `A query compares with infinity, NaN and a regular expression created at runtime`() throws {
    let worker = Worker(id: 1, "Ada")
    worker.height.value = 1.7
    #expect(try ModelQuery(where: { $0.height < Double.infinity }).matches(worker))
    #expect(try !ModelQuery(where: { $0.height == Double.nan }).matches(worker))
    let regex = try Regex("a+")
    #expect(ModelQuery(Worker.self, where: { $0.name.matches(regex) }).filter?.description == "name.matches(/a+/)")
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func `A query that compares with a number without a form in JSON is not written`(number: Double) throws {
    let less = ModelQuery(Worker.self, where: { $0.height < number })
    for query in [less, ModelQuery(Worker.self, where: { $0.height.isIn([1, number]) })] {
      let error = #expect(throws: ModelStoreError.self) { _ = try query.json }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("JSON has no number for \(number), with which it compares height") == true)
    }
  }

  @Test func `A query prints no values with which sensitive fields are compared`() {
    final class Login: Model {
      let name = Field<String>()
      let pin = Field<String>(sensitive: true)
      let codes = Field<Int>(sensitive: true)*
      let parent = ModelField<Login>()
    }
    let query = ModelQuery(Login.self) {
      $0.name == "ada" && $0.pin == "4711" && $0.parent.pin != "4711" && $0.codes.contains(4711)
    }
    #expect(!"\(query)".contains("4711"))
    #expect("\(query)".contains(#"name == "ada" && pin == <redacted>"#))
  }
}
