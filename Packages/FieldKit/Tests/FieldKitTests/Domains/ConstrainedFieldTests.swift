import Testing

@testable @_spi(ModelKitInternals) import FieldKit

@Suite struct `A constrained field` {
  @Test func `A constrained field has nil instead of a value that is not listed`() {
    let name = Field<String>().constrain(to: ["Ann", "Bob"])
    name.value = "Ann"
    #expect(name == "Ann")
    name.value = "Eve"
    #expect(name.value == nil)
    #expect(name.loadState == .loaded)
    let color = Field<Color>().constrain(to: [.red, .green])
    color.value = .blue
    #expect(color.value == nil)
    color.value = .green
    #expect(color == .green)
  }

  @Test func `A constrained field pins a value to the nearest bound of its range`() {
    let size = Field<Int>().constrain(to: 0...10)
    size.value = 11
    #expect(size == 10)
    size.value = -1
    #expect(size == 0)
    size.value = 5
    #expect(size == 5)
    size.value? += 100
    #expect(size == 10)
  }

  @Test func `A constrained field takes every kind of range that has a nearest value`() {
    func stored<Value: Comparable>(_ value: Value, in field: Field<Value>) -> Value? {
      field.value = value
      return field.value
    }
    #expect(stored(-1, in: Field<Int>().constrain(to: 1...)) == 1)
    #expect(stored(11, in: Field<Int>().constrain(to: ...10)) == 10)
    #expect(stored(10, in: Field<Int>().constrain(to: 0..<10)) == 9)
    #expect(stored(-5, in: Field<Int>().constrain(to: 0..<10)) == 0)
    #expect(stored(200, in: Field<UInt8>().constrain(to: ..<10)) == 9)
    #expect(stored(1.5, in: Field<Double>().constrain(to: 0...1)) == 1)
    #expect(stored("z", in: Field<String>().constrain(to: "a"..."f")) == "f")
  }

  @Test func `A field can be constrained to a custom domain, and unconstrained again`() {
    let count = Field<Int>().constrain(to: EvenNumbers())
    count.value = 7
    #expect(count == 6)
    count.unconstrain()
    count.value = 7
    #expect(count == 7)
    count.constrain(to: [1, 2])
    count.value = 3
    #expect(count.value == nil)
  }

  @Test func `A constrained field lets nil pass`() {
    let size = Field(3).constrain(to: 1...10)
    size.value = nil
    #expect(size.value == nil)
    #expect(size.loadState == .loaded)
  }

  @Test func `A constrained field never becomes invalid by its domain`() {
    let size = Field<Int>().constrain(to: 0...10).require(.range(0...10))
    size.value = 99
    #expect(size.valid)
    let name = Field<String>().constrain(to: ["Ann"])
    name.value = "Eve"
    #expect(name.valid)
  }

  @Test func `A constrained field begins inside its domain`() {
    let size = Field(11).constrain(to: 0...10)
    #expect(size == 10)
    #expect(size.loadState == .loaded)
    #expect(!size.isDirty)
    #expect(Field(Color.blue).constrain(to: [.red]).value == nil)
    #expect(Field(11, name: "Size").require(.range(0...20)).constrain(to: 0...10) == 10)
    #expect(Field<Int>().constrain(to: 5...10).isUnset)
  }

  @Test func `A constrained field keeps a value that was set before it was constrained, until the next set`() throws {
    let set = Field<Int>()
    set.value = 11
    let reset = Field(11)
    reset.value = 11
    let read = Field<Int>()
    try read.read(11)
    let narrowed = Field<Int>().constrain(to: 0...20)
    narrowed.value = 11
    let observed = Field(11)
    observed --> { _ in }
    for field in [set, reset, read, narrowed, observed] {
      field.constrain(to: 0...10)
      #expect(field == 11)
      field.value = 11
      #expect(field == 10)
    }
  }

