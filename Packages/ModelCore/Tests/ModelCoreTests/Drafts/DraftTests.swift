@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
import ObservationKit
import Testing

@Suite struct `A draft of a model` {
  private let scope = ModelScope()
  private let jane, mary: Author
  private let emma, persuasion: Book

  init() throws {
    jane = try Author.from(
      dictionaryValue: [
        "id": 1, "name": "Jane", "books": [["id": 1, "title": "Emma"], ["id": 2, "title": "Persuasion"]],
      ],
      in: scope)
    mary = try Author.from(dictionaryValue: ["id": 2, "name": "Mary", "books": []], in: scope)
    let books = jane.books.value ?? []
    (emma, persuasion) = (books[0], books[1])
  }

  @Test func `A draft of a model has the values of the original, and is not dirty`() {
    let draft = emma.draft()
    #expect(draft.model !== emma)
    #expect(draft.model.title == "Emma")
    #expect(draft.model.author.value === jane)
    #expect(draft.model.identifier == "1")
    #expect(!draft.isDirty && !draft.model.isDirty && draft.changes.isEmpty)
    #expect(draft.scope.unsavedModels.isEmpty)
  }

  @Test func `An edit changes the original when the draft is applied`() throws {
    let draft = emma.draft()
    draft.title.value = "Sense and Sensibility"
    #expect(emma.title == "Emma" && !emma.isDirty)
    #expect(draft.isDirty)
    #expect(draft.changes.compactMap(\.key) == ["title"])
    #expect(try draft.apply() === emma)
    #expect(emma.title == "Sense and Sensibility")
    #expect(emma.fields.filter(\.isDirty).compactMap(\.key) == ["title"])
    #expect(!draft.isDirty)
  }

  @Test func `A value that was restored is no change`() {
    let draft = emma.draft()
    draft.title.value = "X"
    draft.title.value = "Emma"
    draft.author.value = mary
    draft.author.value = jane
    #expect(!draft.isDirty)
  }

  @Test func `The original of a copied model stands for its copy`() throws {
    let draft = persuasion.draft(including: [persuasion.author])
    let copy = try #require(draft.author.value)
    draft.author.value = mary
    draft.author.value = jane
    #expect(draft.author.value === copy && !draft.isDirty)
    draft.author.value = nil
    copy.books.add(persuasion)
    #expect(draft.author.value === copy && copy.books.value == [emma, draft.model])
    copy.books.remove(persuasion)
    #expect(draft.author.value == nil && copy.books.value == [emma])
    copy.books.value = [persuasion, emma]
    #expect(draft.author.value === copy && copy.books.value == [draft.model, emma])
    try draft.apply()
    #expect(persuasion.author.value === jane && jane.books.value == [persuasion, emma])
  }

  @Test func `A draft of a model leaves inverses alone until it is applied`() throws {
    let draft = emma.draft()
    draft.author.value = mary
    #expect(jane.books.value == [emma, persuasion] && mary.books.value == [])
    #expect(!jane.isDirty && !mary.isDirty)
    try draft.apply()
    #expect(emma.author.value === mary)
    #expect(jane.books.value == [persuasion] && mary.books.value == [emma])
  }

  @Test func `A list of a draft does not change the members until the draft is applied`() throws {
    let other = try Book.from(dictionaryValue: ["id": 3, "title": "Maria"], in: scope)
    let draft = jane.draft()
    draft.books.add(other)
    draft.books.remove(emma)
    #expect(emma.author.value === jane && other.author.value == nil)
    #expect(!emma.isDirty && !other.isDirty && !jane.isDirty)
    try draft.apply()
    #expect(jane.books.value == [persuasion, other])
    #expect(emma.author.value == nil && other.author.value === jane)
  }

  @Test func `A released draft leaves no trace`() {
    weak var copy: Book?
    weak var draftScope: ModelScope?
    do {
      let draft = emma.draft()
      draft.title.value = "X"
      draft.author.value = mary
      copy = draft.model
      draftScope = draft.scope
      #expect(copy != nil)
    }
    #expect(copy == nil && draftScope == nil)
    #expect(scope.unsavedModels.isEmpty)
    #expect(mary.books.value == [] && jane.books.value == [emma, persuasion])
    #expect(Book.with(identifier: "1", in: scope) === emma)
  }

