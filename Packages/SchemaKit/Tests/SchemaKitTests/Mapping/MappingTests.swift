import Foundation
import SchemaKit
import Testing

private class Shape: Model, SchemaMapped {
  class var entityName: String { "Shape" }
  let id = Field<Int>()
  let label = Field<String>()
  let canvas = ModelField<Canvas>()
  override var identifierField: AnyField? { id }
}

private final class Circle: Shape {
  override class var entityName: String { "Circle" }
  let radius = Field<Double>()
  let code = Field<String>()
}

private final class Canvas: Model, SchemaMapped {
  static let entityName = "Canvas"
  let shapes = ModelField<Shape>()*
  let title = Field<String>(key: "own_title")
}

@Suite struct `Mapping by a schema` {
  private static let drawing = AuthorsModel.model(
    """
    <entity name="Shape">
      <attribute name="id" attributeType="Integer 64"/>
      <attribute name="label" attributeType="String" defaultValueString="none" minValueString="2">
        <userInfo><entry key="jsonKeyPath" value="meta.label"/></userInfo>
      </attribute>
      <relationship name="canvas" maxCount="1" deletionRule="Nullify" destinationEntity="Canvas" inverseName="shapes" inverseEntity="Canvas"/>
    </entity>
    <entity name="Circle" parentEntity="Shape">
      <attribute name="radius" optional="YES" attributeType="Double" defaultValueString="1" minValueString="0" maxValueString="9.5"/>
      <attribute name="code" optional="YES" attributeType="String" regularExpressionString="[A-Z]{2}"/>
    </entity>
    <entity name="Canvas">
      <attribute name="title" optional="YES" attributeType="String">
        <userInfo><entry key="jsonKeyPath" value="name"/></userInfo>
      </attribute>
      <relationship name="shapes" optional="YES" toMany="YES" maxCount="2" deletionRule="Cascade" destinationEntity="Shape" inverseName="canvas" inverseEntity="Shape"/>
    </entity>
    """)

  @Test func `A schema maps derived classes`() throws {
    let scope = ModelScope(schema: try AuthorsModel.schema(Self.drawing))
    let circle = try Circle.from(dictionaryValue: ["id": 1, "meta": ["label": "big"], "radius": "2.5"], in: scope)
    #expect(circle.label.value == "big")
    #expect(circle.radius.value == 2.5)
    #expect(circle.dictionaryValue == ["id": 1, "meta": ["label": "big"], "radius": 2.5])
  }

