import Foundation
import ModelCore
import Testing

private final class Note: Model {
  let title = Field<String>("untitled")
  let text = Field<String>()
  let tags = Field<String>()*
  let height = Field<Double>()
  let parts = ModelField<Note>()*
  let next = ModelField<Note>()
}

private final class Secret: Model {
  let name = Field<String>()
  let password = Field<String>()
  override func fieldsForDictionaryValue() -> [AnyField] { [name] }
}

extension Data {
  var text: String { String(decoding: self, as: UTF8.self) }
}

@Suite struct `Writing a model` {
  @Test func `Writing a model writes simple values, lists, and nested related models`() {
    let author = Author(id: 1, name: "Ada")
    author.books.value = [Book(id: 2, title: "A"), Book(id: 3, title: "B")]
    let book = Book(id: 4, title: "C")
    book.author.value = Author(name: "Bob")
    #expect(
      author.dictionaryValue == [
        "id": 1, "name": "Ada",
        "books": [
          ["id": 2, "title": "A", "author": ["id": 1]], ["id": 3, "title": "B", "author": ["id": 1]],
        ],
      ])
    let note = Note()
    note.tags.value = ["x", "y"]
    note.next.value = Note()
    #expect(note.dictionaryValue == ["title": "untitled", "tags": ["x", "y"], "next": ["title": "untitled"]])
    #expect(book.dictionaryValue["author"]?["name"] == "Bob")
  }

  @Test func `Writing a model omits unset and nil fields, but not initial values`() {
    let note = Note()
    #expect(note.dictionaryValue == ["title": "untitled"])
    note.text.value = nil
    #expect(note.dictionaryValue == ["title": "untitled"])
    note.title.value = nil
    #expect(note.dictionaryValue == [:])
    note.tags.value = []
    #expect(note.dictionaryValue == ["tags": []])
  }

  @Test func `Writing chosen fields of a model writes only these, with related models in full`() {
    let author = Author(id: 1, name: "Ada")
    author.books.value = [Book(id: 2, title: "A")]
    #expect(author.dictionaryValue(fields: [author.name]) == ["name": "Ada"])
    #expect(
      author.dictionaryValue(fields: [author.books]) == [
        "books": [["id": 2, "title": "A", "author": ["id": 1]]]
      ])
    #expect(author.dictionaryValue(fields: []) == [:])
  }

  @Test func `Writing a model writes the fields that the class chooses`() throws {
    let secret = Secret()
    secret.name.value = "Ada"
    secret.password.value = "hidden"
    #expect(secret.dictionaryValue == ["name": "Ada"])
    #expect(try secret.jsonData().text == #"{"name":"Ada"}"#)
  }

  @Test func `Writing a model writes JSON with sorted keys, compact or pretty`() throws {
    let book = Book(id: 2, title: "A")
    #expect(try book.jsonData().text == #"{"id":2,"title":"A"}"#)
    #expect(try book.jsonData(pretty: true).text.split(separator: "\n").count == 4)
    #expect(try [book, Book(title: "B")].jsonData().text == #"[{"id":2,"title":"A"},{"title":"B"}]"#)
    #expect(try [Book]().jsonData().text == "[]")
  }

  @Test func `A model is written by any encoder`() throws {
    let author = Author(id: 1, name: "Ada")
    author.books.value = [Book(id: 2, title: "A")]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(author).text == author.jsonData().text)
    #expect(try encoder.encode([author.books.value]).text.hasPrefix("[[{"))
  }

  @Test func `Writing a model rejects numbers that JSON does not have, with their path`() {
    let note = Note()
    note.height.value = .nan
    let outer = Note()
    outer.next.value = Note()
    outer.next.value?.parts.value = [Note(), note]
    let error = #expect(throws: ModelEncodingError.self) { try outer.jsonData() }
    #expect(error?.path == "next.parts[1].height")
    #expect(error?.description == "next.parts[1].height can't be written: expected a finite number, found nan")
    let inList = #expect(throws: ModelEncodingError.self) { try [Note(), note].jsonData() }
    #expect(inList?.path == "[1].height")
  }

  @Test func `Writing rejects models that are nested deeper than JSON is read, with the path`() throws {
    func chain(_ count: Int, asList: Bool) -> (first: Note, all: [Note]) {
      let notes = (0..<count).map { _ in Note() }
      for (note, next) in zip(notes, notes.dropFirst()) {
        if asList { note.parts.value = [next] } else { note.next.value = next }
      }
      return (notes[0], notes)
    }
    for asList in [false, true] {
      let (note, all) = chain(10_000, asList: asList)
      note.text.value = "T"
      let error = #expect(throws: ModelEncodingError.self) { try note.jsonData() }
      #expect(error?.path == (asList ? "parts" : "next"))
      #expect(error?.reason.contains("more than \(JSONReadingOptions.maximumTreeDepth) levels deep") == true)
      let inList = #expect(throws: ModelEncodingError.self) { try [Note(), note].jsonData() }
      #expect(inList?.path == (asList ? "[1].parts" : "[1].next"))
      #expect(throws: ModelEncodingError.self) { try note.jsonData(pretty: true, escapesSlashes: true) }
      #expect(throws: EncodingError.self) { try JSONEncoder().encode(note) }
      #expect(note.dictionaryValue == ["title": "untitled", "text": "T"])
      withExtendedLifetime(all) {}
    }
    // Every document that can be written can be read, and the reverse.
    let limit = JSONReadingOptions.maximumTreeDepth
    let (deep, kept) = chain(limit - 1, asList: false)
    let options = JSONReadingOptions(maximumDepth: limit)
    #expect(try Note.from(json: deep.jsonData(), options: options).next.value?.next.value != nil)
    #expect(try Note.from(dictionaryValue: deep.dictionaryValue).next.value?.next.value != nil)
    withExtendedLifetime(kept) {}
  }

  @Test func `Writing a model rejects JSON values that can't be written, with their path`() {
    final class Raw: Model {
      let content = Field<JSONValue>()
    }
    let raw = Raw()
    raw.content.value = ["a": [1, .double(.nan)]]
    let error = #expect(throws: ModelEncodingError.self) { try raw.jsonData() }
    #expect(error?.path == "content.a[1]")
    let inList = #expect(throws: ModelEncodingError.self) { try [Raw(), raw].jsonData() }
    #expect(inList?.path == "[1].content.a[1]")
  }

  @Test func `An encoder throws the path of a value of a model that can't be written`() {
    let note = Note()
    note.height.value = .infinity
    let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(["note": note]) }
    guard case .invalidValue(let value, let context) = error else { return #expect(Bool(false), "another error") }
    #expect(value as? Note === note)
    #expect(context.codingPath.map(\.stringValue) == ["note"])
    #expect(context.debugDescription == "height can't be written: expected a finite number, found inf")
  }

  @Test func `The dictionary of chosen fields has all that share an object, even beside one that can't be written`() {
    final class Work: Model {
      let author = Field<String>(key: "author.name")
      let born = Field<Int>(key: "author.born")
      let height = Field<Double>(key: "size.height")
      let width = Field<Double>(key: "size.width")
      let note = Field<String>()
    }
    let work = Work()
    (work.author.value, work.born.value, work.width.value, work.height.value) = ("Jane", 1775, 2, 1)
    let author: JSONValue = ["name": "Jane", "born": 1775]
    #expect(work.dictionaryValue { $0.isDirty } == ["author": author, "size": ["height": 1.0, "width": 2.0]])
    work.height.value = .infinity
    let expected: AttributeDictionary = ["author": author, "size": ["width": 2.0]]
    #expect(work.dictionaryValue == expected)
    #expect(work.dictionaryValue { $0.isDirty } == expected)
    #expect(work.dictionaryValue(fields: [work.author, work.born, work.height]) == ["author": author])
    #expect(work.dictionaryValue(in: ModelScope()) == expected)
  }

  @Test func `The dictionary of a model omits only values that can't be written`() {
    let note = Note()
    note.text.value = "T"
    note.height.value = .nan
    #expect(note.dictionaryValue == ["title": "untitled", "text": "T"])
  }
}
