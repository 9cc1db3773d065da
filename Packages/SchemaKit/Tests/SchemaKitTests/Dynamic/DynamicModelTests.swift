import Foundation
import SchemaKit
import Testing

@Suite struct `A model of an entity without a class` {
  private let schema: CoreDataSchema

  init() throws { schema = try AuthorsModel.schema().with(transformers: sampleTransformers) }

  @Test func `A dynamic model has the fields of its entity, read by their keys`() throws {
    let author = try DynamicModel(entity: "Author", in: schema, dictionaryValue: ninasBooks)
    #expect(author["firstName"] as? String == "Nina")
    #expect(author["authorId"] as? Int == 105)
    #expect(author["author_id"] as? Int == 105)
    #expect(author["dateOfBirth"] as? Date == Date(timeIntervalSince1970: -149_904_000))
    #expect(author.identifier == "105")
    #expect(author.entity?.name == "Author")
  }

  @Test func `A dynamic model has related models with inverses`() throws {
    let author = try DynamicModel(entity: "Author", in: schema, dictionaryValue: ninasBooks)
    let books = try #require(author["books"] as? [DynamicModel])
    #expect(books.map { $0["title"] as? String } == ["Salt", "Fog"])
    #expect(books.allSatisfy { $0["author"] as? DynamicModel === author })
    #expect(books[0]["tags"] as? [String] == ["sea", "north"])
    #expect((books[1]["pricing"] as? DynamicModel)?["book"] as? DynamicModel === books[1])
    #expect(books[1]["retailPrice"] as? Double == 14.99)
  }

  @Test func `A dynamic model is written as it was read, with numbers as numbers`() throws {
    let json: AttributeDictionary = ["book_id": "7", "pricing": ["pricing_id": "3", "retail_price": "4.5"]]
    let book = try DynamicModel(entity: "Book", in: schema, dictionaryValue: json)
    let pricing: JSONValue = ["pricing_id": 3, "retail_price": 4.5, "book": ["book_id": 7]]
    #expect(book.dictionaryValue == ["book_id": 7, "pricing": pricing])
    #expect(String(decoding: try book.jsonData(), as: UTF8.self).contains("\"book_id\":7"))
  }

  @Test func `A dynamic model accepts related models as dictionaries and by name`() throws {
    let author = try DynamicModel(entity: "Author", in: schema)
    try author.add(["title": "Salt", "book_id": 1], forKey: "books")
    let book = try DynamicModel(entity: "Book", in: schema)
    try author.add(book, forKey: "books")
    #expect((author["books"] as? [DynamicModel])?.count == 2)
    #expect(book["author"] as? DynamicModel === author)
    try author.remove(book, forKey: "books")
    #expect(book["author"] == nil)
    #expect(throws: FieldError.self) { try author.add(book, forKey: "novels") }
    let pricing = try DynamicModel(entity: "Pricing", in: schema)
    #expect(throws: FieldError.self) { try author.add(pricing, forKey: "books") }
  }

  @Test func `A scope has one dynamic model per identifier, and each entity is a type of its own`() throws {
    let scope = ModelScope(schema: schema)
    let one = try DynamicModel(entity: "Book", in: schema, dictionaryValue: ["book_id": 7, "title": "A"], scope: scope)
    let two = try DynamicModel(entity: "Book", in: schema, dictionaryValue: ["book_id": 7, "title": "B"], scope: scope)
    let other = try DynamicModel(entity: "Pricing", in: schema, dictionaryValue: ["pricing_id": 7], scope: scope)
    #expect(one === two)
    #expect(one["title"] as? String == "B")
    #expect(other !== one)
    #expect(schema.modelType("Book").with(identifier: "7", in: scope) === one)
    #expect(schema.modelType("Book") != schema.modelType("Pricing"))
    #expect(schema.modelType("Book").name == "Book")
  }

  @Test func `A dynamic model is observed and validated`() throws {
    let text = AuthorsModel.model(
      """
      <entity name="Person">
        <attribute name="name" attributeType="String" minValueString="2" regularExpressionString="[A-Z].*"/>
        <attribute name="age" optional="YES" attributeType="Integer 16" minValueString="0" maxValueString="130"/>
        <attribute name="kind" attributeType="String" defaultValueString="guest"/>
      </entity>
      """)
    let schema = try AuthorsModel.schema(text)
    let person = try DynamicModel(entity: "Person", in: schema)
    #expect(person["kind"] as? String == "guest")
    #expect(!person.isDirty)
    #expect(person.validate() == .invalid(["name is required"]))
    var seen: [String?] = []
    try #require(person.field("name", of: String.self)) --> { (name: String?) in seen.append(name) }
    person["name"] = "ada"
    person["age"] = 131
    #expect(seen == [nil, "ada"])
    #expect(person.validationErrors.isEmpty)
    #expect(
      person.validate()
        == .invalid(["name has the wrong format", "age must be less than or equal to 130"]))
    person["name"] = "Ada"
    person["age"] = 36
    #expect(person.validate().isValid)
  }

  @Test func `A copy of a dynamic model has copies of its relations`() throws {
    let author = try DynamicModel(entity: "Author", in: schema, dictionaryValue: ninasBooks)
    let copy = author.copy()
    let books = try #require(copy["books"] as? [DynamicModel])
    #expect(copy !== author)
    #expect(copy["firstName"] as? String == "Nina")
    #expect(books.count == 2)
    #expect(books.allSatisfy { $0["author"] as? DynamicModel === copy })
    #expect((author["books"] as? [DynamicModel])?.allSatisfy { $0["author"] as? DynamicModel === author } == true)
  }

  @Test func `A dynamic model keeps its type when an equal schema is read again`() throws {
    let (one, two) = (try AuthorsModel.schema(), try AuthorsModel.schema())
    #expect(one.modelType("Author") == two.modelType("Author"))
    #expect(try AuthorsModel.schema(AuthorsModel.second).modelType("Author") != one.modelType("Author"))
  }

  @Test func `A dynamic model is not created from a missing or abstract entity`() throws {
    #expect(throws: SchemaMappingError.unknownEntity("Poet", known: ["Author", "Book", "Pricing"])) {
      try DynamicModel(entity: "Poet", in: schema)
    }
    let abstract = try AuthorsModel.schema(AuthorsModel.model("<entity name=\"Shape\" isAbstract=\"YES\"/>"))
    #expect(throws: SchemaMappingError.abstractEntity("Shape")) {
      try DynamicModel(entity: "Shape", in: abstract, dictionaryValue: [:])
    }
  }

  @Test func `A dynamic model keeps values without a transformer as JSON`() throws {
    let book = try DynamicModel(entity: "Book", in: AuthorsModel.schema(), dictionaryValue: ["tags": "sea,north"])
    #expect(book["tags"] as? JSONValue == "sea,north")
    #expect(book.dictionaryValue == ["tags": "sea,north"])
  }
}