  @Test func `A schema gives rules to fields`() throws {
    let scope = ModelScope(schema: try AuthorsModel.schema(Self.drawing))
    let circle = Circle(in: scope)
    circle.id.value = 1
    circle.radius.value = 10
    circle.label.value = "x"
    circle.code.value = "ABC"
    #expect(
      circle.validate().messages.sorted() == [
        "canvas is required", "code has the wrong format",
        "meta.label length must be greater than or equal to 2",
        "radius must be less than or equal to 9.5",
      ])
    let canvas = Canvas(in: scope)
    for number in 1...3 {
      let shape = Shape(in: scope)
      shape.id.value = number
      canvas.shapes.add(shape)
    }
    #expect(canvas.validate() == .invalid(["shapes must have at most 2 members"]))
  }

  @Test func `A schema gives all defaults to new models, and required ones to models that are read`() throws {
    let scope = ModelScope(schema: try AuthorsModel.schema(Self.drawing))
    let made = Circle(in: scope)
    #expect(made.label.value == "none")
    #expect(made.radius.value == 1)
    #expect(!made.label.isDirty)
    let read = try Circle.from(dictionaryValue: ["id": 7], in: scope)
    #expect(read.label.value == "none")
    #expect(read.radius.value == nil)
    let author = Author(in: try sampleScope())
    #expect(author.authorId.value == nil)
  }

  @Test func `A list keeps its order, even when it is read again in another order`() throws {
    let scope = ModelScope(schema: try AuthorsModel.schema(Self.drawing))
    let canvas = try Canvas.from(dictionaryValue: ["shapes": [["id": 2], ["id": 1]]], in: scope)
    #expect(canvas.shapes.value?.map(\.id.value) == [2, 1])
    try canvas.read(["shapes": [["id": 1], ["id": 2]]])
    #expect(canvas.shapes.value?.map(\.id.value) == [1, 2])
  }

  @Test func `A schema gives delete rules and inverses`() throws {
    let scope = ModelScope(schema: try AuthorsModel.schema(Self.drawing))
    let (canvas, circle) = (Canvas(in: scope), Circle(in: scope))
    circle.canvas.value = canvas
    #expect(canvas.shapes.value == [circle])
    #expect(canvas.shapes.deleteRule == .cascade)
    canvas.shapes.removeAll()
    #expect(circle.canvas.value == nil)
  }

  @Test func `The declaration of a field takes precedence over the schema`() throws {
    let scope = ModelScope(schema: try AuthorsModel.schema(Self.drawing))
    let canvas = try Canvas.from(dictionaryValue: ["own_title": "A", "name": "B"], in: scope)
    #expect(canvas.title.value == "A")
  }

  @Test func `A missing transformer is named in the error, and nothing is changed`() throws {
    let scope = ModelScope(schema: try AuthorsModel.schema(), transformers: ["StringArray": CommaText()])
    let error = #expect(throws: ModelDecodingError.self) {
      try Author.from(dictionaryValue: ["author_id": 1, "born": "1965-04-02"], in: scope)
    }
    #expect(error.map { "\($0)" }?.contains("\"Date\"") == true)
    #expect(error.map { "\($0)" }?.contains("born") == true)
    #expect(throws: Never.self) { try Author.from(dictionaryValue: ["author_id": 1], in: scope) }
    let wrong = ModelScope(schema: try AuthorsModel.schema(), transformers: ["Date": CommaText()])
    let unfit = #expect(throws: ModelDecodingError.self) {
      try Author.from(dictionaryValue: ["born": "1965-04-02"], in: wrong)
    }
    #expect(unfit.map { "\($0)" }?.contains("returns Array<String>, but the field has Date") == true)
  }

  @Test func `A class has one mapping per scope`() throws {
    let third = try Book.from(dictionaryValue: ["book_id": 1], in: sampleScope())
    let first = try Book.from(dictionaryValue: ["bookId": 1, "title": "Salt"], in: sampleScope(AuthorsModel.first))
    #expect(third.dictionaryValue == ["book_id": 1])
    #expect(first.dictionaryValue == ["bookId": 1, "title": "Salt"])
    #expect(String(decoding: try third.jsonData(), as: UTF8.self) == #"{"book_id":1}"#)
    let bare = Book()
    bare.bookId.value = 2
    #expect(bare.dictionaryValue == ["bookId": 2])
    #expect(bare.dictionaryValue(fields: [bare.bookId], in: try sampleScope()) == ["book_id": 2])
  }

  @Test func `A mapping does not use the keys of a released one`() throws {
    // A new mapping often has the address of the one that was released last.
    let schemas = [try AuthorsModel.schema(AuthorsModel.first), try AuthorsModel.schema()]
    for _ in 0..<100 {
      for (schema, key) in zip(schemas, ["bookId", "book_id"]) {
        let record: AttributeDictionary = [key: 2]
        let scope = ModelScope(schema: schema, transformers: sampleTransformers)
        let book = try Book.from(dictionaryValue: record, in: scope)
        try #require(book.bookId.value == 2)
        try #require(try Book.from(json: Data(#"{"\#(key)":3}"#.utf8), in: scope).bookId.value == 3)
        try #require(book.dictionaryValue == record)
      }
    }
  }

  @Test func `Mapping gives the same models from bytes and from dictionaries`() throws {
    let data = Data(#"{"firstName":"Nina","author_id":105,"born":"1965-04-02"}"#.utf8)
    let scope = try sampleScope()
    let author = try Author.from(json: data, in: scope)
    #expect(author.authorId.value == 105)
    #expect(author.dateOfBirth.value != nil)
    #expect(try Author.from(json: Data(#"{"author_id":"105","lastName":"Lund"}"#.utf8), in: scope) === author)
    #expect(author.lastName.value == "Lund")
    #expect(Author.with(identifier: "105", in: scope) === author)
  }

  @Test func `A copy of a model keeps its mapping`() throws {
    let author = try Author.from(dictionaryValue: ninasBooks, in: sampleScope())
    let copy = author.copy()
    #expect(copy.books.count == 2)
    #expect(copy.books.value?.allSatisfy { $0.author.value === copy } == true)
    #expect(copy.authorId.key == "author_id")
  }

  @Test func `Mapped numbers are read from text only without loss`() throws {
    for wrong: JSONValue in ["12x", "1.5", 1.5, true] {
      #expect(throws: ModelDecodingError.self) { try Book.from(dictionaryValue: ["book_id": wrong], in: sampleScope()) }
    }
  }

  @Test func `Mapping issues report missing fields and fields of another type`() throws {
    #expect(Author.mappingIssues(in: try AuthorsModel.schema(), transformers: sampleTransformers) == [])
    let issues = Canvas.mappingIssues(
      in: try AuthorsModel.schema(
        AuthorsModel.model(
          """
          <entity name="Canvas">
            <attribute name="title" attributeType="Integer 16"/>
            <attribute name="size" attributeType="Double"/>
            <attribute name="shapes" attributeType="String"/>
          </entity>
          """)))
    #expect(issues.map(\.kind) == [.unfitClass, .unfitClass, .unfitClass])
    #expect(issues.last?.description == "line 5: Canvas has no field size.")
    #expect(Canvas.mappingIssues(in: try AuthorsModel.schema()).first?.kind == .unfitClass)
  }
}
