@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `A field is dirty` {
  @Test func `A field is dirty after a change, not after a set to an equal value`() {
    let age = Field(10)
    age.value = 10
    #expect(!age.isDirty)
    age.value = 11
    #expect(age.isDirty)
  }

  @Test func `A field is dirty after every set of a value that can't be compared`() {
    let thing = Field(Opaque(number: 1))
    thing.value = Opaque(number: 1)
    #expect(thing.isDirty)
  }

  @Test func `A field is not dirty after it was read`() throws {
    let age = Field<Int>()
    try age.read(7)
    #expect(age.value == 7)
    #expect(age.loadState == .loaded)
    #expect(!age.isDirty)
    age.value = 8
    #expect(age.isDirty)
    try age.read(8)
    #expect(!age.isDirty)
  }

  @Test func `A field is dirty again if it changed while it was being saved`() {
    let age = Field<Int>()
    age.value = 1
    let saved = age.lastChange
    age.value = 2
    age.markSaved(asOf: saved)
    #expect(age.isDirty)
    age.markSaved(asOf: age.lastChange)
    #expect(!age.isDirty)
  }

  @Test func `A field is dirty if an observer changes the value that was read`() throws {
    let age = Field<Int>()
    age.addObserver(updateImmediately: false) { _, new in if new == 200 { age.value = 130 } }
    try age.read(200)
    #expect(age.value == 130)
    #expect(age.isDirty)
  }

  @Test func `A field is dirty when it takes the value of another one it is bound to`() {
    let (source, target) = (Field(1), Field(2))
    source --> target
    #expect(target.isDirty)
    #expect(!source.isDirty)
  }

  @Test func `A field that was never set is dirty after nil was assigned to it`() {
    let age = Field<Int>()
    age.value = nil
    #expect(age.isDirty && age.loadState == .loaded && age.changedAt != nil)
    age.markSaved(asOf: age.lastChange)
    age.value = nil
    #expect(!age.isDirty)
    age.unload()
    #expect(!age.isDirty)
    age.value = nil
    #expect(age.isDirty)
  }

  @Test func `A list that was never set is dirty after an empty one was assigned to it`() {
    let tags = Field<String>()*
    tags.value = []
    #expect(tags.isDirty && tags.loadState == .loaded)
  }

  @Test func `A field that was never set stays so when its missing value is changed in place`() {
    let tags = Field<[String]>()
    tags.value?.append("new")
    #expect(tags.isUnset && !tags.isDirty)
    let note = Annotated()
    note.tags?.append("new")
    #expect(note.$tags.isUnset && !note.$tags.isDirty)
    note.tags = nil
    #expect(note.$tags.isDirty)
  }

  @Test func `A field is not dirty after null was read into it, and observers of the value are not notified of nil`()
    throws
  {
    let age = Field<Int>()
    var changes = 0
    age.addObserver(updateImmediately: false) { _, _ in changes += 1 }
    try age.read(.null)
    #expect(age.loadState == .loaded && !age.isDirty)
    age.value = nil
    #expect(!age.isDirty && changes == 0)
  }
}

private struct Annotated {
  @Field var tags: [String]?
}
