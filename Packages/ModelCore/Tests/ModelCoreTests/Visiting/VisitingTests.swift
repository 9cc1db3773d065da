import ModelCore
import Testing

@Suite struct `Visiting` {
  private final class Half: Model {
    let id = Field<Int>()
    let other: ModelField<Half> = ModelField(inverse: { $0.other })
    override var identifierField: AnyField? { id }
  }

  private func keys(_ visit: ((AnyField) -> Void) -> Void) -> [String] {
    var keys: [String] = []
    visit { keys.append($0.key ?? "-") }
    return keys
  }

  @Test func `Visiting two models that reference each other visits each field once`() {
    let one = Half()
    let two = Half()
    one.id.value = 1
    two.id.value = 2
    one.other.value = two
    #expect(keys { one.visitAllFields(action: $0) } == ["id", "other", "id", "other"])
    var values = 0
    one.visitAllFieldValues { _ in values += 1 }
    #expect(values == 4)
  }

  @Test func `Visiting fields visits related models after their relation, or not at all`() {
    let firm = Workplace(name: "ACM", employees: [StaffMember(name: "Ada"), StaffMember(name: "Bob")])
    #expect(keys { firm.visitAllFields(recursive: false, action: $0) } == ["id", "name", "employees", "tags"])
    #expect(
      keys { firm.visitAllFields(action: $0) } == [
        "id", "name", "employees", "id", "name", "firm", "desk", "id", "name", "firm", "desk", "tags",
      ])
  }

  @Test func `Visiting fields is depth-first`() {
    let ada = StaffMember(name: "Ada")
    ada.desk.value = WorkDesk(place: "left")
    let firm = Workplace(name: "ACM", employees: [ada])
    #expect(
      keys { firm.visitAllFields(action: $0) } == [
        "id", "name", "employees", "id", "name", "firm", "desk", "place", "label.text", "tags",
      ])
  }

  @Test func `Visiting values includes elements of lists and nil`() {
    let firm = Workplace(name: "ACM", employees: [StaffMember(name: "Ada")])
    firm.tags.value = ["red", "blue"]
    var texts: [String] = []
    var nils = 0
    firm.visitAllFieldValues { value in
      if let text = value as? String { texts.append(text) }
      if value == nil { nils += 1 }
    }
    #expect(texts == ["ACM", "Ada", "red", "blue"])
    #expect(nils == 3)
    var own = 0
    firm.visitAllFieldValues(recursive: false) { _ in own += 1 }
    #expect(own == 4 + 1 + 2)
  }

  @Test func `Visiting a chain of 100,000 models needs no deep stack`() {
    let chain = ChainLink.chain(100_000)
    var count = 0
    chain[0].visitAllFields { _ in count += 1 }
    #expect(count == 200_000)
    #expect(chain[0].isBlank)
    chain[99_999].name.value = "end"
    #expect(!chain[0].isBlank)
    #expect(chain[0].incompleteModels().isEmpty)
  }
}

@Suite struct `Unloaded references` {
  @Test func `Unloaded references are found behind foreign keys and in lists`() throws {
    let scope = ModelScope()
    let album = try Album.from(dictionaryValue: ["id": 1, "title": "A", "tracks": ["x", "y"]], in: scope)
    let tracks = try #require(album.tracks.value)
    #expect(album.incompleteModels() == tracks)
    #expect(album.incompleteModels(recursive: false) == tracks)
    #expect(album.foreignKeyModels() == tracks)
    try tracks[0].read(["id": "x", "title": "X"])
    #expect(album.incompleteModels() == [tracks[1]])
  }

  @Test func `Unloaded references are found recursively through loaded models`() throws {
    let order = try Order.from(dictionaryValue: [
      "number": 1, "items": [["id": 1, "title": "T", "author": 7], ["id": 2, "title": "U"]],
    ])
    let author = try #require(order.items.value?[0].author.value)
    #expect(order.incompleteModels(recursive: false).isEmpty)
    #expect(order.incompleteModels() == [author])
    #expect(order.foreignKeyModels().isEmpty)
  }
}

@Suite struct `A blank model` {
  @Test func `A blank model has only blank fields`() {
    let author = Author()
    #expect(author.isBlank)
    author.name.value = ""
    #expect(author.isBlank)
    author.name.value = "Ada"
    #expect(!author.isBlank)
    let book = Book()
    book.year.value = 0
    #expect(!book.isBlank)
  }

  @Test func `A blank model may be related to blank models, even in cycles`() {
    let book = Book()
    let author = Author()
    book.author.value = author
    #expect(book.isBlank)
    #expect(author.isBlank)
    author.id.value = 1
    #expect(!book.isBlank)
    #expect(!author.isBlank)
    #expect(Author().isBlank)
  }

  @Test func `A blank model breaks a rule against blank values`() {
    let field = ModelField<Author>().require(.notBlank)
    field.value = Author()
    #expect(field.validate() == .invalid(["cannot be blank"]))
    field.value?.name.value = "Ada"
    #expect(field.validate() == .valid)
  }
}
