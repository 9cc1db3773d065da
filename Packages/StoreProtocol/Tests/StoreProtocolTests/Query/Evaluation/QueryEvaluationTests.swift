import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite struct `A condition gives the same answer for a live model, its record and its bytes` {
  private typealias Filter = (ModelColumns<Worker>) -> QueryExpression

  private func worker() -> Worker {
    let worker = Worker(id: 1, "Zoë \"the\" Bee\n", age: 36)
    worker.nickname.value = "zo"
    worker.height.value = 1.5
    worker.isActive.value = true
    worker.color.value = .green
    worker.birthday.value = Date(timeIntervalSince1970: 86_400 * 3 + 7_000)
    worker.joined.value = Date(timeIntervalSince1970: 1_700_000_000.123_456)
    worker.token.value = UUID(uuidString: "0E984725-C51C-4BF4-9960-E1C80E27ABA0")
    worker.tags.value = ["x", "red \u{1F40D}"]
    worker.days.value = [Date(timeIntervalSince1970: 86_400 + 50)]
    let badge = Badge()
    badge.number.value = 7
    worker.badge.value = badge
    let others = [1, 9].map { number in
      let badge = Badge()
      badge.number.value = number
      return badge
    }
    worker.badges.value = others
    return worker
  }

  /// Returns the answer of all three, which has to be the same.
  private func answer(_ filter: @escaping Filter, _ worker: Worker, keyCase: KeyCase? = nil) throws -> Bool {
    let query = ModelQuery(Worker.self, where: filter)
    let scope = ModelScope(transformers: ValueTransformerContext(keyCase: keyCase))
    let record = try stored(worker, in: scope)
    let live = try query.matches(worker)
    let stored = try query.apply(to: [record], in: scope.transformers).count == 1
    let bytes = Array(try JSONValue.object(record).jsonData(JSONWritingOptions(pretty: true, sortedKeys: true)))
    let fromBytes = try QueryRun(QueryProgram(query, in: scope.transformers)).take(bytes).place != nil
    #expect(live == stored, "live and record differ for \(query)")
    #expect(stored == fromBytes, "record and bytes differ for \(query)")
    return live
  }

  @Test(arguments: [nil, KeyCase.snake])
  func `A condition about any type of value gives the same answer for a live model, its record and its bytes`(
    keyCase: KeyCase?
  ) throws {
    let worker = worker()
    let day = Date(timeIntervalSince1970: 86_400 * 3)
    let holding: [Filter] = [
      { $0.name == "Zoë \"the\" Bee\n" }, { $0.name.hasPrefix("Zoë \"") }, { $0.name.hasSuffix("\n") },
      { $0.name.ignoringCase.contains("THE") }, { $0.name.ignoringCaseAndAccents.hasPrefix("ZOE ") },
      { $0.name.matches(words: "bee zoe") }, { $0.name.matches(words: "b* T*") }, { $0.tags.matches(words: "RED") },
      { $0.nickname == "zo" }, { $0.age == 36 }, { $0.age >= 36 },
      { $0.height == 1.5 }, { $0.height < 2 }, { $0.isActive }, { $0.color == .green },
      { $0.color.isIn([.red, .green]) },
      // A field of days holds only the day, and is compared with the day of a constant.
      { $0.birthday == day.addingTimeInterval(1) }, { $0.birthday < day.addingTimeInterval(86_400) },
      { $0.days.contains(Date(timeIntervalSince1970: 86_400)) },
      { $0.joined > Date(timeIntervalSince1970: 1_700_000_000.123_455) },
      { $0.joined == Date(timeIntervalSince1970: 1_700_000_000.123_456) },
      { $0.token == UUID(uuidString: "0e984725-c51c-4bf4-9960-e1c80e27aba0") },
      { $0.tags == ["x", "red \u{1F40D}"] }, { $0.tags.contains { $0.hasSuffix("\u{1F40D}") } }, { $0.tags.count == 2 },
      { $0.badge.number == 7 }, { $0.badge.number > $0.id }, { $0.badge != nil }, { $0.badge.label == nil },
      { $0.badges.contains { $0.number > 8 } }, { $0.badges.count == 2 }, { !$0.badges.isEmpty },
      { $0.firm == nil && $0.boss.age == nil }, { $0.friends.isEmpty },
      { $0.age > $0.boss.age || $0.age != $0.boss.age },
    ]
    for filter in holding { #expect(try answer(filter, worker, keyCase: keyCase), "\(ModelQuery(where: filter))") }
    let failing: [Filter] = [
      { $0.name == "Zoe" }, { $0.age < $0.boss.age }, { $0.birthday > day },
      { $0.birthday < day.addingTimeInterval(1) }, { $0.badges.contains { $0.number == 2 } },
      { $0.tags.contains("X") }, { $0.color == nil }, { $0.badge.number.isIn([1, 2]) }, { $0.height == .nan },
    ]
    for filter in failing { #expect(try !answer(filter, worker, keyCase: keyCase), "\(ModelQuery(where: filter))") }
  }

  @Test func `A condition about fields that were never set gives the same answer for models, records and bytes`() throws
  {
    let empty = Worker()
    for filter in [
      { $0.age == nil }, { $0.name != "x" }, { !($0.age < 3) }, { $0.tags.isEmpty }, { $0.tags == [] },
      { $0.badge == nil }, { $0.badge.number == nil }, { $0.friends.count == 0 },
    ] as [Filter] {
      #expect(try answer(filter, empty), "\(ModelQuery(where: filter))")
    }
    // A field that a record lacks has its initial value.
    let query = ModelQuery(Firm.self, where: { $0.size == 10 })
    #expect(try query.apply(to: [["id": "a"], ["id": "b", "size": .null]], in: .standard) == [["id": "a"]])
  }

  @Test func `Numbers in conditions compare as numbers, however they are written`() throws {
    func count(_ filter: @escaping Filter, _ text: String) throws -> Int {
      try QueryRun(QueryProgram(ModelQuery(where: filter), in: .standard)).take(Array(text.utf8)).place != nil ? 1 : 0
    }
    #expect(try count({ $0.age == 4 }, #"{"age": 4.0}"#) == 1)
    #expect(try count({ $0.age > 3 }, #"{"age": 4e0, "x": [1, {"age": 2}]}"#) == 1)
    #expect(try count({ $0.height < 10 }, #"{"x": "\"height\": 11", "height": 9}"#) == 1)
    #expect(try count({ $0.name == "é" }, #"{"name": "\u00e9"}"#) == 1)
    #expect(try count({ $0.name == "é" }, #"{"name": "e\u0301"}"#) == 0)
    #expect(try count({ $0.nickname == "n" }, #"{"names": {"nick": "n"}}"#) == 1)
    #expect(try count({ $0.nickname == "n" }, #"{"names.nick": "n"}"#) == 1)
    #expect(try count({ $0.nickname == nil }, #"{"names": null}"#) == 1)
  }

  @Test func `A condition reports a value that does not fit its field`() throws {
    let query = ModelQuery(Worker.self, where: { $0.age > 3 })
    let error = #expect(throws: ModelStoreError.self) {
      _ = try query.apply(to: [["age": "many"]], in: .standard)
    }
    #expect(error?.code == .corrupt)
    #expect(throws: ModelStoreError.self) {
      try QueryRun(QueryProgram(query, in: .standard)).take(Array("{\"age\"".utf8))
    }
  }

  @Test func `A condition about a foreign key that can't be followed is rejected by name`() throws {
    let query = ModelQuery(Worker.self, where: { $0.firm.name == "Acme" })
    let record: AttributeDictionary = ["id": 1, "firm": "acme"]
    let error = #expect(throws: ModelStoreError.self) { _ = try query.apply(to: [record], in: .standard) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("Firm") == true)
    let found = try query.apply(to: [record], in: .standard) { _, identifier in
      ["id": .string(identifier), "name": "Acme"]
    }
    #expect(found == [record])
    // The record contains the identifier itself.
    #expect(try ModelQuery(Worker.self, where: { $0.firm.id == "acme" }).apply(to: [record], in: .standard) == [record])
    let friends: AttributeDictionary = ["friends": [3, 4]]
    let byFriend = ModelQuery(Worker.self, where: { $0.friends.contains { $0.age > 40 } })
    #expect(
      try byFriend.apply(to: [friends], in: .standard) { _, identifier in identifier == "4" ? ["age": 41] : nil } == [
        friends
      ])
  }

  @Test func `A condition about a field that stores don't keep is rejected, but works for live models`() throws {
    let query = ModelQuery(Firm.self, where: { $0.staff.contains { $0.age > 40 } })
    let error = #expect(throws: ModelStoreError.self) { _ = try query.apply(to: [["id": "a"]], in: .standard) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("\"staff\"") == true)
    let firm = Firm(), worker = Worker(id: 1, "Ada", age: 41)
    worker.firm.value = firm
    #expect(try query.matches(firm))
  }

  @Test func `A condition about a model that was not loaded is rejected`() throws {
    let scope = ModelScope()
    let worker = try Worker.from(dictionaryValue: ["id": 1, "firm": "acme"], in: scope)
    #expect(try ModelQuery(where: { $0.firm.id == "acme" }).matches(worker))
    let error = #expect(throws: ModelStoreError.self) {
      _ = try ModelQuery(where: { $0.firm.name == nil }).matches(worker)
    }
    #expect(error?.code == .unsupported)
  }

  @Test func `Conditions distinguish the classes of a hierarchy`() throws {
    let records: [AttributeDictionary] = [["kind": "circle", "size": 3], ["size": 4], ["kind": "circle", "size": 5]]
    let query = ModelQuery(Round.self, where: { $0.size > 3 })
    #expect(try query.apply(to: records, in: .standard).map { $0["size"] } == [5])
    #expect(try ModelQuery(Form.self, where: { $0.size > 3 }).apply(to: records, in: .standard).count == 2)
  }

  @Test func `Live models are sorted and paged as records are`() throws {
    let workers = [3, 1, nil, 2].enumerated().map { Worker(id: $0.offset, "w", age: $0.element) }
    let query = ModelQuery(Worker.self, sort: [.descending(\.age)], limit: 2, offset: 1)
    #expect(try query.apply(to: workers).map(\.age.value) == [2, 1])
    let records = try workers.map { try stored($0, in: ModelScope()) }
    #expect(try query.apply(to: records, in: .standard).map { $0["age"] } == [2, 1])
    #expect(try ModelQuery(Worker.self, limit: .max, offset: 3).apply(to: workers).count == 1)
  }
}

private class Form: Model {
  let size = Field<Int>()
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "circle" ? Round.self : nil
  }
}

private final class Round: Form {
  let kind = Field<String>("circle")
}

/// Returns the record of a model as stores write it.
private func stored(_ model: Worker, in scope: ModelScope) throws -> AttributeDictionary {
  let creations = try PendingCreations([model], in: scope, explicitNull: true, isUndoable: false)
  var record: AttributeDictionary = [:]
  try creations.forEachRecord { _, _, bytes in record = try #require(try JSONValue(json: Array(bytes)).objectValue) }
  return record
}
