import FieldKit
import ModelCore
import Testing

private final class Owner: Model {
  @Field var id: Int?
  @Field var name: String?
  @ModelField var part: Part?
  override var identifierField: AnyField? { $id }
}

private final class Part: Model {
  @Field var id: Int?
  @Field var bio: String?
  @ModelField(foreignKey: true, inverse: \.$part) var owner: Owner?
  override var identifierField: AnyField? { $id }
}

/// It has a relation of each kind.
private final class House: Model {
  @Field var id: Int?
  @ModelField var address: Address?
  @ModelField(inverse: \.$house) var deed: Deed?
  @ModelField(foreignKey: true, inverse: \.$house) var broker: Broker?
  @ModelField var label: Label?
  override var identifierField: AnyField? { $id }
}

/// It has no record of its own.
private final class Address: Model {
  @Field var city: String?
}

/// Its relation is not a foreign key.
private final class Deed: Model {
  @Field var id: Int?
  @ModelField var house: House?
  override var identifierField: AnyField? { $id }
}

/// Both sides of its relation are foreign keys.
private final class Broker: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var house: House?
  override var identifierField: AnyField? { $id }
}

/// The inverse of its relation embeds one model without identifier.
private final class Label: Model {
  @Field var text: String?
  @ModelField(foreignKey: true, inverse: \.$label) var house: House?
}

/// It chooses to write its relation.
private final class Cover: Model {
  @Field var id: Int?
  @ModelField var card: Card?
  override var identifierField: AnyField? { $id }
  override func fieldsForDictionaryValue() -> [AnyField] { fields }
}

private final class Card: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$card) var cover: Cover?
  override var identifierField: AnyField? { $id }
}

/// The inverse of its relation is a list of foreign keys.
private final class Page: Model {
  @Field var id: Int?
  @ModelField(inverse: \.$pages) var folder: Folder?
  override var identifierField: AnyField? { $id }
}

private final class Folder: Model {
  @Field var id: Int?
  @ModelArrayField(foreignKey: true) var pages: [Page]?
  override var identifierField: AnyField? { $id }
}

@Suite struct `A to-one relation whose inverse stores it` {
  private func linked() -> (owner: Owner, part: Part) {
    let owner = Owner(), part = Part()
    (owner.id, owner.name, part.id, part.bio) = (1, "A", 2, "b")
    owner.part = part
    return (owner, part)
  }

  @Test func `A to-one relation whose inverse stores it is not written, as bytes and as a dictionary`() throws {
    let (owner, part) = linked()
    #expect(owner.dictionaryValue == ["id": 1, "name": "A"])
    #expect(String(decoding: try [owner].jsonData(), as: UTF8.self) == #"[{"id":1,"name":"A"}]"#)
    #expect(owner.fieldsForDictionaryValue().compactMap(\.key) == ["id", "name"])
    #expect(owner.fields.compactMap(\.key) == ["id", "name", "part"])
    #expect(part.dictionaryValue == ["id": 2, "bio": "b", "owner": 1])
  }

  @Test func `A to-one relation whose inverse stores it is read from a document that nests the related model`() throws {
    let owner = try Owner.from(dictionaryValue: ["id": 1, "part": ["id": 2, "bio": "b"]])
    #expect(owner.part?.id == 2)
    #expect(owner.part?.bio == "b")
    #expect(owner.part?.owner === owner)
    #expect(owner.dictionaryValue == ["id": 1])
  }

  @Test func `A to-one relation whose inverse stores it is not loaded until the related model is read`() throws {
    let scope = ModelScope()
    let owner = try Owner.from(dictionaryValue: ["id": 1], in: scope)
    #expect(owner.part == nil)
    #expect(owner.$part.loadState == .notLoaded)
    let part = try Part.from(dictionaryValue: ["id": 2, "owner": 1], in: scope)
    #expect(owner.part === part)
    #expect(owner.$part.loadState == .loaded)
    #expect(!owner.isDirty && !part.isDirty)
  }

  @Test func `The last record that is read has the link if two records have it`() throws {
    let scope = ModelScope()
    let owner = try Owner.from(dictionaryValue: ["id": 1], in: scope)
    let first = try Part.from(dictionaryValue: ["id": 2, "owner": 1], in: scope)
    let second = try Part.from(dictionaryValue: ["id": 3, "owner": 1], in: scope)
    #expect(owner.part === second && second.owner === owner)
    #expect(first.owner == nil)
    #expect(!owner.isDirty && !first.isDirty && !second.isDirty)
  }

  @Test func `Only a relation whose inverse is a foreign key of a model with a record is left out`() throws {
    let house = House(), address = Address(), deed = Deed(), broker = Broker(), label = Label()
    (house.id, address.city, deed.id, broker.id, label.text) = (1, "London", 2, 3, "d")
    (house.address, house.deed, house.broker, house.label) = (address, deed, broker, label)
    let expected: AttributeDictionary = [
      "id": 1, "address": ["city": "London"], "deed": ["id": 2, "house": ["id": 1]], "broker": 3,
      "label": ["text": "d", "house": 1],
    ]
    #expect(house.dictionaryValue == expected)
    #expect(try JSONValue(json: Array(house.jsonData())) == .object(expected))
  }

  @Test func `A to-one relation stored by its inverse is written if all fields are chosen, or the inverse is a list`() {
    let cover = Cover(), card = Card()
    (cover.id, card.id) = (1, 2)
    cover.card = card
    #expect(cover.dictionaryValue == ["id": 1, "card": ["id": 2, "cover": 1]])
    let page = Page(), folder = Folder()
    (page.id, folder.id) = (1, 2)
    page.folder = folder
    #expect(page.dictionaryValue == ["id": 1, "folder": ["id": 2, "pages": [1]]])
  }

  @Test func `A to-one relation whose inverse stores it is not written if it was added at run time`() throws {
    final class Box: Model {
      @Field var id: Int?
      override var identifierField: AnyField? { $id }
    }
    final class Item: Model {
      @Field var id: Int?
      @ModelField(foreignKey: true) var box: Box?
      override var identifierField: AnyField? { $id }
    }
    for _ in 0..<2 {
      let box = Box(), item = Item()
      (box.id, item.id) = (1, 2)
      try box.add(field: ModelField<Item>(key: "item", inverse: \.$box))
      try box.set(item, forKey: "item")
      #expect(item.box === box)
      #expect(box.dictionaryValue == ["id": 1])
    }
  }
}
