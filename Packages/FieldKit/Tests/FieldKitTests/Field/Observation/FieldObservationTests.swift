import FieldKit
import Testing

@Suite struct `Observing a field` {
  @Test func `A field can be observed in every syntax, with optional values`() {
    let name = Field<String>()
    let recorder = Recorder<String?>()
    let form = Form()
    var calls = 0
    var values: [String?] = []
    var changes: [Change<String?>] = []
    name --> recorder
    name --> form { form, value in form.lines.append(value ?? "none") }
    name.addObserver(form) { [weak form] value in form?.lines.append("also \(value ?? "none")") }
    name --> { calls += 1 }
    name --> { values.append($0) }
    name --> { changes.append(Change($0, $1)) }
    name.value = "Ann"
    #expect(recorder.changes == [Change(nil, nil), Change(nil, "Ann")])
    #expect(form.lines == ["none", "also none", "Ann", "also Ann"])
    #expect(calls == 2)
    #expect(values == [nil, "Ann"])
    #expect(changes == recorder.changes)
  }

  @Test func `Observers of a field are notified of changes only, unless every set is requested`() {
    let age = Field(1)
    var (changes, sets): ([Int?], [Int?]) = ([], [])
    age.addObserver(requiresChange: true, updateImmediately: false) { changes.append($1) }
    age.addObserver(requiresChange: false, updateImmediately: false) { sets.append($1) }
    #expect(changes.isEmpty)
    #expect(sets.isEmpty)
    age.value = 1
    #expect(changes.isEmpty)
    #expect(sets == [1])
    age.value = 2
    #expect(changes == [2])
    #expect(sets == [1, 2])
    age.value = nil
    age.value = nil
    #expect(changes == [2, nil])
    #expect(sets == [1, 2, nil, nil])
  }

  @Test func `Observers are notified of every set of a value that can't be compared, but of nil once`() {
    let thing = Field<Opaque>()
    var numbers: [Int?] = []
    thing.addObserver(updateImmediately: false) { numbers.append($1?.number) }
    thing.value = Opaque(number: 1)
    thing.value = Opaque(number: 1)
    thing.value = nil
    thing.value = nil
    #expect(numbers == [1, 1, nil])
  }

  @Test func `Observing a field finds the field as it is after the set`() {
    let age = Field(1).require(.range(0...10))
    age.validate()
    var states: [String] = []
    age.addObserver(updateImmediately: false) { _, new in
      states.append("\(age.value == new) \(age.isDirty) \(age.validationState == .unknown) \(age.loadState == .loaded)")
    }
    age.value = 11
    #expect(states == ["true true true true"])
  }

  @Test(arguments: [1, 2, 3])
  func `Observing a field compares values of any type by their own equality`(seed: Int) {
    func changes<T: Equatable>(_ old: T, _ new: T) -> Int {
      let field = Field(old)
      var count = 0
      field.addObserver(updateImmediately: false) { _, _ in count += 1 }
      field.value = old
      field.value = new
      return count
    }
    #expect(changes(seed, seed + 1) == 1)
    #expect(changes("\(seed)", "other") == 1)
    #expect(changes(Double(seed), 0.5) == 1)
    #expect(changes(seed == 1, seed != 1) == 1)
    #expect(changes(Color.red, .green) == 1)
    #expect(changes(Point(x: 1, y: 2), Point(x: 2, y: 2)) == 1)
    #expect(changes([seed], [seed, seed]) == 1)
  }

  @Test func `Observing a field ends for objects with -/-> and for closures with the token`() {
    let name = Field("a")
    let recorder = Recorder<String?>()
    let form = Form()
    var values: [String?] = []
    name --> recorder
    name --> form { form, value in form.lines.append(value ?? "none") }
    let token = name --> { values.append($0) }
    name -/-> recorder
    name.value = "b"
    token.cancel()
    name.value = "c"
    name -/-> form
    name.value = "d"
    #expect(recorder.values == ["a"])
    #expect(values == ["a", "b"])
    #expect(form.lines == ["a", "b", "c"])
  }

  @Test func `A field may be the owner of an observation`() {
    let (name, greeting) = (Field("Ann"), Field<String>())
    name --> greeting { greeting, name in greeting.value = "Hello \(name ?? "?")" }
    name.value = "Bob"
    #expect(greeting == "Hello Bob")
  }

  @Test func `Observing a field shows all observers one order of values, and all end on the last`() {
    let age = Field(0)
    var (first, second): ([Int?], [Int?]) = ([], [])
    age.addObserver(updateImmediately: false) { _, new in
      if let new, new < 5 { age.value = new + 1 }
      first.append(new)
    }
    age.addObserver(updateImmediately: false) { second.append($1) }
    age.value = 1
    #expect(first == [1, 2, 3, 4, 5])
    #expect(second == first)
  }
}

@Suite struct `Observing a field keeps alive` {
  @Test func `Observing a field keeps alive neither field, nor observer, nor owner`() {
    var (name, recorder, form): (Field<String>?, Recorder<String?>?, Form?) = (Field("a"), Recorder(), Form())
    weak let (first, second, third) = (name, recorder, form)
    if let name, let recorder, let form {
      name --> recorder
      name --> form { form, value in form.lines.append(value ?? "none") }
      name --> { _ in }
      name.validate()
    }
    recorder = nil
    #expect(second == nil)
    form = nil
    #expect(third == nil)
    name?.value = "b"
    name = nil
    #expect(first == nil)
  }

  @Test(arguments: [0, 1, 2])
  func `Observing a field keeps alive no field of a ring`(survivor: Int) {
    var fields = (0..<3).map { Field($0) }
    let references = fields.map { Weak($0) }
    fields[0] <--> fields[1]
    fields[1] <--> fields[2]
    fields[2] <--> fields[0]
    fields = [fields[survivor]]
    #expect(references.filter { $0.field != nil }.count == 1)
    fields[0].value = 9
    fields = []
    #expect(references.allSatisfy { $0.field == nil })
  }

  @Test func `Observing a field keeps alive no array field and no enumeration field`() {
    var (tags, color): (ArrayField<String>?, EnumField<Color>?) = (Field<String>()*, EnumField())
    weak let (first, second) = (tags, color)
    let (otherTags, otherColor) = (Field<String>()*, EnumField<Color>())
    if let tags, let color {
      tags <--> otherTags
      color <--> otherColor
      tags --> { _ in }
    }
    (tags, color) = (nil, nil)
    #expect(first == nil)
    #expect(second == nil)
  }
}

private final class Form: ObservationOwner {
  var lines: [String] = []
}

private final class Weak {
  weak var field: Field<Int>?
  init(_ field: Field<Int>) { self.field = field }
}
