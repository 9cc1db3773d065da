import Foundation
import ModelKit
import StoreEngine
import Synchronization
import Testing

private class Animal: Model {
  @Field var id: Int?
  @Required var kind = "animal"
  @Required var name = "none"
  override var identifierField: AnyField? { $id }
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "dog" ? Dog.self : nil
  }
}

private final class Dog: Animal {
  @Field var breed: String?
  required init() {
    super.init()
    (kind, name, breed) = ("dog", "Rex", "unknown")
  }
}

private final class Page: Model {
  @Field var id: Int?
  @Field var title: String?
  override var identifierField: AnyField? { $id }
}

/// A model that begins with values and models.
private final class Notebook: Model {
  @Field var id: Int?
  @Field var title: String?
  @Field var color: String?
  @ModelField(foreignKey: true) var owner: Animal?
  @ModelArrayField var pages: [Page]?
  override var identifierField: AnyField? { $id }
  required init() {
    super.init()
    (title, color) = ("Untitled", "blue")
    let page = Page()
    page.title = "1"
    pages = [page]
    owner = Dog()
  }
}

/// A model with values of its own only.
private final class Label: Model {
  @Field var id: Int?
  @Field var text: String?
  @Field var size: Int?
  override var identifierField: AnyField? { $id }
  required init() {
    super.init()
    (text, size) = ("new", 12)
  }
}

@Suite struct `Values that a class sets in its initializer` {
  @Test func `A model of a hierarchy is read with its stored values, and is clean`() async throws {
    let first = MemoryModelStore()
    let saved = Dog()
    (saved.name, saved.breed) = ("Fido", nil)
    try await first.save(saved)
    let store = MemoryModelStore(first.handle)
    let dog = try #require(try await store.list(Animal.self).first as? Dog)
    #expect([dog.kind, dog.name] == ["dog", "Fido"])
    #expect(dog.breed == nil)
    #expect(!dog.isDirty)
    #expect(store.scope.unsavedModels.isEmpty)
    dog.name = "Bello"
    dog.revert()
    #expect(dog.name == "Fido")
    dog.breed = "poodle"
    try await store.save(dog)
    #expect(try await MemoryModelStore(first.handle).list(Dog.self).map(\.name) == ["Fido"])
  }

  @Test func `A model is read with its stored relations, without the models that its class added`() async throws {
    let first = MemoryModelStore()
    let dog = Dog()
    try await first.save(dog)
    let (empty, full) = (Notebook(), Notebook())
    (empty.title, empty.owner, empty.pages) = (nil, nil, nil)
    (full.title, full.owner) = ("Full", dog)
    full.pages?.first?.title = "one"
    for notebook in [empty, full] { try await first.save(notebook) }
    let store = MemoryModelStore(first.handle)
    let read = try await store.list(Notebook.self)
    #expect(read.map(\.title) == [nil, "Full"])
    #expect(read.map(\.color) == ["blue", "blue"])
    #expect(read.map { $0.owner?.id } == [nil, dog.id])
    #expect(read.map { $0.pages?.map(\.title) } == [nil, ["one"]])
    #expect(read.allSatisfy { !$0.isDirty })
    try store.handle.commit(RecordBatch([.create("Notebook", "77", Array(#"{"id": 77}"#.utf8))]))
    #expect(try await store.lookup(Notebook.self, identifier: "77").pages == nil)
    #expect(try await store.count(Notebook.self, where: { $0.pages.contains { $0.title == "1" } }) == 0)
    #expect(try await store.count(Notebook.self, where: { $0.color == "blue" }) == 3)
    #expect(read.last?.owner?.isDirty == false)
    #expect(store.scope.unsavedModels.isEmpty)
  }

  @Test func `A value that a record lacks is the initial one, and is clean`() async throws {
    let store = MemoryModelStore()
    try await store.save(Label())
    let scope = MemoryModelStore(store.handle).scope
    for json in [#"{"id": 7, "text": "x"}"#, #"{"id": 8, "size": null}"#] {
      try store.handle.commit(RecordBatch([.create("Label", json.contains("7") ? "7" : "8", Array(json.utf8))]))
    }
    let labels = try await MemoryModelStore(store.handle, scope: scope).list(Label.self)
    #expect(labels.map(\.text) == ["new", "x", "new"])
    #expect(labels.map(\.size) == [12, 12, nil])
    #expect(labels.allSatisfy { !$0.isDirty })
    #expect(try await store.count(Label.self, where: { $0.size == 12 }) == 2)
  }

  @Test func `An unloaded reference is clean, and a save of it writes only edits`() async throws {
    let first = MemoryModelStore()
    let saved = Dog()
    saved.name = "Fido"
    try await first.save(saved)
    let notebook = Notebook()
    notebook.owner = saved
    try await first.save(notebook)
    let store = MemoryModelStore(first.handle)
    let owner = try #require(try await store.list(Notebook.self).first?.owner as? Dog)
    #expect(!owner.isDirty)
    owner.breed = "poodle"
    try await store.save(owner)
    let again = try #require(try await MemoryModelStore(first.handle).list(Dog.self).first)
    #expect([again.name, again.breed] == ["Fido", "poodle"])
    #expect(!Label.with(identifier: "4", in: store.scope).isDirty)
  }

  @Test func `A new model has them as edits, even if it is made from a dictionary`() async throws {
    #expect(Dog().isDirty)
    let dog = try Animal.from(dictionaryValue: ["kind": "dog", "breed": "poodle"])
    #expect(dog.name == "Rex")
    let label = try Label.from(dictionaryValue: ["size": 3])
    #expect(label.text == "new")
    let store = MemoryModelStore()
    try await store.save(label)
    #expect(try await MemoryModelStore(store.handle).list(Label.self).map(\.text) == ["new"])
  }

  @Test func `A value that is set to nil is sent with a creation where a new model has another one`() async throws {
    let server = BodyKeeper()
    let store = RESTModelStore(baseURL: try #require(URL(string: "https://a.example")), transport: server)
    let (card, plain, offline) = (Card(), Card(), Card())
    (card.color, card.note, plain.note) = (nil, nil, nil)
    offline.color = nil
    try await store.save(card)
    try await store.save(plain)
    let client = SyncModelStore(local: MemoryModelStore(), remote: store, types: [Card.self])
    try await client.save(offline)
    _ = try await client.sync()
    #expect(server.bodies[0].contains(#""color":null"#))
    #expect(server.bodies[1].contains(#""color":"red""#) && !server.bodies[1].contains("null"))
    #expect(server.bodies[2].contains(#""color":null"#))
    #expect(card.color == nil && !card.isDirty)
  }
}

private final class Card: Model {
  @Field var id: Int?
  @Field var color: String? = "red"
  @Field var note: String?
  override var identifierField: AnyField? { $id }
}

/// A server that creates a record for each POST, and keeps the bodies.
private final class BodyKeeper: HTTPTransport {
  private let sent = Mutex<[String]>([])
  var bodies: [String] { sent.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard request.method == .post else { return HTTPResponseData(status: 200, body: Data("[]".utf8)) }
    let number = sent.withLock { sent in
      sent.append(String(decoding: request.body ?? Data(), as: UTF8.self))
      return sent.count
    }
    return HTTPResponseData(status: 201, body: Data(#"{"id": \#(number)}"#.utf8))
  }
}