  @Test func `Discarding takes the present values of the original`() throws {
    let draft = emma.draft()
    draft.title.value = "X"
    draft.author.value = nil
    try emma.read(["year": 1815])
    var titles: [String?] = []
    draft.model.title --> { titles.append($0) }
    draft.discard()
    #expect(draft.model.title == "Emma" && draft.model.year == 1815)
    #expect(draft.model.author.value === jane)
    #expect(!draft.isDirty)
    #expect(titles == ["X", "Emma"])
  }

  @Test func `A draft of a model is validated and reverted on its own`() {
    let person = RuledDraft()
    person.name.value = "Ada"
    let draft = person.draft()
    draft.name.value = ""
    #expect(!draft.model.validate().isValid)
    #expect(person.name.validationState == .unknown)
    draft.model.revert()
    #expect(draft.model.name == "Ada" && !draft.isDirty)
  }

  @Test func `Asynchronous rules check the draft alone`() async {
    let person = RuledDraft()
    person.name.value = "Ada"
    person.nick.value = "ada"
    let draft = person.draft()
    draft.nick.value = "taken"
    #expect(await draft.model.validateFully() == .invalid(["nick is taken"]))
    #expect(person.nick.validationState == .unknown)
    draft.nick.value = "free"
    #expect(await draft.model.validateFully() == .valid)
  }

  // MARK: Merging

  @Test func `Different fields are merged`() throws {
    let draft = emma.draft()
    draft.title.value = "Mine"
    emma.year.value = 1815
    try draft.apply()
    #expect(emma.title == "Mine" && emma.year == 1815)
    #expect(draft.model.year == 1815)
  }

  @Test func `Equal changes of both sides are no conflict`() throws {
    let draft = emma.draft()
    draft.title.value = "Same"
    emma.title.value = "Same"
    #expect(draft.conflicts.isEmpty)
    try draft.apply()
    #expect(emma.title == "Same")
  }

  @Test func `A field that both sides changed is a conflict with three values, and nothing is changed`() throws {
    let draft = emma.draft()
    draft.title.value = "Mine"
    draft.year.value = 1
    try emma.read(["title": "Theirs"])
    let error = #expect(throws: ModelDraftError.self) { try draft.apply() }
    let conflict = try #require(error?.conflicts.first)
    #expect(error?.conflicts.count == 1)
    #expect(conflict.typeName == "Book" && conflict.identifier == "1" && conflict.key == "title")
    #expect(conflict.base == "Emma" && conflict.mine == "Mine" && conflict.theirs == "Theirs")
    #expect(draft.conflicts == error?.conflicts)
    #expect(emma.title == "Theirs" && emma.year.value == nil && !emma.isDirty)
    #expect(draft.model.title == "Mine" && draft.isDirty)
  }

  @Test(arguments: [EditConflict.Side.mine, .theirs])
  func `A conflict is resolved by choosing a side`(side: EditConflict.Side) throws {
    let draft = emma.draft()
    draft.title.value = "Mine"
    draft.year.value = 1
    draft.author.value = mary
    emma.title.value = "Theirs"
    emma.author.value = nil
    var keys: [String] = []
    try draft.apply { conflict in
      keys.append(conflict.key)
      return side
    }
    #expect(keys == ["title", "author"])
    #expect(emma.title.value == (side == .mine ? "Mine" : "Theirs"))
    #expect(emma.author.value === (side == .mine ? mary : nil))
    #expect(mary.books.value == (side == .mine ? [emma] : []))
    #expect(emma.year == 1)
    #expect(draft.model.title.value == emma.title.value && !draft.isDirty)
  }

  @Test func `An error of the resolution changes nothing`() {
    struct Refusal: Error {}
    let draft = emma.draft()
    draft.title.value = "Mine"
    draft.year.value = 1
    emma.title.value = "Theirs"
    #expect(throws: Refusal.self) { try draft.apply { _ in throw Refusal() } }
    #expect(emma.title == "Theirs" && emma.year.value == nil && draft.isDirty)
  }

  @Test func `Members that both sides added and removed are merged`() throws {
    let (first, second) = (Book(id: 8, title: "8"), Book(id: 9, title: "9"))
    let draft = jane.draft()
    draft.books.add(first)
    draft.books.remove(emma)
    jane.books.add(second)
    try draft.apply()
    #expect(jane.books.value == [persuasion, second, first])
    #expect(draft.model.books.value == [persuasion, second, first])
  }