  @Test func `A constrained field constrains a value whichever way it comes`() throws {
    let size = Field<Int>().constrain(to: 0...10)
    try (size as AnyField).set(anyValue: 11)
    #expect(size == 10)
    try size.read(-5)
    #expect(size == 0)
    #expect(!size.isDirty)
    let source = Field(40)
    source --> size
    #expect(size == 10)
    source.value = -40
    #expect(size == 0)
    let newer = Field<Int>()
    newer.value = 12
    #expect(size.merge(from: newer))
    #expect(size == 10)
    #expect(size.constrained(77) == 10)
    #expect(size.constrained(nil) == nil)
    #expect(Field<Int>().constrained(77) == 77)
  }

  @Test func `A constrained field notifies its observers of the stored value, and only if that is a change`() {
    let size = Field(5).constrain(to: 0...10)
    let recorder = Recorder<Int?>()
    size.addObserver(recorder, updateImmediately: false)
    size.value = 20
    size.value = 30
    size.value = 1
    #expect(recorder.changes == [Change(5, 10), Change(10, 1)])
  }

  @Test func `A constrained field reports a value that can't be converted, and keeps its own`() {
    let size = Field(5).constrain(to: 0...10)
    #expect(throws: ValueTransformError.self) { try size.read("many") }
    #expect(throws: FieldError.self) { try size.set(anyValue: "many") }
    #expect(size == 5)
  }

  @Test func `A constrained field of values that can't be compared takes a domain too`() {
    let field = Field(Opaque(number: -1)).constrain(to: Positive())
    #expect(field.value?.number == 0)
    field.value = Opaque(number: 3)
    #expect(field.value?.number == 3)
  }

  @Test func `A constrained field traps when its range is empty`() async {
    await #expect(processExitsWith: .failure) { Field<Int>().constrain(to: 3..<3) }
  }
}

@Suite struct `Binding constrained fields` {
  @Test func `A two-way binding of constrained fields gives both a value that the narrower one allows`() {
    let (narrow, wide) = (Field(1).constrain(to: 0...10), Field(2).constrain(to: 0...100))
    narrow <--> wide
    var calls = 0
    for field in [narrow, wide] { field.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    wide.value = 50
    #expect(narrow == 10)
    #expect(wide == 10)
    #expect(calls == 3)
    narrow.value = 70
    #expect([narrow.value, wide.value] == [10, 10])
    wide.value = 5
    #expect([narrow.value, wide.value] == [5, 5])
  }

  @Test func `A two-way binding of constrained fields leaves them different if the narrower one is at its bound`() {
    let (narrow, wide) = (Field(10).constrain(to: 0...10), Field(10).constrain(to: 0...100))
    narrow <--> wide
    wide.value = 50
    #expect([narrow.value, wide.value] == [10, 50])
    narrow.value = 9
    #expect([narrow.value, wide.value] == [9, 9])
  }

  @Test func `A two-way binding of constrained fields ends if they can't agree`() {
    let (low, high) = (Field(1).constrain(to: 0...10), Field(25).constrain(to: 20...30))
    low <--> high
    #expect([low.value, high.value] == [10, 25])
    low.value = 3
    #expect([low.value, high.value] == [10, 20])
    high.value = 27
    #expect([low.value, high.value] == [10, 27])
    let (red, green) = (Field<Color>().constrain(to: [.red]), Field<Color>(.green).constrain(to: [.green]))
    red <--> green
    red.value = .red
    #expect([red.value, green.value] == [nil, nil])
  }

  @Test func `Binding constrained fields in a ring of three ends`() {
    let fields = [Field(1).constrain(to: 0...10), Field(25).constrain(to: 20...30), Field(45).constrain(to: 40...50)]
    fields[0] --> fields[1] --> fields[2] --> fields[0]
    fields[0].value = 4
    fields[1].value = 29
    fields[2].value = 44
    #expect(fields.map(\.value) == [10, 20, 40])
  }

  @Test func `Binding constrained fields of values that can't be compared ends`() {
    let (left, right) = (Field(Opaque(number: 1)).constrain(to: Positive()), Field(Opaque(number: 2)))
    left <--> right
    right.value = Opaque(number: -4)
    #expect([left.value?.number, right.value?.number] == [0, 0])
  }

  @Test func `Binding constrained fields two ways makes a list agree with one that allows no duplicates`() {
    let (list, unique) = (Field<Int>()*, ArrayField(Field<Int>(), allowsDuplicates: false))
    list <--> unique
    list.value = [1, 1, 2]
    #expect(unique.value == [1, 2])
    #expect(list.value == [1, 2])
  }
}

@Suite struct `A list of constrained elements` {
  @Test func `A list of constrained elements leaves out refused elements, in order`() {
    let colors = Field<Color>().constrain(to: [.red, .green])*
    colors.value = [.blue, .green, .red, .blue, .green]
    #expect(colors.value == [.green, .red, .green])
    colors.value?.append(.blue)
    colors.value?.append(.red)
    #expect(colors.value == [.green, .red, .green, .red])
  }

