@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `A clone of a field` {
  @Test func `A clone of a field has value, name and key of its prototype and follows it`() {
    let font = Field("Helvetica", name: "Font", key: "font")
    let heading = font.clone()
    #expect(heading == "Helvetica")
    #expect(heading.name == "Font")
    #expect(heading.key == "font")
    #expect(heading.prototype === font)
    #expect(font.clones.count == 1)
    #expect(font.clones.first === heading)
    font.value = "Times"
    #expect(heading == "Times")
    font.value = nil
    #expect(heading.value == nil)
    font.value = "Futura"
    #expect(heading == "Futura")
    #expect(heading.prototype === font)
  }

  @Test func `A clone of a field is detached by being set, even to the value it has`() {
    let font = Field("Helvetica")
    let (heading, caption) = (font.clone(), font.clone())
    heading.value = "Futura"
    caption.value = "Helvetica"
    font.value = "Times"
    #expect(heading == "Futura")
    #expect(caption == "Helvetica")
    #expect(heading.prototype == nil)
    #expect(font.clones.isEmpty)
    heading.value = "Courier"
    #expect(font == "Times")
  }

  @Test func `A clone of a field keeps the last value when it is detached by hand`() {
    let font = Field("Helvetica")
    let heading = font.clone()
    font.value = "Times"
    heading.detach()
    heading.detach()
    font.value = "Futura"
    #expect(heading == "Times")
    #expect(heading.prototype == nil)
    font.detach()
    #expect(font == "Futura")
  }

  @Test func `A clone of a field is detached by a binding, a read, a merge, and an element`() throws {
    let number = Field(1)
    let (bound, read, merged, erased) = (number.clone(), number.clone(), number.clone(), number.clone())
    let source = Field(5)
    source --> bound
    try read.read(6)
    let newer = Field<Int>()
    newer.value = 7
    merged.merge(from: newer)
    try erased.set(anyValue: 8)
    number.value = 2
    #expect([bound, read, merged, erased].map(\.value) == [5, 6, 7, 8])
    let list = Field<Int>()*
    list.value = [1]
    let (grown, shrunk, emptied) = (list.clone(), list.clone(), list.clone())
    grown.append(2)
    shrunk.remove(at: 0)
    emptied.removeAll()
    list.append(9)
    #expect(grown.value == [1, 2])
    #expect(shrunk.value == [])
    #expect(emptied.value == [])
    #expect(list.clones.isEmpty)
  }

  @Test func `A clone of a field still follows its prototype after a merge that took nothing`() {
    let (number, older) = (Field<Int>(), Field(3))
    number.value = 1
    let clone = number.clone()
    #expect(!clone.merge(from: older))
    number.value = 2
    #expect(clone == 2)
  }

  @Test func `A clone of a field has the stamps of its prototype and is not dirty until it is set`() {
    let number = Field<Int>()
    number.value = 1
    let clone = number.clone()
    #expect(!clone.isDirty)
    number.value = 2
    #expect(clone.updatedAt == number.updatedAt)
    #expect(clone.lastChange == number.lastChange)
    #expect(!clone.isDirty)
    #expect(!clone.isNewer(than: number))
    clone.value = 3
    #expect(clone.isDirty)
  }

  @Test func `A clone of a field is unset as long as its prototype is`() {
    let number = Field<Int>()
    let clone = number.clone()
    #expect(clone.isUnset)
    number.value = nil
    #expect(clone.loadState == .loaded)
    #expect(clone.prototype === number)
  }

  @Test func `A clone of a field notifies its own observers, which may detach it meanwhile`() {
    let number = Field(1)
    let clone = number.clone()
    let recorder = Recorder<Int?>()
    clone.addObserver(recorder, updateImmediately: false)
    number.value = 2
    clone.addObserver(updateImmediately: false) { _, new in if new == 3 { clone.value = 30 } }
    number.value = 3
    number.value = 4
    #expect(recorder.changes == [Change(1, 2), Change(2, 3), Change(3, 30)])
    #expect(clone == 30)
  }

  @Test func `A clone of a field of a clone follows the clone`() {
    let number = Field(1)
    let child = number.clone()
    let grandchild = child.clone()
    number.value = 2
    #expect(grandchild == 2)
    child.value = 3
    #expect(grandchild == 3)
    number.value = 4
    #expect([child.value, grandchild.value] == [3, 3])
    #expect(grandchild.prototype === child)
  }

  @Test func `A clone of a field shares rules and domain, and may narrow them`() {
    let size = Field<Int>().require { $0 != 3 }.constrain(to: 0...10)
    let clone = size.clone()
    clone.constrain(to: 0...5)
    size.value = 20
    #expect(size == 10)
    #expect(clone == 5)
    #expect(clone.prototype === size)
    size.value = 3
    #expect(!clone.valid)
  }

  @Test func `A clone of a field of a list is a list`() {
    let tags = ArrayField(Field<String>(), allowsDuplicates: false)
    tags.value = ["a"]
    let clone = tags.clone()
    tags.append("b")
    #expect(clone.value == ["a", "b"])
    #expect(!clone.append("b"))
    #expect(clone.prototype === tags)
    #expect(clone.append("c"))
    #expect(clone.prototype == nil)
    #expect(tags.value == ["a", "b"])
  }

  @Test func `A clone of a field that is bound both ways to its prototype is detached`() {
    let number = Field(1)
    let clone = number.clone()
    clone <--> number
    clone.value = 2
    #expect(number == 2)
    number.value = 3
    #expect(clone == 3)
    #expect(clone.prototype == nil)
  }

  @Test func `A clone of a field keeps its prototype alive, until it is detached`() {
    weak var prototype: Field<Int>?
    let clone: Field<Int>
    do {
      let number = Field(1)
      prototype = number
      clone = number.clone()
    }
    #expect(prototype != nil)
    #expect(clone.prototype != nil)
    clone.value = 2
    #expect(prototype == nil)
  }

  @Test func `A clone of a field is not kept alive by its prototype, and many leave nothing behind`() {
    let number = Field(1)
    weak var clone: Field<Int>?
    do { clone = number.clone() }
    #expect(clone == nil)
    #expect(number.clones.isEmpty)
    for _ in 0..<1_000 { _ = number.clone() }
    number.value = 2
    #expect(number.clones.isEmpty)
  }

  @Test func `A clone of a field and its prototype are deallocated together`() {
    weak var prototype: Field<Int>?
    weak var clone: Field<Int>?
    do {
      let number = Field(1)
      let follower = number.clone()
      number.value = 2
      (prototype, clone) = (number, follower)
    }
    #expect(prototype == nil)
    #expect(clone == nil)
  }
}
