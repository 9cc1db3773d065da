@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `Binding fields` {
  @Test func `Binding fields one way copies at once and after every change, and never back`() {
    let (source, target) = (Field("a"), Field<String>())
    source --> target
    #expect(target == "a")
    source.value = "b"
    #expect(target == "b")
    target.value = "c"
    #expect(source == "b")
    source.value = nil
    #expect(target.value == nil)
    #expect(target.loadState == .loaded)
    target <-- source
    source.value = "d"
    #expect(target == "d")
  }

  @Test func `Binding fields two ways takes the right value and then follows both`() {
    let (left, right) = (Field("left"), Field("right"))
    left <--> right
    #expect(left == "right")
    left.value = "new"
    #expect(right == "new")
    right.value = "newer"
    #expect(left == "newer")
  }

  @Test func `Binding fields from an unset source copies nothing`() {
    let (source, target, empty) = (Field<Int>(), Field(5), Field<Int>())
    source --> target
    source --> empty
    #expect(target.value == 5)
    #expect(!target.isDirty)
    #expect(empty.loadState == .notLoaded)
    source.value = 6
    #expect(target.value == 6)
    #expect(empty.value == 6)
  }

  @Test func `Binding fields from a source that was never set but is being loaded copies nothing`() {
    let (source, target) = (Field<Int>(), Field(5))
    source.loadState = .loading
    source --> target
    #expect(target.value == 5)
    source.value = 6
    #expect(target.value == 6)
  }

  @Test func `Binding fields two ways with an unset right side keeps both as they are`() {
    let (left, right) = (Field(1), Field<Int>())
    left <--> right
    #expect(left.value == 1)
    #expect(right.loadState == .notLoaded)
    left.value = 2
    #expect(right.value == 2)
    right.value = 3
    #expect(left.value == 3)
  }

  @Test func `Binding fields from an empty list that was never set copies nothing`() {
    let (source, target) = (Field<Int>()*, Field<Int>()*)
    target.value = [1]
    source --> target
    #expect(target.value == [1])
    source.append(2)
    #expect(target.value == [2])
  }

  @Test func `Binding fields from a source that was set to nil copies nil`() {
    let (source, target) = (Field<Int>(), Field(5))
    source.value = nil
    source --> target
    #expect(target.value == nil)
  }

  @Test func `Binding fields takes the source's value even if the target is newer`() {
    let source = Field(1)
    let target = Field<Int>()
    target.value = 2
    source --> target
    #expect(target.value == 1)
    #expect(target.lastChange > source.lastChange)
  }

  @Test func `Binding fields passes the origin's stamp on`() {
    let fields = (0..<4).map { _ in Field(0) }
    fields[0] --> fields[1] --> fields[2] --> fields[3]
    fields[0].value = 7
    #expect(fields.allSatisfy { $0.value == 7 && $0.lastChange == fields[0].lastChange })
  }

  @Test func `Binding fields in a ring of three ends and reaches every one`() {
    let (a, b, c) = (Field("a"), Field("b"), Field("c"))
    a <--> b
    b <--> c
    c <--> a
    var calls = 0
    for field in [a, b, c] { field.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    b.value = "new"
    #expect([a, b, c].map(\.value) == ["new", "new", "new"])
    #expect(calls == 3)
    c.value = "newer"
    #expect([a, b, c].map(\.value) == ["newer", "newer", "newer"])
  }

  @Test func `Binding fields of values that can't be compared ends, two ways and in a ring of three`() {
    let fields = (0..<3).map { Field(Opaque(number: $0)) }
    fields[0] <--> fields[1]
    fields[1] <--> fields[2]
    fields[2] <--> fields[0]
    var calls = 0
    for field in fields { field.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    fields[2].value = Opaque(number: 8)
    #expect(fields.map { $0.value?.number } == [8, 8, 8])
    #expect(calls == 3)
    fields[0].value = Opaque(number: 9)
    #expect(fields.map { $0.value?.number } == [9, 9, 9])
    #expect(calls == 6)
  }

  @Test func `Binding fields of not-a-number ends`() {
    let (left, right) = (Field(1.0), Field(2.0))
    left <--> right
    left.value = .nan
    #expect(right.value?.isNaN == true)
  }

  @Test func `A field can be bound to a custom class both ways`() {
    let (field, dial) = (Field(1), Dial(2))
    field <--> dial
    #expect(field.value == 2)
    field.value = 3
    #expect(dial.value == 3)
    dial.value = 4
    #expect(field.value == 4)
    field.value = nil
    #expect(dial.value == nil)
    let other = Field(7)
    dial <--> other
    #expect(field.value == 7)
    other.value = 8
    #expect([field.value, dial.value] == [8, 8])
  }

  @Test func `A field bound to a custom class takes the value that the class changes`() {
    let (field, dial) = (Field(1), Dial(2, maximum: 10))
    field <--> dial
    field.value = 50
    #expect(dial.value == 10)
    #expect(field.value == 10)
    field.value = 7
    #expect(dial.value == 7)
  }

  @Test func `Binding fields ends with -/-> in each direction`() {
    let (left, right) = (Field(1), Field(2))
    left <--> right
    left -/-> right
    left.value = 3
    #expect(right.value == 2)
    right.value = 4
    #expect(left.value == 4)
  }

  @Test func `Binding fields works with lists and enumerations`() {
    let (tags, otherTags) = (Field<String>()*, Field<String>()*)
    tags <--> otherTags
    tags.append("a")
    otherTags.append("b")
    #expect(tags.value == ["a", "b"])
    let (color, otherColor) = (EnumField<Color>(.red), EnumField<Color>())
    color --> otherColor
    #expect(otherColor == .red)
  }

  @Test func `Binding fields keeps a list without duplicates free of them`() {
    let source = Field<Int>()*
    let unique = ArrayField(Field<Int>(), allowsDuplicates: false)
    source --> unique
    source.value = [1, 1, 2]
    #expect(unique.value == [1, 2])
  }

  @Test func `A field can be bound to a plain source`() {
    let (source, field) = (ValueSource<Int?>(1), Field<Int>())
    source <--> field
    #expect(source.value == 1)
    #expect(field.isUnset)
    source.value = 2
    #expect(field.value == 2)
    field.value = 3
    #expect(source.value == 3)
  }
}

private final class Dial: ValueObservable, ValueObserver {
  let observations = ObservationRegistry<Int?>()
  private let maximum: Int

  var value: Int? {
    didSet { observations.notify(from: oldValue, to: value) }
  }

  init(_ value: Int?, maximum: Int = .max) {
    self.value = value
    self.maximum = maximum
  }

  func valueChanged(from oldValue: Int?, to newValue: Int?, observable: any ValueObservable<Int?>) {
    value = newValue.map { min($0, maximum) }
  }
}
