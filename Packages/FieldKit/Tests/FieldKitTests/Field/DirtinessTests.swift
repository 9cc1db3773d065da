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

  @Test func `A field is dirty if an observer changes what was read`() throws {
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
}
