import Foundation
import SchemaKit
import Testing

/// The classes of `Generated/Pairs` are the pairs of files of the same model, with other class names.
@Suite struct `Generated classes of derived entities` {
  private static let json: AttributeDictionary = [
    "id": 1,
    "figures": [
      ["meta": ["kind": "Disc"], "id": 1, "radius": 2], ["meta": ["kind": "Tile"], "id": 2, "side": 3],
      ["meta": ["kind": "Ring"], "id": 3, "radius": 4, "width": 1],
    ],
  ]

  private static var schema: CoreDataSchema {
    get throws { try AuthorsModel.schema(`Generated Swift source`.drawing) }
  }

  @Test func `Generated classes are selected by each record, also through a relation to the abstract parent`() throws {
    let drawing = try Drawing.from(dictionaryValue: Self.json)
    let figures = try #require(drawing.figures.value)
    #expect(figures.map { "\(type(of: $0))" } == ["Disc", "Tile", "Ring"])
    #expect((figures[0] as? Disc)?.radius.value == 2)
    #expect((figures[1] as? Tile)?.side.value == 3)
    #expect((figures[2] as? Ring)?.width.value == 1)
    #expect(figures.allSatisfy { $0.drawing.value === drawing })
    #expect(Self.kinds(in: drawing.dictionaryValue) == ["Disc", "Tile", "Ring"])
    #expect(drawing.dictionaryValue["figures"]?[2]?["width"] == 1)
  }

  private static func kinds(in dictionary: AttributeDictionary) -> [String?] {
    (dictionary["figures"]?.arrayValue ?? []).map { $0["meta"]?["kind"]?.stringValue }
  }

  @Test func `Generated classes read equally from bytes, in a scope with the schema, and one by one`() throws {
    let data = try JSONValue.object(Self.json).jsonData()
    for scope in [ModelScope(), ModelScope(schema: try Self.schema)] {
      let drawing = try Drawing.from(json: data, in: scope)
      #expect(drawing.figures.value?.map { "\(type(of: $0))" } == ["Disc", "Tile", "Ring"])
      let written = try JSONValue(json: drawing.jsonData()).objectValue ?? [:]
      #expect(Self.kinds(in: written) == ["Disc", "Tile", "Ring"])
      let ring = try Figure.from(dictionaryValue: ["meta": ["kind": "Ring"], "id": 9, "width": 2], in: scope)
      #expect((ring as? Ring)?.width.value == 2)
      #expect(Figure.with(identifier: "9", in: scope) === ring)
    }
  }

  @Test func `A new model of a generated class has the name of its entity and is not dirty`() {
    let figures = [Disc(), Ring(), Tile(), Figure()]
    #expect(figures.map(\.kind.value) == ["Disc", "Ring", "Tile", "Figure"])
    #expect(figures.allSatisfy { !$0.isDirty })
    #expect(Ring().dictionaryValue == ["meta": ["kind": "Ring"]])
    #expect(Set(figures.map { type(of: $0).typeName }) == ["Figure"])
  }

  @Test func `A record that names no class, or an unrelated one, is read as the requested class`() throws {
    #expect(type(of: try Disc.from(dictionaryValue: ["id": 1])) == Disc.self)
    #expect(type(of: try Disc.from(dictionaryValue: ["id": 1, "meta": ["kind": "Tile"]])) == Disc.self)
    #expect(type(of: try Disc.from(dictionaryValue: ["id": 1, "meta": ["kind": "Ring"]])) == Ring.self)
    #expect(type(of: try Disc.from(dictionaryValue: ["id": 1, "meta": ["kind": "Globe"]])) == Disc.self)
    #expect(type(of: try Disc.from(dictionaryValue: ["id": 1, "meta": 7])) == Disc.self)
  }

