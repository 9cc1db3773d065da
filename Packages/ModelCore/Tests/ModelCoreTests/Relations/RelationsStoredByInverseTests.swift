import FieldKit
import ModelCore
import Testing

private final class Shelf: Model {
  @Field var id: Int?
  @Field var name: String?
  @ModelArrayField var novels: [Novel]?
  override var identifierField: AnyField? { $id }
}

private final class Novel: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$novels) var shelf: Shelf?
  override var identifierField: AnyField? { $id }
}

/// Its members have no records of their own.
private final class Receipt: Model {
  @Field var id: Int?
  @ModelArrayField var lines: [ReceiptLine]?
  override var identifierField: AnyField? { $id }
}

private final class ReceiptLine: Model {
  @Field var text: String?
  @ModelField(foreignKey: true, inverse: \.$lines) var receipt: Receipt?
}

/// It chooses to write its list.
private final class Catalogue: Model {
  @Field var id: Int?
  @ModelArrayField(inverse: \.$catalogue) var entries: [Entry]?
  override var identifierField: AnyField? { $id }
  override func fieldsForDictionaryValue() -> [AnyField] { fields }
}

private final class Entry: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var catalogue: Catalogue?
  override var identifierField: AnyField? { $id }
}

/// Its list is declared as identifiers.
private final class Team: Model {
  @Field var id: Int?
  @ModelArrayField(foreignKey: true) var players: [Player]?
  override var identifierField: AnyField? { $id }
}

private final class Player: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$players) var team: Team?
  override var identifierField: AnyField? { $id }
}

@Suite struct `A list whose members store it` {
  private func shelf(of count: Int) -> Shelf {
    let shelf = Shelf()
    (shelf.id, shelf.name) = (1, "A")
    // A list retains the members that are set in it.
    shelf.novels = (0..<count).map { id in
      let novel = Novel()
      novel.id = id
      return novel
    }
    return shelf
  }

  @Test func `A list whose members have a foreign key is not written, as bytes and as a dictionary`() throws {
    let shelf = shelf(of: 2)
    #expect(shelf.novels?.count == 2)
    #expect(shelf.dictionaryValue == ["id": 1, "name": "A"])
    #expect(String(decoding: try [shelf].jsonData(), as: UTF8.self) == #"[{"id":1,"name":"A"}]"#)
    #expect(shelf.fieldsForDictionaryValue().compactMap(\.key) == ["id", "name"])
    #expect(shelf.fields.compactMap(\.key) == ["id", "name", "novels"])
    #expect(shelf.novels?.first?.dictionaryValue == ["id": 0, "shelf": 1])
  }

  @Test func `A list whose members have a foreign key is not written inside another model`() throws {
    final class Room: Model {
      @ModelField var shelf: Shelf?
    }
    let room = Room()
    room.shelf = shelf(of: 1)
    #expect(room.dictionaryValue == ["shelf": ["id": 1, "name": "A"]])
    #expect(String(decoding: try room.jsonData(), as: UTF8.self) == #"{"shelf":{"id":1,"name":"A"}}"#)
  }

  @Test func `A list whose members have a foreign key is read from a document that embeds it`() throws {
    let shelf = try Shelf.from(dictionaryValue: ["id": 1, "novels": [["id": 2], ["id": 3]]])
    #expect(shelf.novels?.map(\.id) == [2, 3])
    #expect(shelf.$novels.count == 2)
    #expect(shelf.novels?.allSatisfy { $0.shelf === shelf } == true)
    #expect(shelf.dictionaryValue == ["id": 1])
  }

  @Test func `A list of members without identifier is written, because they have no records`() {
    let receipt = Receipt()
    let line = ReceiptLine()
    (receipt.id, line.text) = (1, "tea")
    line.receipt = receipt
    #expect(receipt.dictionaryValue == ["id": 1, "lines": [["receipt": 1, "text": "tea"]]])
  }

  @Test func `A list is written if its class chooses all fields, or if it is declared as foreign keys`() {
    let catalogue = Catalogue(), entry = Entry()
    (catalogue.id, entry.id) = (1, 2)
    catalogue.entries = [entry]
    #expect(catalogue.dictionaryValue == ["id": 1, "entries": [["id": 2, "catalogue": 1]]])
    let team = Team(), player = Player()
    (team.id, player.id) = (1, 2)
    player.team = team
    #expect(team.dictionaryValue == ["id": 1, "players": [2]])
  }

  @Test func `A list that is not in the document is nil, and empty in a new model`() throws {
    #expect(Shelf().novels == [])
    let shelf = try Shelf.from(dictionaryValue: ["id": 1])
    #expect(shelf.novels == nil)
    #expect(shelf.$novels.count == nil)
    let novel = Novel()
    novel.shelf = shelf
    #expect(shelf.novels == [novel])
    #expect(shelf.$novels.count == nil)
    let other = try Novel.from(dictionaryValue: ["id": 1, "shelf": 7])
    #expect(other.shelf?.novels == [other])
  }

  @Test func `A list that was added at run time is not written if its members store it`() throws {
    final class Box: Model {
      @Field var id: Int?
      override var identifierField: AnyField? { $id }
    }
    final class Item: Model {
      @Field var id: Int?
      @ModelField(foreignKey: true) var box: Box?
      override var identifierField: AnyField? { $id }
    }
    func box() throws -> Box {
      let box = Box()
      try box.add(field: ModelArrayField<Item>(key: "items", inverse: \.$box))
      return box
    }
    for _ in 0..<2 {
      let box = try box(), item = Item()
      (box.id, item.id) = (1, 2)
      try box.add(item, forKey: "items")
      #expect(item.box === box)
      #expect(box.dictionaryValue == ["id": 1])
    }
  }
}