  @Test func `A list of constrained elements pins its elements, and then leaves out duplicates`() {
    let sizes = ArrayField(Field<Int>().constrain(to: 0...10), allowsDuplicates: false)
    sizes.value = [12, 3, 11, 10, 3, -1]
    #expect(sizes.value == [10, 3, 0])
    #expect(!sizes.append(15))
    #expect(!sizes.append(-4))
    #expect(sizes.append(4))
    #expect(sizes.value == [10, 3, 0, 4])
  }

  @Test func `A list of constrained elements returns whether it took an element`() {
    let colors = Field<Color>().constrain(to: [.red])*
    let recorder = Recorder<[Color]?>()
    colors.addObserver(recorder, updateImmediately: false)
    #expect(!colors.append(.blue))
    #expect(colors.isUnset)
    #expect(colors.append(.red))
    #expect(!colors.insert(.green, at: 0))
    #expect(recorder.changes == [Change([], [.red])])
  }

  @Test func `A list of constrained elements takes only allowed elements from JSON, bindings and other lists`() throws {
    let sizes = Field<Int>().constrain(to: [1, 2, 3])*
    try sizes.read([1, 9, 3])
    #expect(sizes.value == [1, 3])
    #expect(!sizes.isDirty)
    let source = Field<Int>()*
    source --> sizes
    source.value = [9, 2]
    #expect(sizes.value == [2])
    let newer = Field<Int>()*
    newer.value = [3, 4]
    #expect(sizes.merge(from: newer))
    #expect(sizes.value == [3])
    try sizes.set(anyValue: [0, 1])
    #expect(sizes.value == [1])
  }

  @Test func `A list of constrained elements begins with its constrained initial value`() {
    #expect((Field(12).constrain(to: 0...10)*).value == [10])
    #expect((Field("x").constrain(to: ["a"])*).value == [])
  }

  @Test func `A list of constrained elements may be constrained as a whole too`() {
    let pair = (Field<Int>()*).constrain(to: AtMostTwo())
    #expect(pair.append(1))
    #expect(pair.append(2))
    #expect(!pair.append(3))
    #expect(pair.value == [1, 2])
    pair.value = [4, 5, 6]
    #expect(pair.value == [4, 5])
    pair.remove(at: 0)
    #expect(pair.value == [5])
  }
}

private struct EvenNumbers: ValueDomain {
  func contains(_ value: Int) -> Bool { value % 2 == 0 }
  func clamp(_ value: Int) -> Int? { value - 1 }
}

private struct Positive: ValueDomain {
  func contains(_ value: Opaque) -> Bool { value.number >= 0 }
  func clamp(_ value: Opaque) -> Opaque? { Opaque(number: 0) }
}

private struct AtMostTwo: ValueDomain {
  func contains(_ value: [Int]) -> Bool { value.count <= 2 }
  func clamp(_ value: [Int]) -> [Int]? { Array(value.prefix(2)) }
}