  @Test func `Relations of generated pairs reference the classes that are edited by hand`() throws {
    let drawing = try PairDrawing.from(dictionaryValue: Self.json)
    let figures = try #require(drawing.figures.value)
    #expect(figures.map { "\(type(of: $0))" } == ["PairDisc", "PairTile", "PairRing"])
    #expect(figures.map(\.kind.value) == ["Disc", "Tile", "Ring"])
    #expect((figures[2] as? PairRing)?.width.value == 1)
    #expect(Self.kinds(in: drawing.dictionaryValue) == ["Disc", "Tile", "Ring"])
    #expect(PairRing().dictionaryValue == ["meta": ["kind": "Ring"]])
    #expect(Set([PairDisc.typeName, PairRing.typeName, PairFigure.typeName]) == ["PairFigure"])
    let figure = try PairFigureFields.from(dictionaryValue: ["meta": ["kind": "Ring"], "id": 4])
    #expect(type(of: figure) == PairRing.self)
  }

  @Test func `A generated class gets a field for the entity's name if no attribute has its key`() throws {
    let text = `Generated Swift source`.drawing.replacingOccurrences(
      of: "value=\"meta.kind\"/>\n      <entry key=\"doc", with: "value=\"meta.form\"/>\n      <entry key=\"doc"
    )
    .replacingOccurrences(of: "entityKeyPath\" value=\"meta.kind\"", with: "entityKeyPath\" value=\"type\"")
    let source = try AuthorsModel.schema(text).swiftSource(for: "Figure")
    #expect(source.contains("  /// The name of the entity.\n  let type: Field<String>\n"))
    #expect(source.contains("    type = Field<String>(Self.entityName)\n"))
    #expect(source.contains("    switch dictionary[\"type\"]?.stringValue {\n    case \"Figure\": Figure.self\n"))
    let none = text.replacingOccurrences(of: "entityKeyPath", with: "anything")
    #expect(!(try AuthorsModel.schema(none).swiftSource(for: "Figure").contains("instanceClass")))
  }

  @Test func `Source is not generated if the entity's name has no valid key path`() throws {
    func refusal(_ old: String, _ new: String, of entity: String = "Figure") throws -> SwiftSourceError? {
      let schema = try AuthorsModel.schema(`Generated Swift source`.drawing.replacingOccurrences(of: old, with: new))
      return #expect(throws: SwiftSourceError.self) { try schema.swiftSource(for: entity) }
    }
    let place = "entityKeyPath\" value=\"meta.kind\""
    #expect(try refusal(place, "entityKeyPath\" value=\"id\"")?.property == "id")
    #expect(try refusal(place, "entityKeyPath\" value=\"meta.drawing\"")?.reason.contains("\"drawing\"") == true)
    #expect(try refusal(place, "entityKeyPath\" value=\"side\"", of: "Tile")?.property == "side")
    #expect(try refusal(place, "entityKeyPath\" value=\"two words\"")?.property == nil)
  }

  @Test func `Handwritten classes get the name of their entity from the schema`() throws {
    let scope = ModelScope(schema: try Self.schema)
    let tile = WrittenTile(in: scope)
    #expect(tile.dictionaryValue == ["meta": ["kind": "Tile"]])
    #expect(!tile.isDirty)
    let read = try WrittenTile.from(dictionaryValue: ["id": 5], in: scope)
    #expect(read.dictionaryValue == ["id": 5, "meta": ["kind": "Tile"]])
  }

  private static let pairs = ["Drawing", "Figure", "Disc", "Ring", "Tile"].reduce(`Generated Swift source`.drawing) {
    $0.replacingOccurrences(
      of: "<entity name=\"\($1)\"", with: "<entity name=\"\($1)\" representedClassName=\"Pair\($1)\"")
  }

  @Test(arguments: ["Drawing", "Figure", "Disc", "Ring", "Tile"])
  func `Generated pairs equal the compiled files byte by byte`(entity: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Generated/Pairs")
    for file in try AuthorsModel.schema(Self.pairs).swiftFiles(for: entity) {
      let url = folder.appendingPathComponent(file.name)
      if ProcessInfo.processInfo.environment["SCHEMAKIT_UPDATE_GENERATED"] == "1" {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(file.text.utf8).write(to: url)
      }
      #expect(String(decoding: try Data(contentsOf: url), as: UTF8.self) == file.text)
    }
  }
}

private class WrittenFigure: Model, SchemaMapped {
  class var entityName: String { "Figure" }
  let id = Field<Int>()
  let kind = Field<String>()
  override var identifierField: AnyField? { id }
}

private final class WrittenTile: WrittenFigure {
  override class var entityName: String { "Tile" }
}
