import Testing

@_spi(ModelKitInternals) @testable import ModelCore

private final class Borrower: Model {
  let own = Field<String>()
  weak var borrowed: Field<String>?
  unowned var lent: Field<String>?
  unowned(unsafe) var used: Field<String>?

  required init() { super.init() }

  init(borrowing field: Field<String>) {
    borrowed = field
    lent = field
    used = field
    super.init()
  }
}

private final class Draft: Model {
  let title = Field<String>()
  var note = Field<String>()
  lazy var comment = Field<String>()
  let subtitle: Field<String>?
  var summary: Field<String>?

  required init() {
    subtitle = nil
    super.init()
  }

  init(subtitle: Field<String>) {
    self.subtitle = subtitle
    super.init()
  }
}

private final class Keywords: Model {
  let `default` = Field<String>()
  let `class` = Field<String>()
  let `is new` = Field<Bool>()
  let größe = Field<Int>()
}

private final class Wrapped: Model {
  let list = [Field<Int>()]
  let pair = (Field<Int>(), Field<Int>())
  let existential: any RelationField = ModelField<Book>()
  let erased: AnyField = Field<Int>()
  let field = Field<Int>()
}

@Suite struct `Stored properties` {
  @Test func `Weak stored properties do not adopt a field of another model`() {
    let lender = Book(title: "T")
    let borrower = Borrower(borrowing: lender.title)
    #expect(lender.title.owner === lender)
    #expect(lender.title.key == "title")
    #expect(borrower.fields.count == 1)
    #expect(Borrower.fieldKeys == ["own"])
  }

  @Test func `Weak stored properties keep the owner of the field when their model is deallocated`() {
    let lender = Book(title: "T")
    _ = Borrower(borrowing: lender.title)
    #expect(lender.title.owner === lender)
  }

  @Test func `Optional stored properties are fields if they have a value`() {
    let with = Draft(subtitle: Field<String>())
    let without = Draft()
    #expect(with.subtitle?.owner === with)
    #expect(with.subtitle?.key == "subtitle")
    #expect(with.fields.compactMap(\.key) == ["title", "note", "subtitle"])
    #expect(without.fields.compactMap(\.key) == ["title", "note"])
  }

  @Test func `Optional stored properties are fields once they have a value`() throws {
    let draft = Draft()
    draft.summary = Field<String>()
    draft.summary?.value = "S"
    #expect(draft.dictionaryValue == ["summary": "S"])
    #expect(draft.summary?.owner === draft)
    try draft.read(["summary": "new"])
    #expect(draft.summary?.value == "new")
  }

  @Test func `Lazy stored properties are fields after their first use`() throws {
    let draft = Draft()
    #expect(draft.fields.compactMap(\.key) == ["title", "note"])
    draft.comment.value = "C"
    #expect(draft.fields.compactMap(\.key) == ["title", "note", "comment"])
    #expect(draft.dictionaryValue == ["comment": "C"])
    #expect(draft.comment.key == "comment")
  }

  @Test func `Variable stored properties may be set to another field`() {
    let draft = Draft()
    #expect(draft.note.key == "note")
    draft.note = Field<String>("N")
    #expect(draft.dictionaryValue == ["note": "N"])
    #expect(draft.note.owner === draft)
    #expect(draft.note.key == "note")
  }

  @Test func `Variable stored properties may exchange their fields`() {
    let draft = Draft()
    draft.note.value = "N"
    draft.comment.value = "C"
    (draft.note, draft.comment) = (draft.comment, draft.note)
    #expect(draft.dictionaryValue == ["note": "C", "comment": "N"])
    #expect(draft.note.key == "note")
    #expect(draft.comment.key == "comment")
  }

  @Test func `Replaced fields of variable stored properties have no owner once the model is deallocated`() {
    var draft: Draft? = Draft()
    let old = draft?.note
    draft?.note = Field<String>()
    _ = draft?.fields
    draft = nil
    #expect(old?.owner == nil)
    #expect(old?.key == nil)
  }

  @Test func `Stored properties with escaped names have keys without back ticks`() {
    #expect(Keywords.fieldKeys == ["default", "class", "is new", "größe"])
    let keywords = Keywords()
    keywords.default.value = "d"
    keywords.`is new`.value = true
    #expect(keywords.dictionaryValue == ["default": "d", "is new": true])
  }

  @Test func `Fields in lists, pairs or existentials of stored properties are not found`() {
    #expect(Wrapped.fieldKeys == ["erased", "field"])
  }
}
