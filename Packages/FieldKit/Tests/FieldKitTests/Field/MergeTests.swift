@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `Comparing the age of fields` {
  @Test func `Comparing the age of fields finds neither newer if neither was set`() {
    let (left, right) = (Field<Int>(), Field<Int>())
    #expect(!left.isNewer(than: right))
    #expect(!right.isNewer(than: left))
    #expect(!left.isNewer(than: left))
  }

  @Test func `Comparing the age of fields finds the one newer that was set, or set last`() {
    let (left, right) = (Field<Int>(), Field<String>())
    left.value = 1
    #expect(left.isNewer(than: right))
    #expect(!right.isNewer(than: left))
    right.value = nil
    #expect(right.isNewer(than: left))
    left.value = 1
    #expect(left.isNewer(than: right))
  }

  @Test func `The age of fields of unknown type can be compared`() {
    let fields: [AnyField] = [Field(1), Field("a")]
    #expect(fields[1].isNewer(than: fields[0]))
    #expect(!fields[0].isNewer(than: fields[1]))
  }
}

@Suite struct `Merging fields` {
  @Test func `Merging fields takes a newer value and leaves an older one`() {
    let (left, right) = (Field<String>(), Field<String>())
    left.value = "left"
    right.value = "right"
    #expect(!right.merge(from: left))
    #expect(right == "right")
    #expect(left.merge(from: right))
    #expect(left == "right")
    #expect(left.isDirty)
  }

  @Test func `Merging fields takes nothing from a field that was never set, or is not loaded`() {
    let name = Field<String>()
    #expect(!name.merge(from: Field<String>()))
    #expect(name.isUnset)
    for state in [LoadState.notLoaded, .loading, .incomplete] {
      let other = Field("other")
      other.loadState = state
      #expect(!name.merge(from: other))
      #expect(name.value == nil)
    }
  }

  @Test func `Merging fields takes a newer nil`() {
    let (left, right) = (Field("left"), Field<String>())
    right.value = nil
    #expect(left.merge(from: right))
    #expect(left.value == nil)
    #expect(left.loadState == .loaded)
  }

  @Test func `Merging fields keeps the stamp, so that a second merge, either way, does nothing`() {
    let (left, right) = (Field<Int>(), Field<Int>())
    left.value = 1
    right.value = 2
    #expect(left.merge(from: right))
    #expect(left.updatedAt == right.updatedAt)
    #expect(left.changedAt == right.changedAt)
    #expect(!left.merge(from: right))
    #expect(!right.merge(from: left))
    #expect(!left.merge(from: left))
  }

  @Test func `Fields merged in any order end up equal`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<50 {
      let fields = (0..<4).map { _ in Field<Int>() }
      for _ in 0..<6 { fields.randomElement(using: &random)?.value = Int.random(in: 0...9, using: &random) }
      let newest = fields.max { $1.isNewer(than: $0) }?.value
      for _ in 0..<2 {
        for left in fields.shuffled(using: &random) {
          for right in fields.shuffled(using: &random) { left.merge(from: right) }
        }
      }
      #expect(fields.allSatisfy { $0.value == newest })
    }
  }

  @Test func `Merging fields notifies observers once, with the old and the new value`() {
    let (left, right) = (Field(1), Field<Int>())
    let recorder = Recorder<Int?>()
    left.addObserver(recorder, updateImmediately: false)
    right.value = 2
    left.merge(from: right)
    left.merge(from: right)
    #expect(recorder.changes == [Change(1, 2)])
  }

  @Test func `Merging fields is not newer than its source when the value was constrained`() {
    let (left, right) = (Field<Int>().constrain(to: 0...10), Field<Int>())
    right.value = 50
    #expect(left.merge(from: right))
    #expect(left == 10)
    #expect(!left.isNewer(than: right))
    #expect(!right.merge(from: left))
    #expect(right == 50)
  }

  @Test func `Fields of unknown type can be merged`() throws {
    let (left, right) = (Field(1), Field<Int>())
    right.value = 2
    let (erasedLeft, erasedRight): (AnyField, AnyField) = (left, right)
    #expect(try erasedLeft.merge(from: erasedRight))
    #expect(left == 2)
    #expect(try !erasedRight.merge(from: erasedLeft))
    let list = Field<Int>()*
    let plain = Field<[Int]>()
    plain.value = [1]
    #expect(try (list as AnyField).merge(from: plain))
    #expect(list.value == [1])
  }

  @Test func `Merging fields of different types throws an error`() {
    let age = Field(1, name: "Age")
    let other = Field("2")
    let error = #expect(throws: FieldError.self) { try (age as AnyField).merge(from: other) }
    #expect(error?.description == "Field \"Age\" keeps its value: it takes Int, not String.")
    #expect(age == 1)
  }
}
