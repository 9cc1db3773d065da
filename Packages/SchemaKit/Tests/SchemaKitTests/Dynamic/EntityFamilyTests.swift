import Foundation
import SchemaKit
import Testing

@Suite struct `Entities that are derived from others` {
  private let schema: CoreDataSchema

  init() throws {
    schema = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="Shape" isAbstract="YES">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <relationship name="canvas" optional="YES" destinationEntity="Canvas" inverseName="shapes" inverseEntity="Canvas"/>
        </entity>
        <entity name="Circle" parentEntity="Shape">
          <attribute name="radius" optional="YES" attributeType="Double"/>
        </entity>
        <entity name="Square" parentEntity="Shape">
          <attribute name="side" optional="YES" attributeType="Double"/>
        </entity>
        <entity name="Canvas">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <relationship name="shapes" optional="YES" toMany="YES" destinationEntity="Shape" inverseName="canvas" inverseEntity="Shape"/>
        </entity>
        """))
  }

  @Test func `A relation to a parent entity has models of each derived entity`() throws {
    let json: AttributeDictionary = [
      "id": 1, "shapes": [["entity": "Circle", "id": 1, "radius": 2], ["entity": "Square", "id": 2, "side": 3]],
    ]
    let canvas = try DynamicModel(entity: "Canvas", in: schema, dictionaryValue: json)
    let shapes = try #require(canvas["shapes"] as? [DynamicModel])
    #expect(shapes.map { $0.entity?.name } == ["Circle", "Square"])
    #expect(shapes.map { $0["radius"] as? Double } == [2, nil])
    #expect(shapes.allSatisfy { $0["canvas"] as? DynamicModel === canvas })
    let written = canvas.dictionaryValue["shapes"]?.arrayValue ?? []
    #expect(written.map { $0["entity"] } == ["Circle", "Square"])
    #expect(written.map { $0["radius"] } == [2, nil])
    let circle = try DynamicModel(entity: "Circle", in: schema)
    try canvas.add(circle, forKey: "shapes")
    #expect((canvas["shapes"] as? [DynamicModel])?.count == 3)
  }

  @Test func `Derived entities share the identity of their parent and write their entity's name`() throws {
    let scope = ModelScope(schema: schema)
    let shape = try DynamicModel(
      entity: "Shape", in: schema, dictionaryValue: ["entity": "Circle", "id": 7, "radius": 1], scope: scope)
    #expect(shape.entity?.name == "Circle")
    #expect(shape.dictionaryValue == ["entity": "Circle", "id": 7, "radius": 1])
    let same = try DynamicModel(entity: "Circle", in: schema, dictionaryValue: ["id": 7, "radius": 2], scope: scope)
    #expect(same === shape)
    #expect(schema.modelType("Shape").with(identifier: "7", in: scope) === shape)
    #expect(schema.modelType("Circle").name == "Shape")
    #expect(!shape.isDirty)
  }

  @Test func `Models of abstract entities, and of abstract names in JSON, are not created`() throws {
    #expect(throws: SchemaMappingError.abstractEntity("Shape")) {
      try DynamicModel(entity: "Shape", in: schema, dictionaryValue: ["id": 1])
    }
    let other = try DynamicModel(entity: "Circle", in: schema, dictionaryValue: ["entity": "Square", "id": 1])
    #expect(other.entity?.name == "Circle")
  }

  @Test func `A model file chooses the key or attribute of the entity's name`() throws {
    let schema = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="Shape">
          <attribute name="kind" optional="YES" attributeType="String"/>
          <userInfo><entry key="entityKeyPath" value="kind"/></userInfo>
        </entity>
        <entity name="Circle" parentEntity="Shape"/>
        """))
    let circle = try DynamicModel(entity: "Shape", in: schema, dictionaryValue: ["kind": "Circle"])
    #expect(circle.entity?.name == "Circle")
    #expect(try DynamicModel(entity: "Circle", in: schema)["kind"] as? String == "Circle")
    #expect(try DynamicModel(entity: "Shape", in: schema).dictionaryValue == ["kind": "Shape"])
  }

  @Test func `A hierarchy may have any depth, and cycles`() throws {
    let entities = (1..<12).map { "<entity name=\"E\($0)\" parentEntity=\"E\($0 - 1)\"/>" }.joined()
    let circle = "<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>"
    let top = "<entity name=\"E0\"><attribute name=\"id\" optional=\"YES\" attributeType=\"Integer 64\"/></entity>"
    let schema = try AuthorsModel.schema(AuthorsModel.model(top + entities + circle))
    let last = try DynamicModel(entity: "E0", in: schema, dictionaryValue: ["entity": "E11", "id": 3])
    #expect(last.entity?.name == "E11")
    #expect(try DynamicModel(entity: "A", in: schema).entity?.name == "A")
    #expect(try DynamicModel(entity: "B", in: schema).entity?.name == "B")
  }

  @Test func `A model of a derived entity prints as its entity and not as a class`() throws {
    let circle = try DynamicModel(entity: "Circle", in: schema, dictionaryValue: ["id": 7])
    #expect("\(circle)".hasPrefix("Circle(id: 7"))
    #expect(String(reflecting: circle).hasPrefix("Circle(id: 7"))
    #expect("\(try DynamicModel(entity: "Circle", in: schema))".hasPrefix("Circle("))
    let canvas = try DynamicModel(entity: "Canvas", in: schema)
    func message(_ work: () throws -> Void) -> String {
      do {
        try work()
        return "nothing"
      } catch {
        return "\(error)"
      }
    }
    let stranger = message { try canvas.add(try DynamicModel(entity: "Canvas", in: schema), forKey: "shapes") }
    #expect(stranger.contains("Shape") && stranger.contains("Canvas") && !stranger.contains("EntityClass"))
    let unfit = message { try circle.read(["radius": "wide"]) }
    #expect(unfit.contains("radius") && !unfit.contains("Entity"))
  }
}
