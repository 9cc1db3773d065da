import Testing

@_spi(ModelKitInternals) @testable import ModelCore

@Suite struct `The identity of a model in a scope` {
  private let scope = ModelScope()

  private func read(_ id: Int, _ name: String) throws -> Author {
    try Author.from(dictionaryValue: ["id": .int(id), "name": .string(name)], in: scope)
  }

  /// Returns the conflicts that a scope reports while a closure runs.
  private func conflicts(_ body: () throws -> Void) rethrows -> [String] {
    var received: [String] = []
    scope.conflictHandler = { received.append($0.identifier) }
    try body()
    return received
  }

  @Test func `A model with a new identifier is found under it in its scope`() throws {
    let ada = try read(1, "Ada")
    ada.id.value = 2
    #expect(Author.with(identifier: "2", in: scope) === ada)
    #expect(Author.with(identifier: "1", in: scope) !== ada)
    ada.id.value = nil
    #expect(Author.with(identifier: "2", in: scope) !== ada)
    ada.id.value = 3
    #expect(Author.with(identifier: "3", in: scope) === ada)
  }

  @Test func `A model is found under its new identifier before the observers of the identifier are notified`() throws {
    let ada = try read(1, "Ada")
    let scope = scope
    var found: [Bool] = []
    ada.id.addObserver(updateImmediately: false) { _, new in
      found.append(new.map { Author.with(identifier: String($0), in: scope) === ada } ?? false)
    }
    ada.id.value = 2
    #expect(found == [true])
  }

  @Test func `A model is found under an identifier that it read`() throws {
    let ada = try read(1, "Ada")
    try ada.read(["id": 5])
    #expect(Author.with(identifier: "5", in: scope) === ada)
    #expect(Author.with(identifier: "1", in: scope) !== ada)
  }

  @Test func `A model is found in its scope once it has its first identifier`() {
    let book = Book(title: "T")
    let author = Author.with(identifier: "1", in: scope)
    author.books.add(book)
    book.id.value = 9
    #expect(Book.with(identifier: "9", in: scope) === book)
  }

  @Test func `Reading the identifier of another live model throws and changes nothing`() throws {
    let ada = try read(1, "Ada")
    let bob = try read(2, "Bob")
    let error = #expect(throws: ModelDecodingError.self) { try bob.read(["id": 1, "name": "Robert"]) }
    #expect(error?.path == "id")
    #expect(bob.name == "Bob")
    #expect(bob.id == 2)
    try bob.read(["id": 2, "name": "Robert"])
    try bob.read(["id": 3])
    #expect(Author.with(identifier: "3", in: scope) === bob)
    #expect(Author.with(identifier: "1", in: scope) === ada)
  }

  @Test func `The first of two models with one identifier stays registered, and the conflict is reported`() throws {
    var ada: Author? = try read(1, "Ada")
    let bob = try read(2, "Bob")
    let received = conflicts {
      bob.id.value = 1
      bob.id.validate()
      bob.id.value = 1
    }
    #expect(received == ["1"])
    #expect(Author.with(identifier: "1", in: scope) === ada)
    #expect(bob.canonicalInstance(in: scope) === ada)
    ada = nil
    #expect(Author.with(identifier: "1", in: scope) === bob)
  }

  @Test func `The second of two models with one identifier is registered when the first one has another`() throws {
    let ada = try read(1, "Ada")
    let bob = try read(2, "Bob")
    _ = conflicts { bob.id.value = 1 }
    ada.id.value = 4
    #expect(Author.with(identifier: "1", in: scope) === bob)
    #expect(Author.with(identifier: "4", in: scope) === ada)
  }

  @Test func `A model is found under its temporary identifier, too, after a store replaced it`()
    throws
  {
    let ada = try read(-1, "Ada")
    let book = try Book.from(dictionaryValue: ["id": 7, "author": -1], in: scope)
    try scope.staged(["id": 10, "name": "Ada L."], into: ada)()
    #expect(Author.with(identifier: "10", in: scope) === ada)
    #expect(Author.with(identifier: "-1", in: scope) === ada)
    #expect(ada.id == 10)
    #expect(book.author.value === ada)
    let other = try Book.from(dictionaryValue: ["id": 8, "author": -1], in: scope)
    let third = try Book.from(dictionaryValue: ["id": 9, "author": 10], in: scope)
    #expect(ada.books.value == [book, other, third])
    let again = try read(-1, "Ada")
    #expect(again === ada)
  }

  @Test func `A model that is removed from its scope or deallocated leaves no alias`() throws {
    var ada: Author? = try read(-1, "Ada")
    if let ada { try scope.staged(["id": 10], into: ada)() }
    if let ada { scope.remove(ada) }
    #expect(Author.with(identifier: "-1", in: scope) !== ada)
    #expect(Author.with(identifier: "10", in: scope) !== ada)
    #expect(ada?.scope == nil)
    ada = try read(-2, "Bob")
    if let ada { try scope.staged(["id": 11], into: ada)() }
    weak let ghost = ada
    ada = nil
    #expect(ghost == nil)
    #expect(Author.with(identifier: "-2", in: scope).name.value == nil)
  }

  @Test func `The aliases of deallocated models are removed`() throws {
    for number in 1...1_000 {
      let model = try read(-number, "Ada")
      try scope.staged(["id": .int(number)], into: model)()
    }
    #expect(scope.map.aliases.count < 100)
    let ada = try read(-1, "Ada")
    #expect(ada.id.value == -1 && Author.with(identifier: "-1", in: scope) === ada)
  }

  @Test func `The canonical instance of a model is the live one with its identifier, or the model itself`() throws {
    let ada = try read(1, "Ada")
    let twin = Author(id: 1, name: "Ada")
    let bob = Author(id: 2, name: "Bob")
    let nobody = Author(name: "-")
    #expect(twin.canonicalInstance(in: scope) === ada)
    #expect(bob.canonicalInstance(in: scope) === bob)
    #expect(Author.with(identifier: "2", in: scope) === bob)
    #expect(nobody.canonicalInstance(in: scope) === nobody)
    #expect(nobody.scope == nil)
  }

  @Test func `A model of a subclass is found after a reference in the same document`() throws {
    let drawing = try Drawing.from(dictionaryValue: [
      "shapes": [1, 2, ["id": 1, "kind": "circle", "radius": 2.5], ["id": 2, "kind": "square"], 1]
    ])
    #expect(drawing.shapes.count == 2)
    #expect((drawing.shapes.value?[0] as? Circle)?.radius.value == 2.5)
    #expect(drawing.shapes.value?[1] is Square)
    let scoped = try Drawing.from(dictionaryValue: ["shapes": [1, ["id": 1, "kind": "circle"]]], in: scope)
    #expect(Shape.with(identifier: "1", in: scope) === scoped.shapes.value?.first)
    #expect(scoped.shapes.value?.first is Circle)
  }

  @Test func `Models without identifier are separate objects`() throws {
    let authors = try Author.list(
      fromJSON: try JSONValue.array([["id": 1], ["id": 1, "name": "A"], ["name": "B"], ["name": "C"]]).jsonData(),
      in: scope)
    #expect(authors[0] === authors[1])
    #expect(authors[2].id.value == nil)
    #expect(authors[2] !== authors[3])
  }
}
