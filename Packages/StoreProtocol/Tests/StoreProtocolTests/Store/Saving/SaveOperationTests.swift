import Foundation
import StoreProtocolTesting
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol

private final class Supplier: Model {
  @Field var id: UUID?
  override var identifierField: AnyField? { $id }
}

private final class Buyer: Model {
  @Field var id: Int?
  @Field var age: Int?
  @Field(configure: { $0.transform(with: EmptyText()) }) var note: String?
  @Field var label: Label?
  @ModelField(foreignKey: true) var supplier: Supplier?
  @ModelArrayField(foreignKey: true) var clients: [Supplier]?
  override var identifierField: AnyField? { $id }

  /// A value that can't be compared.
  struct Label: Codable {
    var text: String
    var color: String?
  }

  /// Reads an empty text as none.
  struct EmptyText: ValueTransforming {
    func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> String? {
      json.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }
    func exportValue(_ value: String, in context: ValueTransformerContext) throws -> JSONValue { .string(value) }
  }
}

@Suite struct `A save operation` {
  private let scope = ModelScope()

  private func saved(_ name: String) async throws -> ContractPerson {
    let person = ContractPerson()
    person.id.value = 1
    person.name.value = name
    try await SaveOperation(creating: person, in: scope).finish()
    return person
  }

  @Test func `A save leaves a field dirty that is edited before the save finishes`() async throws {
    let person = try await saved("Ada")
    person.name.value = "Augusta"
    let save = try await SaveOperation(updating: person, fields: nil, in: scope)
    person.name.value = "Countess"
    try save.finish()
    #expect(save.record == ["name": "Augusta"])
    #expect(person.name == "Countess")
    #expect(person.name.isDirty)
  }

  @Test func `The store's answer to a save does not overwrite an edit made meanwhile`() async throws {
    let person = try await saved("Ada")
    person.age.value = 36
    let save = try await SaveOperation(updating: person, fields: nil, in: scope)
    person.name.value = "Countess"
    try save.finish(answer: ["id": 1, "name": "Ada", "age": 37])
    #expect(person.name == "Countess")
    #expect(person.age == 37)
    #expect(!person.age.isDirty)
  }

  @Test func `A save that never finishes does not change the model`() async throws {
    let person = ContractPerson()
    person.name.value = "Ada"
    var save = try await SaveOperation(creating: person, in: scope)
    try save.assign(identifier: "9")
    #expect(save.record["id"] == 9)
    #expect(person.identifier == nil)
    #expect(person.isDirty)
  }

  @Test func `A save assigns no identifier to a model that can't hold it`() async throws {
    let person = ContractPerson()
    person.name.value = "Ada"
    var save = try await SaveOperation(creating: person, in: scope)
    let error = #expect(throws: ModelStoreError.self) { try save.assign(identifier: "nine") }
    #expect(error?.code == .noIdentifier)
    #expect(error?.message.contains("\"nine\"") == true)
  }

