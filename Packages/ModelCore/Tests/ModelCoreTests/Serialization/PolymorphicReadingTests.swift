import Foundation
import ModelCore
import Testing

@Suite struct `Reading a hierarchy` {
  @Test func `Reading a hierarchy creates the class that the object determines`() throws {
    let circle = try Shape.from(dictionaryValue: ["kind": "circle", "radius": 2])
    #expect((circle as? Circle)?.radius.value == 2)
    #expect(try Shape.from(dictionaryValue: ["kind": "square", "side": 3]) is Square)
    #expect(try Circle.from(dictionaryValue: ["kind": "circle"]).kind == "circle")
  }

  @Test func `Reading a hierarchy creates the class itself for nil and for other classes`() throws {
    #expect(type(of: try Shape.from(dictionaryValue: ["kind": "hexagon"])) == Shape.self)
    #expect(type(of: try Shape.from(dictionaryValue: ["kind": "author"])) == Shape.self)
    #expect(type(of: try Shape.from(dictionaryValue: [:])) == Shape.self)
    #expect(type(of: try Circle.from(dictionaryValue: ["kind": "square"])) == Circle.self)
  }

  @Test func `Reading a hierarchy works in lists and relations`() throws {
    let json = #"[{"kind": "circle", "radius": 1}, {"kind": "square", "side": 2}, {}]"#
    let shapes = try Shape.list(fromJSON: Data(json.utf8))
    #expect(shapes.map { String(describing: type(of: $0)) } == ["Circle", "Square", "Shape"])
    let drawing = try Drawing.from(json: Data(#"{"title": "D", "shapes": \#(json)}"#.utf8))
    #expect((drawing.shapes.value?.first as? Circle)?.radius.value == 1)
    #expect(drawing.dictionaryValue["shapes"]?[1] == ["kind": "square", "side": 2])
  }

  @Test func `Reading a hierarchy creates one object per identifier in the whole hierarchy`() throws {
    let scope = ModelScope()
    let circle = try Shape.from(dictionaryValue: ["id": 1, "kind": "circle"], in: scope)
    #expect(Shape.with(identifier: "1", in: scope) === circle)
    #expect(Circle.with(identifier: "1", in: scope) === circle)
    #expect(try Circle.from(dictionaryValue: ["id": 1, "radius": 5], in: scope) === circle)
  }

  @Test func `Reading a hierarchy rejects an identifier that belongs to a sibling`() throws {
    let scope = ModelScope()
    let circle = try Circle.from(dictionaryValue: ["id": 1, "radius": 5], in: scope)
    let error = #expect(throws: ModelDecodingError.self) {
      try Square.from(dictionaryValue: ["id": 1, "side": 5], in: scope)
    }
    #expect(
      error?.description == "expected Square, found an identifier that belongs to another type of model in this scope")
    #expect(circle.radius == 5)
  }

  @Test func `Reading a subclass names a reference to its model that was read before as another class`() throws {
    let scope = ModelScope()
    let shape = Shape.with(identifier: "1", in: scope)
    let error = #expect(throws: ModelDecodingError.self) {
      try Circle.from(dictionaryValue: ["id": 1, "kind": "circle"], in: scope)
    }
    #expect(
      error?.description.contains("an unloaded reference of the class Shape with this identifier; release it") == true)
    withExtendedLifetime(shape) {}
  }
}
