import ModelCore
import Testing

/// A model that is referenced by relations that only some models have.
private final class Editor: Model {
  let id = Field<Int>()
  let edited = ModelField<Manuscript>()*
  let reviewed = ModelField<Manuscript>()*
  let favourite = ModelField<Manuscript>()
  override var identifierField: AnyField? { id }
}

private final class Manuscript: Model {
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
}

@Suite struct `Relations that are added at run time` {
  @Test func `Relations that are added at run time have an inverse each`() {
    let text = Manuscript()
    let editor = ModelField<Editor>(key: "editor", inverse: \.edited)
    let reviewer = ModelField<Editor>(key: "reviewer", inverse: \.reviewed)
    text << editor
    text << reviewer
    let (ada, bob) = (Editor(), Editor())
    editor.value = ada
    reviewer.value = bob
    #expect(ada.edited.value == [text])
    #expect(ada.reviewed.value == [])
    #expect(bob.edited.value == [])
    #expect(bob.reviewed.value == [text])
  }

  @Test func `Relations that are added at run time are found as inverses of declared relations`() {
    let text = Manuscript()
    let editor = ModelField<Editor>(key: "editor", inverse: \.edited)
    let reviewer = ModelField<Editor>(key: "reviewer", inverse: \.reviewed)
    let fan = ModelField<Editor>(key: "fan", inverse: \.favourite)
    let plain = Manuscript()
    let (ada, bob) = (Editor(), Editor())
    // A model without such a relation first: the result for it must not be cached for others.
    ada.edited.add(plain)
    text << editor
    text << reviewer
    text << fan
    ada.edited.add(text)
    bob.reviewed.add(text)
    bob.favourite.value = text
    #expect(editor.value === ada)
    #expect(reviewer.value === bob)
    #expect(fan.value === bob)
    bob.edited.add(text)
    #expect(editor.value === bob)
    #expect(ada.edited.value == [plain])
    bob.reviewed.removeAll()
    #expect(reviewer.value == nil)
    #expect(bob.edited.value == [text])
  }

  @Test func `Relations that are added at run time may differ from model to model`() {
    let (one, two) = (Manuscript(), Manuscript())
    let first = ModelField<Editor>(key: "who", inverse: \.edited)
    let second = ModelField<Editor>(key: "who", inverse: \.reviewed)
    one << first
    two << second
    let ada = Editor()
    first.value = ada
    second.value = ada
    #expect(ada.edited.value == [one])
    #expect(ada.reviewed.value == [two])
    ada.reviewed.remove(two)
    #expect(second.value == nil)
    #expect(first.value === ada)
  }

  @Test func `Relations that are added at run time may be inverse to each other`() {
    let (text, ada) = (Manuscript(), Editor())
    let drafts = ModelField<Manuscript>(key: "drafts")*
    let other = ModelField<Manuscript>(key: "other")*
    ada << other
    ada << drafts
    let writer = ModelField<Editor>(key: "writer", inverse: { $0.drafts ?? $0.edited })
    text << writer
    drafts.add(text)
    #expect(writer.value === ada)
    writer.value = nil
    #expect(drafts.value == [])
    writer.value = ada
    #expect(drafts.value == [text])
    #expect(other.value == [])
  }

  @Test func `Relations that are added at run time are reverted on both sides`() throws {
    let scope = ModelScope()
    let text = try Manuscript.from(dictionaryValue: ["id": 1], in: scope)
    let editor = ModelField<Editor>(key: "editor", inverse: \.edited)
    text << editor
    try text.read(["editor": 5])
    let ada = try #require(editor.value)
    editor.value = Editor()
    text.revert()
    #expect(editor.value === ada)
    #expect(ada.edited.value == [text])
  }
}

extension Editor {
  fileprivate var drafts: (any RelationField)? {
    fields.first { $0.key == "drafts" } as? any RelationField
  }
}