  @Test func `The order of the side that changed it remains`() throws {
    let added = Book(id: 9, title: "9")
    let draft = jane.draft()
    draft.books.value = [persuasion, emma]
    jane.books.add(added)
    try draft.apply()
    #expect(jane.books.value == [persuasion, emma, added])
  }

  @Test func `Two different orders are a conflict`() throws {
    let third = Book(id: 9, title: "9")
    jane.books.add(third)
    let draft = jane.draft()
    draft.books.value = [third, emma, persuasion]
    jane.books.value = [persuasion, emma, third]
    #expect(draft.conflicts.map(\.key) == ["books"])
    #expect(draft.conflicts.first?.mine == ["9", "1", "2"])
    try draft.apply { _ in .mine }
    #expect(jane.books.value == [third, emma, persuasion])
  }

  @Test func `A list that is not loaded completely stays so`() throws {
    let album = Album.with(identifier: "1", in: scope)
    let track = try Track.from(dictionaryValue: ["id": "a", "album": 1], in: scope)
    let other = try Track.from(dictionaryValue: ["id": "b", "album": .null], in: scope)
    #expect(album.tracks.count == nil)
    let draft = album.draft()
    #expect(draft.model.tracks.value == [track] && draft.model.tracks.count == nil)
    draft.model.tracks.add(other)
    try draft.apply()
    #expect(album.tracks.value == [track, other] && album.tracks.count == nil)
    #expect(other.album.value === album)
  }

  @Test func `A deleted original is an error`() throws {
    let draft = emma.draft()
    draft.title.value = "Mine"
    emma.markDeleted(in: scope)
    let error = #expect(throws: ModelDraftError.self) { try draft.apply() }
    #expect(error?.deletedModel == #"Book "1""#)
    #expect(emma.title == "Emma")
  }

  // MARK: New models

  @Test func `A draft of a new model joins a scope when it is applied`() throws {
    let book = Book()
    let draft = book.draft()
    draft.title.value = "New"
    draft.author.value = jane
    #expect(book.scope == nil && scope.unsavedModels.isEmpty)
    #expect(jane.books.value == [emma, persuasion])
    try draft.apply()
    #expect(book.title == "New" && book.author.value === jane)
    #expect(jane.books.value == [emma, persuasion, book])
    #expect(scope.unsavedModels.contains(book))
  }

  @Test func `A new related model stays out of every scope until the draft is applied`() throws {
    let author = Author(name: "New")
    let draft = emma.draft()
    draft.author.value = author
    #expect(author.scope == nil && author.books.value?.isEmpty != false && !author.books.isDirty)
    try draft.apply()
    #expect(emma.author.value === author && author.books.value == [emma])
    #expect(author.scope != nil && jane.books.value == [persuasion])
  }

  @Test func `A model that is made in the draft becomes an ordinary one`() throws {
    let draft = jane.draft()
    let book = draft.makeModel(Book.self)
    book.title.value = "Sanditon"
    book.author.value = draft.model
    #expect(draft.model.books.value == [emma, persuasion, book])
    #expect(jane.books.value == [emma, persuasion] && !jane.isDirty && scope.unsavedModels.isEmpty)
    try draft.apply()
    #expect(jane.books.value == [emma, persuasion, book])
    #expect(book.author.value === jane && scope.unsavedModels.contains(book))
    #expect(draft.model.books.value == [emma, persuasion, book] && !draft.isDirty)
  }

  @Test func `A model that is made in the draft and not referenced leaves no trace`() throws {
    let draft = jane.draft()
    let book = draft.makeModel(Book.self)
    book.author.value = mary
    #expect(mary.books.value == [] && !mary.isDirty)
    draft.books.add(book)
    draft.books.remove(book)
    book.author.value = mary
    try draft.apply()
    #expect(mary.books.value == [] && jane.books.value == [emma, persuasion])
    #expect(scope.unsavedModels.isEmpty)
  }

  // MARK: Related models

  @Test func `Related models are edited in the draft if it includes them`() throws {
    let draft = jane.draft(including: [jane.books])
    let copies = draft.model.books.value ?? []
    #expect(copies.count == 2 && copies[0] !== emma && copies[0].author.value === draft.model)
    copies[0].title.value = "X"
    copies[1].author.value = nil
    #expect(draft.model.books.value == [copies[0]])
    #expect(emma.title == "Emma" && jane.books.value == [emma, persuasion] && !emma.isDirty)
    #expect(draft.changes.compactMap(\.key) == ["books", "title", "author"])
    try draft.apply()
    #expect(emma.title == "X" && jane.books.value == [emma] && persuasion.author.value == nil)
    #expect(draft.model.books.value == [copies[0]])
  }

