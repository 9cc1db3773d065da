import ModelCore
import Testing

private final class Work: Model {
  let id = Field<Int>(key: "meta.id")
  let title = Field<String>(key: "titles.main.text")
  let subtitle = Field<String>(key: "titles.sub")
  let writerName = Field<String>(key: "writer.name")
  let writer = ModelField<Author>()
  override var identifierField: AnyField? { id }
}

private final class Reversed: Model {
  let writer = ModelField<Author>()
  let writerName = Field<String>(key: "writer.name")
}

private final class Lamp: Model {
  let lightName = Field<String>()
  let imageURL = Field<String>()
  let widgetIDs = Field<Int>()*
  let roomName = Field<String>(key: "inRoom.roomName")
  let nextLamp = ModelField<Lamp>()
}

@Suite struct `Keys` {
  @Test func `Keys with dots are written as nested objects`() {
    let work = Work()
    work.id.value = 7
    work.title.value = "T"
    work.subtitle.value = "S"
    #expect(work.dictionaryValue == ["meta": ["id": 7], "titles": ["main": ["text": "T"], "sub": "S"]])
  }

  @Test func `Keys with dots are read from nested objects`() throws {
    let work = try Work.from(dictionaryValue: [
      "meta": ["id": 7, "other": 1], "titles": ["main": ["text": "T"], "sub": nil],
    ])
    #expect(work.identifier == "7")
    #expect(work.title == "T")
    #expect(work.subtitle.loadState == .loaded)
    #expect(work.subtitle.value == nil)
    #expect(work.writerName.loadState == .notLoaded)
  }

  @Test func `Keys with dots may be written verbatim in the source`() throws {
    #expect(try Work.from(dictionaryValue: ["titles.main.text": "T"]).title == "T")
  }

  @Test func `Keys with dots leave the field unchanged if there is no nested object`() throws {
    let work = Work()
    work.title.value = "T"
    try work.read(["titles": "none"])
    try work.read(["titles": ["main": nil]])
    try work.read(["titles": ["main": [1]]])
    #expect(work.title == "T")
  }

  @Test func `Keys of a flattened attribute and of its model are merged, in either order`() {
    let work = Work()
    work.writer.value = Author(id: 1, name: "Ada")
    work.writerName.value = "A. Lovelace"
    #expect(work.dictionaryValue == ["writer": ["id": 1, "name": "A. Lovelace"]])
    let reversed = Reversed()
    reversed.writer.value = Author(id: 1, name: "Ada")
    reversed.writerName.value = "A. Lovelace"
    #expect(reversed.dictionaryValue == work.dictionaryValue)
  }

  @Test func `Keys follow the case of the context when read and written`() throws {
    let scope = ModelScope(transformers: ValueTransformerContext(keyCase: .snake))
    let dictionary: AttributeDictionary = [
      "light_name": "L", "image_url": "u", "widget_ids": [1, 2], "in_room": ["room_name": "R"],
      "next_lamp": ["light_name": "M"],
    ]
    let lamp = try Lamp.from(dictionaryValue: dictionary, in: scope)
    #expect(lamp.lightName == "L")
    #expect(lamp.imageURL == "u")
    #expect(lamp.widgetIDs.value == [1, 2])
    #expect(lamp.roomName == "R")
    #expect(lamp.nextLamp.value?.lightName.value == "M")
    #expect(lamp.dictionaryValue(fields: lamp.fields, in: scope) == dictionary)
  }

  @Test func `Keys keep the case they were declared with without a context`() throws {
    let lamp = Lamp()
    lamp.imageURL.value = "u"
    #expect(lamp.dictionaryValue == ["imageURL": "u"])
    let other = try Lamp.from(dictionaryValue: ["image_url": "u"])
    #expect(other.imageURL.loadState == .notLoaded)
  }

  @Test func `Unknown keys are ignored by default`() throws {
    let book = try Book.from(dictionaryValue: ["title": "T", "colour": "red", "pages": [1]])
    #expect(book.dictionaryValue == ["title": "T"])
  }
}