  @Test func `A save rejects a model that would be read as another class`() async throws {
    class Shape: Model { let id = Field<Int>() }
    final class Circle: Shape {}
    let error = await #expect(throws: ModelStoreError.self) {
      _ = try await SaveOperation(creating: Circle(), in: scope)
    }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("instanceClass(for:)") == true)
  }

  @Test func `A save accepts a class of a hierarchy that has its own type name`() async throws {
    class Shape: Model { let id = Field<Int>(1) }
    final class Circle: Shape { override class var typeName: String { "Circle" } }
    #expect(try await SaveOperation(creating: Circle(), in: scope).typeName == "Circle")
    #expect(try await SaveOperation(creating: Shape(), in: scope).typeName.hasSuffix("Shape"))
  }

  @Test func `A save leaves the model unchanged if the store's answer does not fit it`() async throws {
    let person = try await saved("Ada")
    person.age.value = 36
    let save = try await SaveOperation(updating: person, fields: nil, in: scope)
    #expect(throws: ModelDecodingError.self) { try save.finish(answer: ["id": 1, "name": "Augusta", "age": "many"]) }
    #expect(person.name == "Ada")
    #expect(person.age == 36)
    #expect(person.age.isDirty)
  }

  @Test func `A save rejects a foreign key to a model without an identifier`() async throws {
    let person = ContractPerson()
    person.name.value = "Ada"
    person.company.value = ContractCompany()
    let error = await #expect(throws: ModelStoreError.self) { _ = try await SaveOperation(creating: person, in: scope) }
    #expect(error?.code == .invalid)
    #expect(
      error?.message.hasSuffix(
        "company can't be written: the related ContractCompany has no identifier: save it first") == true
    )
    #expect(person.dictionaryValue["name"] == "Ada")
  }

  @Test func `A save names the value that can't be written`() async throws {
    let person = ContractPerson()
    person.name.value = "Ada"
    person.height.value = .nan
    let error = await #expect(throws: ModelStoreError.self) { _ = try await SaveOperation(creating: person, in: scope) }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("height") == true)
  }

  /// Edits a buyer with this record, and expects a save to conflict with another value of the key, but not with the
  /// record itself.
  private func expectConflict(
    _ key: String, of value: JSONValue, with other: JSONValue, in scope: ModelScope, _ edit: (Buyer) -> Void
  ) async throws {
    let record: AttributeDictionary = ["id": 1, key: value]
    let buyer = try scope.models(Buyer.self, from: [record], localChanges: .keep)[0]
    edit(buyer)
    #expect(buyer.dirtyFields.map(\.key) == [key])
    let save = try await SaveOperation(updating: buyer, fields: nil, in: scope)
    #expect(throws: Never.self) { try save.checkConflicts(with: record, .fail) }
    let error = #expect(throws: ModelStoreError.self) { try save.checkConflicts(with: ["id": 1, key: other], .fail) }
    #expect(error?.conflicts.map(\.key) == [key])
  }

  @Test func `A save is no conflict with another spelling of the value that was read`() async throws {
    try await expectConflict("note", of: "", with: "other", in: ModelScope()) { $0.note = "new" }
    try await expectConflict("label", of: ["text": "a", "color": nil], with: ["text": "b"], in: ModelScope()) {
      $0.label = Buyer.Label(text: "c")
    }
  }

  @Test func `A save is no conflict with another spelling of the references that were read`() async throws {
    let (one, two) = ("0a8c2f6e-3c39-4b8e-9d55-6a3f0f1d2b4c", "1b9d3a7f-4d4a-4c9f-8e66-7b4a1a2e3c5d")
    let embedded: JSONValue = ["id": .string(one), "name": "Acme"]
    let supplier = Supplier()
    supplier.id = UUID()
    for reference in [.string(one), embedded] {
      try await expectConflict("supplier", of: reference, with: .string(two), in: ModelScope()) {
        $0.supplier = supplier
      }
      let (list, reversed): (JSONValue, JSONValue) = ([reference, .string(two)], [.string(two), reference])
      try await expectConflict("clients", of: list, with: reversed, in: ModelScope()) { $0.clients = [supplier] }
    }
  }

  @Test func `A save that corrects a rejected value is no conflict with it`() async throws {
    let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient))
    scope.decodingIssueHandler = { _ in }
    let clients: JSONValue = [true, .string(UUID().uuidString)]
    try await expectConflict("clients", of: clients, with: [true], in: scope) { $0.clients = [] }
    let buyer = try #require(scope.liveModel(Buyer.self, identifier: "1"))
    for (value, other) in [("old", "older"), ("young", 36.5)] as [(JSONValue, JSONValue)] {
      buyer.markSaved(buyer.dirtyFields, asOf: .next())
      try await expectConflict("age", of: value, with: other, in: scope) { $0.age = ($0.age ?? 36) + 1 }
    }
  }

  @Test func `A save merges keys with dots into the stored objects`() async throws {
    final class Note: Model {
      let id = Field<Int>()
      let title = Field<String>(key: "text.title")
      let body = Field<String>(key: "text.body")
      override var identifierField: AnyField? { id }
    }
    let note = Note()
    note.id.value = 1
    note.title.value = "New"
    let save = try await SaveOperation(updating: note, fields: [note.title], in: scope)
    #expect(
      save.merged(into: ["id": 1, "text": ["title": "Old", "body": "stays"]])
        == ["id": 1, "text": ["title": "New", "body": "stays"]])
  }

  @Test func `A save keeps fields whose keys lie inside the object of a relation`() async throws {
    final class Writer: Model { let name = Field<String>() }
    final class Work: Model {
      let id = Field<Int>(1)
      let note = Field<String>(key: "writer.note")
      let writer = ModelField<Writer>()
      override var identifierField: AnyField? { id }
    }
    let work = Work(), writer = Writer()
    work.note.value = "N"
    writer.name.value = "Ada"
    work.writer.value = writer
    let creation = try await SaveOperation(creating: work, in: scope)
    let stored: AttributeDictionary = ["id": 1, "writer": ["name": "Ada", "note": "N"]]
    #expect(creation.record == stored)
    try creation.finish()
    writer.name.value = "Eve"
    let update = try await SaveOperation(updating: work, fields: nil, in: scope)
    #expect(update.record == ["writer": ["name": "Eve"]])
    #expect(update.merged(into: stored) == ["id": 1, "writer": ["name": "Eve", "note": "N"]])
    try update.finish()
    work.writer.value = nil
    let cut = try await SaveOperation(updating: work, fields: nil, in: scope)
    #expect(cut.merged(into: stored) == ["id": 1, "writer": ["note": "N"]])
    work.note.value = nil
    let both = try await SaveOperation(updating: work, fields: nil, in: scope)
    #expect(both.merged(into: stored) == ["id": 1, "writer": nil])
  }

  @Test func `A save replaces a member whose key contains dots literally`() async throws {
    let person = try await saved("Ada")
    person.nickname.value = "A"
    let save = try await SaveOperation(updating: person, fields: nil, in: scope)
    #expect(save.merged(into: ["names.nick": "B", "names": ["x": 1]]) == ["names.nick": "A", "names": ["x": 1]])
  }

  @Test func `A save rejects a change with which the record would be read as another class`() async throws {
    let disc = Disc()
    disc.kind.value = "disc"
    try await SaveOperation(creating: disc, in: scope).finish()
    disc.kind.value = "none"
    let save = try await SaveOperation(updating: disc, fields: nil, in: scope)
    let error = #expect(throws: ModelStoreError.self) {
      _ = try save.merged(intoBytes: Array(#"{"id":1,"kind":"disc"}"#.utf8))
    }
    #expect(error?.code == .invalid && error?.message.contains("read back as") == true)
    #expect(try save.merged(intoBytes: Array(#"{"id":1}"#.utf8)) == Array(#"{"id":1,"kind":"none"}"#.utf8))
  }

  @Test func `A save writes the assigned identifier in references to the model`() async throws {
    let book = ContractBook(), author = ContractAuthor(), other = ContractBook()
    other.id.value = 3
    book.author.value = author
    other.author.value = author
    var save = try await SaveOperation(creating: book, in: scope)
    #expect(save.record == ["author": ["books": [["id": 3]]]])
    try save.assign(identifier: "7")
    #expect(save.record == ["id": 7, "author": ["books": [["id": 7], ["id": 3]]]])
    #expect(book.id.value == nil)
  }

  @Test func `A save omits a list that contains only the new model`() async throws {
    let book = ContractBook(), author = ContractAuthor()
    author.name.value = "Jane"
    book.author.value = author
    #expect(try await SaveOperation(creating: book, in: scope).record == ["author": ["name": "Jane"]])
  }

  @Test func `A save rejects two classes with the same name in stores`() async throws {
    class Named: Model {
      let id = Field<Int>()
      override class var typeName: String { "Thing" }
      override var identifierField: AnyField? { id }
    }
    final class Thing: Model {
      let id = Field<Int>()
      override class var typeName: String { "Thing" }
      override var identifierField: AnyField? { id }
    }
    let store = DictionaryStore()
    _ = try await store.create(Named())
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(Thing()) }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains(#"both have the type name "Thing""#) == true)
    #expect(error?.message.contains("StoreProtocolTests") == true)
    let second = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Thing.self) }
    #expect(second?.message == error?.message)
    #expect(try await store.list(Named.self).count == 1)
  }

  @Test func `A save of a missing model reports that its identifier was changed`() async throws {
    let store = DictionaryStore()
    let person = ContractPerson()
    person.name.value = "Ada"
    _ = try await store.create(person)
    person.id.value = 99
    let error = await #expect(throws: ModelStoreError.self) { try await store.save(person) }
    #expect(
      error?.message == """
        There is no ContractPerson with the identifier "99". Nothing was written, because this ContractPerson was stored \
        as "1", and its identifier has changed since: restore the identifier, or create another ContractPerson.
        """)
  }
}

private class Figure: Model {
  let id = Field<Int>(1)
  let kind = Field<String>()
  override var identifierField: AnyField? { id }

  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "disc" ? Disc.self : nil
  }
}

private final class Disc: Figure {}