  @Test func `A conflict of a related model names that model`() throws {
    let draft = jane.draft(including: [jane.books])
    draft.books.value?[1].title.value = "Mine"
    persuasion.title.value = "Theirs"
    #expect(draft.conflicts.map(\.identifier) == ["2"])
    #expect(throws: ModelDraftError.self) { try draft.apply() }
    #expect(persuasion.title == "Theirs")
  }

  @Test func `Cycles of included models end, and are released`() throws {
    weak var copy: ModelObject?
    do {
      let draft = emma.draft(including: [emma.author, jane.books])
      copy = draft.author.value
      #expect(draft.author.value?.books.value?.first === draft.model)
      draft.author.value?.name.value = "J. A."
      try draft.apply()
    }
    #expect(copy == nil)
    #expect(jane.name == "J. A.")
  }

  @Test func `An unknown identifier that is read in the draft references a model outside of it`() throws {
    let track = try Track.from(dictionaryValue: ["id": "a", "album": .null], in: scope)
    let album = try Album.from(dictionaryValue: ["id": 7, "tracks": []], in: scope)
    let draft = track.draft()
    try draft.model.read(["album": 7], as: .edit)
    #expect(album.tracks.value == [] && !album.isDirty)
    try draft.apply()
    #expect(track.album.value === album && album.tracks.value == [track])
  }

  @Test func `A draft of a draft is applied to that draft`() throws {
    let outer = emma.draft()
    outer.title.value = "Outer"
    let inner = outer.model.draft()
    inner.title.value = "Inner"
    inner.author.value = mary
    try inner.apply()
    #expect(outer.model.title == "Inner" && outer.model.author.value === mary)
    #expect(emma.title == "Emma" && mary.books.value == [])
    try outer.apply()
    #expect(emma.title == "Inner" && mary.books.value == [emma])
  }

  // MARK: Undo

  @Test func `Applying is one step of an undo`() throws {
    let undo = ModelUndo(scope)
    let draft = jane.draft(including: [jane.books])
    let book = draft.makeModel(Book.self)
    book.title.value = "Sanditon"
    draft.books.add(book)
    draft.books.value?[0].title.value = "X"
    draft.name.value = "J."
    #expect(!undo.canUndo)
    try draft.apply()
    #expect(jane.books.value == [emma, persuasion, book])
    try undo.undo()
    #expect(!undo.canUndo)
    #expect(jane.name == "Jane" && emma.title == "Emma" && jane.books.value == [emma, persuasion])
    #expect(scope.unsavedModels.isEmpty)
    try undo.redo()
    #expect(jane.name == "J." && emma.title == "X" && jane.books.value == [emma, persuasion, book])
  }

  @Test func `The edits of a draft are undone in its scope`() throws {
    let draft = emma.draft()
    let undo = ModelUndo(draft.scope)
    undo.step("Rename") { draft.model.title.value = "X" }
    undo.step("Move") { draft.model.author.value = mary }
    // Nothing is to be saved: a draft is applied.
    #expect(try undo.undo().isEmpty)
    #expect(draft.model.author.value === jane && draft.isDirty)
    try undo.undo()
    #expect(!draft.isDirty)
    try undo.redo()
    try draft.apply()
    #expect(emma.title == "X" && emma.author.value === jane)
  }

  @Test func `The error names the model, the values and the remedy`() throws {
    let draft = emma.draft()
    draft.title.value = "Mine"
    emma.title.value = "Theirs"
    let error = #expect(throws: ModelDraftError.self) { try draft.apply() }
    #expect(
      error?.description == """
        The draft of Book "1" was not applied, because these fields also changed in the original (title of Book "1": \
        was "Emma", edited to "Mine", now "Theirs"). Nothing was changed: call apply(resolving:), or discard() the edits.
        """)
  }
}

/// A model with rules, one of them asynchronous.
private final class RuledDraft: Model {
  let name = Field<String>().require(.notBlank)
  let nick = Field<String>().require(code: "taken", message: "is taken") { $0 != "taken" }
}
