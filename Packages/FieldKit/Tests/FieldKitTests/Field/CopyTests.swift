@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `A copy of a field` {
  @Test func `A copy of a field has its value and declaration and changes independently`() {
    let name = Field("Ann", name: "Name", key: "full_name", priority: 2).require(.notBlank)
    let copy = name.copy()
    #expect(copy == "Ann")
    #expect(copy.name == "Name")
    #expect(copy.key == "full_name")
    #expect(copy.priority == 2)
    copy.value = "Bob"
    #expect(name == "Ann")
    name.value = "Eve"
    #expect(copy == "Bob")
  }

  @Test func `A copy of a field keeps rules, domain and transformer`() throws {
    let size = Field(5).require { $0 != 7 }.constrain(to: 0...10)
      .transform(importValue: { $0.intValue.map { $0 * 2 } }, exportValue: { .int($0 / 2) })
    let copy = size.copy()
    copy.value = 7
    #expect(!copy.valid)
    copy.value = 99
    #expect(copy == 10)
    try copy.read(2)
    #expect(copy == 4)
    #expect(try copy.written() == 2)
    copy.require { $0 != 4 }
    #expect(!copy.valid)
    size.value = 4
    #expect(size.valid)
  }

  @Test func `A copy of a field is as old, as loaded and as dirty`() {
    struct Offline: Error {}
    let unset = Field<Int>().copy()
    #expect(unset.isUnset)
    #expect(unset.loadState == .notLoaded)
    let null = Field<Int>()
    null.value = nil
    #expect(null.copy().loadState == .loaded)
    #expect(!null.copy().isUnset)
    let age = Field(3)
    #expect(!age.copy().isDirty)
    age.value = 4
    age.value = 4
    let copy = age.copy()
    #expect(copy.isDirty)
    #expect(copy.lastChange == age.lastChange)
    #expect(copy.updatedAt == age.updatedAt)
    #expect(!copy.isNewer(than: age))
    #expect(!age.isNewer(than: copy))
    age.loadState = .error(Offline())
    #expect(age.copy().loadState == .error(Offline()))
  }

  @Test func `A copy of a field has no observers, no owner and no validation result`() {
    let name = Field("Ann").require(.notBlank)
    let recorder = Recorder<String?>()
    name.addObserver(recorder, updateImmediately: false)
    name.validate()
    let copy = name.copy()
    copy.value = "Bob"
    #expect(recorder.changes.isEmpty)
    #expect(copy.owner == nil)
    #expect(name.copy().validationState == .unknown)
    #expect(name.validationState == .valid)
  }

  @Test func `A copy of a field compares as the original does`() {
    let points = Field(Point(x: 1, y: 1)).copy()
    let things = Field(Opaque(number: 1)).copy()
    var calls = 0
    points.addObserver(updateImmediately: false) { _, _ in calls += 1 }
    points.value = Point(x: 1, y: 1)
    #expect(calls == 0)
    things.addObserver(updateImmediately: false) { _, _ in calls += 1 }
    things.value = Opaque(number: 1)
    #expect(calls == 1)
  }

  @Test func `A copy of a field of a list is a list with the same elements and rules`() {
    let tags = ArrayField(
      Field<String>().require(.notBlank).constrain(to: ["a", "b", ""]), name: "Tags", allowsDuplicates: false)
    tags.value = ["a"]
    let copy = tags.copy()
    #expect(copy.name == "Tags")
    #expect(copy.append("b"))
    #expect(!copy.append("b"))
    #expect(!copy.append("c"))
    #expect(copy.append(""))
    #expect(!copy.valid)
    #expect(copy.value == ["a", "b", ""])
    #expect(tags.value == ["a"])
    #expect((tags as Field<[String]>).copy() is ArrayField<String>)
    #expect((Field<Int>()*).copy().isUnset)
    #expect((Field<Int>()*).copy().value == [])
  }

  @Test func `A copy of a field of a field of unknown type has the same type`() throws {
    let fields: [AnyField] = [Field(3, name: "Age"), ArrayField(Field("a"), name: "Tags")]
    let copies = fields.map { $0.copy() }
    #expect(copies[0] is Field<Int>)
    #expect(copies[1] is ArrayField<String>)
    #expect(copies.map(\.name) == ["Age", "Tags"])
    try copies[0].set(anyValue: 4)
    #expect(fields[0].anyValue as? Int == 3)
    #expect(copies[0].anyValue as? Int == 4)
  }

  @Test func `A copy of a field references the same object, as any variable does`() {
    final class Box {}
    let box = Box()
    let copy = Field(box).copy()
    #expect(copy.value === box)
  }

  @Test func `A copy of a field does not keep the original alive`() {
    weak var original: Field<Int>?
    let copy: Field<Int>
    do {
      let field = Field(1)
      original = field
      copy = field.copy()
    }
    #expect(original == nil)
    #expect(copy == 1)
  }
}
