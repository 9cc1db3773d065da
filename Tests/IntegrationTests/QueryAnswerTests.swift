import ModelKit
import Testing

private final class Firm: Model {
  @Field var id: Int?
  @Field var name: String?
  @ModelArrayField(inverse: \.$firm) var workers: [Worker]?
  override var identifierField: AnyField? { $id }
}

private final class Worker: Model {
  @Field var id: Int?
  @Field var name: String?
  @Field var email: String?
  @Field var age: Int?
  @ModelField(foreignKey: true) var firm: Firm?
  override var identifierField: AnyField? { $id }
}

/// Both records of a link store it.
private final class Guild: Model {
  @Field var id: Int?
  @ModelArrayField(foreignKey: true, inverse: \.$guild) var members: [GuildMember]?
  override var identifierField: AnyField? { $id }
}

private final class GuildMember: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var guild: Guild?
  override var identifierField: AnyField? { $id }
}

private struct Card: Codable, Hashable, Sendable {
  var number = 0
}

private final class Login: Model {
  @Field var id: Int?
  @Field(sensitive: true) var pin: Int?
  @Field(sensitive: true) var codes: [Int]?
  @Field(sensitive: true) var card: Card?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Answers of queries` {
  @Test func `A lenient store reads a value that does not fit as nil, in models and in queries`() async throws {
    let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient))
    scope.decodingIssueHandler = { _ in }
    let store = MemoryModelStore(scope: scope)
    try store.restore([
      "version": 1,
      "types": [
        "Worker": [
          ["identifier": "1", "value": ["id": 1, "name": "Ada", "age": "old"]],
          ["identifier": "2", "value": ["id": 2, "name": "Bob", "age": 40]],
        ]
      ],
    ])
    #expect(try await store.list(Worker.self).map(\.age) == [nil, 40])
    #expect(try await store.list(Worker.self, where: { $0.age > 30 }).map(\.name) == ["Bob"])
    #expect(try await store.list(Worker.self, where: { $0.age == nil }).map(\.name) == ["Ada"])
    #expect(try await store.list(Worker.self, sort: [.descending(\.age)]).count == 2)
    #expect(try await store.sum(Worker.self, of: \.age) == 40)
    #expect(try await store.groups(Worker.self, by: { $0.age }) { $0.count }.count == 2)
  }

  @Test func `The error of a query shows no value of a sensitive field`() async throws {
    let store = MemoryModelStore()
    try store.restore([
      "version": 1,
      "types": [
        "Login": [
          ["identifier": "1", "value": ["id": 1, "pin": "4711", "codes": ["4711"], "card": ["number": "4711"]]]
        ]
      ],
    ])
    let calls: [() async throws -> Void] = [
      { _ = try await store.list(Login.self, where: { $0.pin == 1 }) },
      { _ = try await store.list(Login.self, where: { $0.pin > $0.id }) },
      { _ = try await store.list(Login.self, where: { $0.codes.contains(1) }) },
      { _ = try await store.list(Login.self, where: { $0.card.number == 1 }) },
      { _ = try await store.list(Login.self, sort: [.ascending(\.pin)]) },
      { _ = try await store.list(Login.self, where: { $0["pin"] == "4711" }) },
      { _ = try await store.sum(Login.self, of: \.pin) },
      { _ = try await store.values(Login.self, of: { $0.card.number }) },
      { _ = try await store.groups(Login.self, by: { $0.pin }) { $0.count } },
    ]
    for (number, call) in calls.enumerated() {
      let error = await #expect(throws: ModelStoreError.self, "\(number)") { try await call() }
      #expect(error.map { "\($0.message) \($0.cause as Any)" }?.contains("4711") == false, "\(number)")
    }
  }

  @Test func `A condition on a related model that is not loaded can't be tested`() throws {
    let scope = ModelScope()
    let worker = try Worker.from(dictionaryValue: ["id": 1, "name": "a", "firm": 2], in: scope)
    for condition in [{ $0.firm.name != $0.name }, { $0.firm.name == $0.name }, { $0.firm.name == "a" }]
      as [(ModelColumns<Worker>) -> QueryExpression]
    {
      let query = ModelQuery(Worker.self, where: condition)
      let error = #expect(throws: ModelStoreError.self) { try query.matches(worker) }
      #expect(error?.code == .unsupported)
    }
  }

  @Test func `A condition on a list that is not loaded can't be tested, and on a loaded one it can`() async throws {
    let first = MemoryModelStore()
    let (firm, worker) = (Firm(), Worker())
    (firm.id, worker.firm) = (1, firm)
    worker.age = 65
    for model in [firm, worker] as [any Model] { try await first.save(model) }
    let store = MemoryModelStore(first.handle)
    let found = try await store.lookup(Firm.self, identifier: "1")
    let conditions: [(ModelColumns<Firm>) -> QueryExpression] = [
      { $0.workers.isEmpty }, { $0.workers.count == 0 }, { $0.workers.contains { $0.age > 60 } },
      { $0.workers.allSatisfy { $0.age < 60 } },
    ]
    for condition in conditions {
      let error = #expect(throws: ModelStoreError.self) { try ModelQuery(Firm.self, where: condition).matches(found) }
      #expect(error?.code == .unsupported)
    }
    _ = try await store.list(Firm.self, including: [\.workers])
    let results = try conditions.map { try ModelQuery(Firm.self, where: $0).matches(found) }
    #expect(results == [false, false, true, false])
    #expect(try ModelQuery(Firm.self, where: conditions[0]).matches(Firm()))
  }

  @Test func `An order by a number of models that other records may store is refused`() async throws {
    let store = MemoryModelStore()
    let error = await #expect(throws: ModelStoreError.self) {
      _ = try await store.list(Guild.self, sort: [.descending { $0.members.count }])
    }
    #expect(error?.code == .unsupported)
  }

  @Test func `A comparison of two texts ignores case whichever side ignores it`() async throws {
    let store = MemoryModelStore()
    let worker = Worker()
    (worker.name, worker.email) = ("ada", "ADA")
    try await store.save(worker)
    #expect(try await store.count(Worker.self, where: { $0.name == $0.email.ignoringCase }) == 1)
    #expect(try await store.count(Worker.self, where: { $0.name.ignoringCase == $0.email }) == 1)
    #expect(try await store.count(Worker.self, where: { $0.name == $0.email }) == 0)
  }

  @Test func `A member of unknown type is nil only where there is none`() async throws {
    let store = MemoryModelStore()
    for (number, label) in [(1, "a"), (2, nil)] as [(Int, String?)] {
      let parcel = Parcel()
      (parcel.id, parcel.box) = (number, Box(width: number, label: label))
      parcel.payload = number == 1 ? ["x": 1] : [:]
      try await store.save(parcel)
    }
    for isIndexed in [false, true] {
      if isIndexed { try store.index(Parcel.self) { $0.box.label } }
      #expect(try await store.list(Parcel.self, where: { $0.box.label == nil }).map(\.id) == [2])
      #expect(try await store.list(Parcel.self, where: { $0.box.label != nil }).map(\.id) == [1])
      #expect(try await store.list(Parcel.self, where: { $0.box.label == "a" }).map(\.id) == [1])
    }
    #expect(try await store.count(Parcel.self, where: { $0["payload"]["x"] != nil }) == 1)
    #expect(try await store.count(Parcel.self, where: { $0["payload"]["x"] == nil }) == 1)
  }

  @Test func `A text without case is a key of groups, and a value`() async throws {
    let store = MemoryModelStore()
    for city in ["Rome", "rome", "Oslo"] {
      let worker = Worker()
      worker.name = city
      try await store.save(worker)
    }
    let groups = try await store.groups(Worker.self, by: { $0.name.ignoringCase }) { $0.count }
    #expect(groups.map { $0.key } == ["rome", "oslo"])
    #expect(groups.map { $0.values } == [2, 1])
    #expect(try await store.count(Worker.self, distinct: { $0.name.ignoringCase }) == 2)
    #expect(try await store.values(Worker.self, of: { $0.name.ignoringCase }) == ["rome", "rome", "oslo"])
    #expect(try await store.maximum(Worker.self, of: { $0.name.ignoringCase }) == "rome")
    #expect(try await store.count(Worker.self, where: { $0.name.ignoringCase == "ROME" }) == 2)
    let sorted = try await store.list(Worker.self, sort: [.descending { $0.name.ignoringCase }])
    #expect(sorted.map(\.name) == ["Rome", "rome", "Oslo"])
  }

  @Test func `Texts with equal letters and other scalars are different values`() async throws {
    let store = MemoryModelStore()
    let names = ["e\u{301}", "\u{e9}", "f"]
    for name in names {
      let worker = Worker()
      worker.name = name
      try await store.save(worker)
    }
    let groups = try await store.groups(Worker.self, by: { $0.name }) { $0.count }
    #expect(groups.map { $0.values } == [1, 1, 1])
    #expect(try await store.count(Worker.self, distinct: { $0.name }) == 3)
    let greatest = try #require(try await store.maximum(Worker.self, of: { $0.name }))
    #expect(greatest.unicodeScalars.elementsEqual("\u{e9}".unicodeScalars))
    let least = try #require(try await store.minimum(Worker.self, of: { $0.name }))
    #expect(least.unicodeScalars.elementsEqual("e\u{301}".unicodeScalars))
    #expect(try await store.first(Worker.self, sort: [.descending(\.name)])?.id == 2)
  }

  @Test func `An error message shows no secret, even beside a combining mark`() {
    let login = Secret()
    login.word = "abc"
    login.addErrors([(["word"], "no abc\u{301}!")].map { ModelValidationError(path: $0.0, message: $0.1) })
    let scalars = login.$word.validationState.messages.joined().unicodeScalars.map { String($0) }
    #expect(scalars.contains("!"))
    #expect(!scalars.joined(separator: "-").contains("a-b-c"))
  }
}

private final class Secret: Model {
  @Field(sensitive: true) var word: String?
}

private struct Box: JSONConvertible, Hashable {
  var width: Int
  var label: String?

  init(width: Int, label: String?) { (self.width, self.label) = (width, label) }

  init(json: JSONValue) throws {
    (width, label) = (json["width"]?.intValue ?? 0, json["label"]?.stringValue)
  }

  var json: JSONValue { ["width": .int(width), "label": label.map { .string($0) } ?? .null] }
}

private final class Parcel: Model {
  @Field var id: Int?
  @Field var box: Box?
  @Field var payload: JSONValue?
  override var identifierField: AnyField? { $id }
}
