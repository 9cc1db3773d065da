import ModelCore
import Testing

private final class Item: Model {
  let id = Field<Int>(key: "item_id")
  let retailPrice = Field<Double>(key: "pricing.retail_price")
  let pricing = ModelField<Pricing>(inverse: \.item)
  override var identifierField: AnyField? { id }
}

private final class Pricing: Model {
  let id = Field<Int>(key: "pricing_id")
  let retail = Field<Double>(key: "retail_price")
  let item = ModelField<Item>()
}

@Suite struct `A related model from a dictionary` {
  private let author = Author(id: 5, name: "Ada")

  @Test func `A related model from a dictionary is added to a to-many relation, on both sides`() throws {
    try author.add(["id": 1, "title": "A"], forKey: "books")
    #expect(author.books.value?.map(\.title.value) == ["A"])
    #expect(author.books.value?.first?.author.value === author)
    try author.add([["id": 2, "title": "B"], ["id": 3, "title": "C"]], forKey: "books")
    #expect(author.books.value?.compactMap(\.id.value) == [1, 2, 3])
    #expect(author.books.value?.allSatisfy { $0.author.value === author } == true)
  }

  @Test func `A related model from a dictionary may be a live one of the scope`() throws {
    let scope = ModelScope()
    let ada = try Author.from(dictionaryValue: ["id": 5], in: scope)
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A"], in: scope)
    try ada.add(["id": 1, "title": "B", "author": ["id": 5, "name": "Ada"]], forKey: "books")
    #expect(ada.books.value == [book])
    #expect(book.title == "B")
    #expect(book.author.value === ada)
    #expect(ada.name == "Ada")
  }

  @Test func `A related model from a dictionary is set in a to-one relation, also nested under its key`() throws {
    let item = Item()
    try item.set(["pricing": ["pricing_id": 101, "retail_price": 14.99]], forKey: "pricing")
    #expect(item.pricing.value?.retail.value == 14.99)
    #expect(item.pricing.value?.item.value === item)
    try item.set(["pricing_id": 102, "retail_price": 5], forKey: "pricing")
    #expect(item.pricing.value?.id.value == 102)
    let person = Person()
    try person.set(["name": "child", "parent": ["name": "grandparent"]], forKey: "parent")
    #expect(person.parent.value?.name.value == "child")
    #expect(person.parent.value?.parent.value?.name.value == "grandparent")
  }

  @Test func `A related model from a dictionary that does not fit changes nothing, and the error has the path`() throws
  {
    let error = #expect(throws: ModelDecodingError.self) {
      try author.add([["title": "A"], ["year": "MCM"]], forKey: "books")
    }
    #expect(error?.path == "books[1].year")
    #expect(author.books.value == [])
    let other = #expect(throws: ModelDecodingError.self) { try Book(title: "A").set(["name": 7], forKey: "author") }
    #expect(other?.path == "author.name")
  }

  @Test func `A related model from a dictionary needs a relation of the right cardinality`() {
    #expect(refusal { try author.add(["id": 1], forKey: "novels") } == .notFound)
    #expect(refusal { try author.set(["id": 1], forKey: "novels") } == .notFound)
    #expect(refusal { try author.add([["id": 1]], forKey: "name") } == .notFound)
    #expect(refusal { try author.set(["id": 1], forKey: "books") } == .wrongCardinality)
    #expect(refusal { try Book(title: "A").add(["id": 1], forKey: "author") } == .wrongCardinality)
  }
}
