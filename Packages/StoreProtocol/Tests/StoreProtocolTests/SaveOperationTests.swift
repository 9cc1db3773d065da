import StoreProtocol
import StoreProtocolTesting
import Testing

@Suite struct `A save under way` {
  private let scope = ModelScope()

  private func saved(_ name: String) async throws -> ContractPerson {
    let person = ContractPerson()
    person.id.value = 1
    person.name.value = name
    try await SaveOperation(creating: person, in: scope).finish()
    return person
  }

  @Test func `A save under way leaves a field dirty that is edited before it is finished`() async throws {
    let person = try await saved("Ada")
    person.name.value = "Augusta"
    let save = try await SaveOperation(updating: person, fields: nil, in: scope)
    person.name.value = "Countess"
    try save.finish()
    #expect(save.record == ["name": "Augusta"])
    #expect(person.name == "Countess")
    #expect(person.name.isDirty)
  }

  @Test func `A save under way does not let the store's answer overwrite an edit made meanwhile`() async throws {
    let person = try await saved("Ada")
    person.age.value = 36
    let save = try await SaveOperation(updating: person, fields: nil, in: scope)
    person.name.value = "Countess"
    try save.finish(answer: ["id": 1, "name": "Ada", "age": 37])
    #expect(person.name == "Countess")
    #expect(person.age == 37)
    #expect(!person.age.isDirty)
  }

  @Test func `A save under way changes nothing of the model when it is never finished`() async throws {
    let person = ContractPerson()
    person.name.value = "Ada"
    var save = try await SaveOperation(creating: person, in: scope)
    try save.assign(identifier: "9")
    #expect(save.record["id"] == 9)
    #expect(person.identifier == nil)
    #expect(person.isDirty)
  }

  @Test func `A save under way gives no identifier to a model that can't hold it`() async throws {
    let person = ContractPerson()
    person.name.value = "Ada"
    var save = try await SaveOperation(creating: person, in: scope)
    let error = #expect(throws: ModelStoreError.self) { try save.assign(identifier: "nine") }
    #expect(error?.code == .noIdentifier)
    #expect(error?.message.contains("\"nine\"") == true)
  }

  @Test func `A save under way refuses a model that would be read back as another class`() async throws {
    class Shape: Model { let id = Field<Int>() }
    final class Circle: Shape {}
    let error = await #expect(throws: ModelStoreError.self) {
      _ = try await SaveOperation(creating: Circle(), in: scope)
    }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("instanceClass(for:)") == true)
  }

  @Test func `A save under way accepts a class of a hierarchy that has a type name of its own`() async throws {
    class Shape: Model { let id = Field<Int>(1) }
    final class Circle: Shape { override class var typeName: String { "Circle" } }
    #expect(try await SaveOperation(creating: Circle(), in: scope).typeName == "Circle")
    #expect(try await SaveOperation(creating: Shape(), in: scope).typeName.hasSuffix("Shape"))
  }

  @Test func `A save under way leaves the model as it was when the store's answer does not fit it`() async throws {
    let person = try await saved("Ada")
    person.age.value = 36
    let save = try await SaveOperation(updating: person, fields: nil, in: scope)
    #expect(throws: ModelDecodingError.self) { try save.finish(answer: ["id": 1, "name": "Augusta", "age": "many"]) }
    #expect(person.name == "Ada")
    #expect(person.age == 36)
    #expect(person.age.isDirty)
  }

  @Test func `A save under way refuses a foreign key to a model that has no identifier yet`() async throws {
    let person = ContractPerson()
    person.name.value = "Ada"
    person.company.value = ContractCompany()
    let error = await #expect(throws: ModelStoreError.self) { _ = try await SaveOperation(creating: person, in: scope) }
    #expect(error?.code == .invalid)
    #expect(
      error?.message.hasSuffix(
        "company can't be written: the ContractCompany it refers to has no identifier yet; save that one first") == true
    )
    #expect(person.dictionaryValue["name"] == "Ada")
  }

  @Test func `A save under way names the value that can't be written`() async throws {
    let person = ContractPerson()
    person.name.value = "Ada"
    person.height.value = .nan
    let error = await #expect(throws: ModelStoreError.self) { _ = try await SaveOperation(creating: person, in: scope) }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("height") == true)
  }

  @Test func `A save under way merges keys with dots into the objects that are stored`() async throws {
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

  @Test func `A save under way writes the identifier that it assigns in references to the model`() async throws {
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

  @Test func `A save under way leaves a list out in which only the new model is`() async throws {
    let book = ContractBook(), author = ContractAuthor()
    author.name.value = "Jane"
    book.author.value = author
    #expect(try await SaveOperation(creating: book, in: scope).record == ["author": ["name": "Jane"]])
  }

  @Test func `A save under way refuses two classes that stores call the same`() async throws {
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
    #expect(error?.message.contains(#"both classes are called "Thing""#) == true)
    #expect(error?.message.contains("StoreProtocolTests") == true)
    let second = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Thing.self) }
    #expect(second?.message == error?.message)
    #expect(try await store.list(Named.self).count == 1)
  }

  @Test func `A save under way that finds nothing reports that the identifier was changed`() async throws {
    let store = DictionaryStore()
    let person = ContractPerson()
    person.name.value = "Ada"
    _ = try await store.create(person)
    person.id.value = 99
    let error = await #expect(throws: ModelStoreError.self) { try await store.save(person) }
    #expect(
      error?.message == """
        There is no ContractPerson with the identifier "99". This ContractPerson was stored as "1", and its identifier was \
        changed since. Nothing was written: set it back, or create another ContractPerson.
        """)
  }
}
