@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `A subclass of a field` {
  @Test func `A subclass of a field receives every set, before the observers`() throws {
    let journal = Journal("a")
    journal.addObserver(updateImmediately: false) { [unowned journal] _, new in
      journal.lines.append("observed \(new ?? "nil")")
    }
    journal.value = "b"
    journal.value = "b"
    journal.value = nil
    try journal.read("c")
    #expect(
      journal.lines == [
        "a → b", "observed b", "b → b", "b → nil", "observed nil", "nil → c", "observed c",
      ])
    #expect(journal.changedAt != nil)
  }

  @Test func `A subclass of a field receives no sets unless it reports sets`() {
    final class Silent: Field<Int> {
      var calls = 0
      override func didSet(from oldValue: Int?, to newValue: Int?) { calls += 1 }
    }
    let silent = Silent(1)
    silent.value = 2
    #expect(silent.calls == 0)
    silent.reportsSets = true
    silent.value = 3
    #expect(silent.calls == 1)
    silent.reportsSets = false
    silent.value = 4
    #expect(silent.calls == 1)
  }

  @Test func `A subclass of a field receives the constrained value`() {
    let journal = Journal("a").constrain(to: "a"..."c")
    journal.value = "x"
    #expect(journal.lines == ["a → c"])
    #expect(journal.reportsSets)
  }

  @Test func `A subclass of a field may set another value from its hook, and observers end on that`() {
    final class Trimmed: Field<String> {
      init() {
        super.init()
        reportsSets = true
      }
      override func didSet(from oldValue: String?, to newValue: String?) {
        if newValue == "bad" { value = "good" }
      }
    }
    let field = Trimmed()
    let recorder = Recorder<String?>()
    field --> recorder
    field.value = "bad"
    #expect(field == "good")
    #expect(recorder.values == [nil, "good"])
  }

  @Test func `A subclass of a field compares its values, whichever initialiser it has`() {
    final class Name: Field<String> {}
    let name = Name("Ann")
    let recorder = Recorder<String?>()
    name.addObserver(recorder, updateImmediately: false)
    name.value = "Ann"
    name.value = "Bob"
    #expect(recorder.changes == [Change("Ann", "Bob")])
    let journal = Journal("a")
    journal.value = "a"
    #expect(!journal.isDirty)
  }
}

@Suite struct `A closure given to a field` {
  @Test func `Several closures given to a field are called at every set, before the observers`() {
    var lines: [String] = []
    let number = Field(1).onSet { lines.append("first \($0 ?? 0) → \($1 ?? 0)") }.onSet { _, _ in lines.append("second")
    }
    number.addObserver(updateImmediately: false) { _, _ in lines.append("observer") }
    number.value = 2
    number.value = 2
    #expect(lines == ["first 1 → 2", "second", "observer", "first 2 → 2", "second"])
  }

  @Test func `A closure given to a field receives the constrained value, whichever was declared first`() {
    var values: [Int?] = []
    let before = Field<Int>().onSet { values.append($1) }.constrain(to: 0...10)
    let after = Field<Int>().constrain(to: 0...10).onSet { values.append($1) }
    before.value = 11
    after.value = -1
    #expect(values == [10, 0])
  }

  @Test func `A closure of a field is not copied or cloned with it`() {
    var calls = 0
    let number = Field(1).onSet { _, _ in calls += 1 }
    let (copy, clone) = (number.copy(), number.clone())
    copy.value = 2
    #expect(calls == 0)
    number.value = 3
    #expect(calls == 1)
    #expect(clone == 3)
  }

  @Test func `A closure given to a field is released with the field`() {
    final class Box {}
    weak var box: Box?
    do {
      let kept = Box()
      box = kept
      let number = Field(1).onSet { _, _ in _ = kept }
      number.value = 2
    }
    #expect(box == nil)
  }
}

@Suite struct `A subclass of a list` {
  @Test func `A subclass of a list receives added and removed elements, however the list was set`() {
    let tags = Watched(Field<String>())
    tags.append("a")
    tags.value = ["a", "b", "b"]
    tags.value?.append("c")
    tags.value = ["c", "b", "d"]
    tags.removeFirst("c")
    tags.remove(at: 0)
    tags.value = ["d"]
    tags.insert("e", at: 0)
    tags.removeAll()
    tags.value = nil
    #expect(tags.lines == ["+a", "+b", "+b", "+c", "-a", "-b", "+d", "-c", "-b", "+e", "-e", "-d"])
  }

  @Test func `A subclass of a list receives only elements that the list took`() {
    let tags = Watched(Field<String>().constrain(to: ["a", "b"]), allowsDuplicates: false)
    tags.append("x")
    tags.append("a")
    tags.append("a")
    tags.value = ["b", "x", "b", "a"]
    #expect(tags.lines == ["+a", "+b"])
  }

  @Test func `A subclass of a list receives elements that can't be hashed, or are objects, or can't be compared`() {
    final class Box {}
    let points = Watched(Field<Point>())
    let (p, q) = (Point(x: 1, y: 1), Point(x: 2, y: 2))
    points.value = [p, q, p]
    points.value = [q, p]
    #expect(points.lines.map { $0.prefix(1) } == ["+", "+", "+", "-"])
    let boxes = Watched(Field<Box>())
    let (a, b) = (Box(), Box())
    boxes.value = [a, b]
    boxes.value = [b, a]
    #expect(boxes.lines.count == 2)
    let things = Watched(Field<Opaque>())
    things.value = [Opaque(number: 1)]
    things.value = [Opaque(number: 1)]
    #expect(things.lines.map { $0.prefix(1) } == ["+", "-", "+"])
  }
}

@Suite struct `Generic code that makes fields` {
  private func make<Value>(_ value: Value) -> Field<Value> { Field(value) }
  private func makeList<Value>(_ type: Value.Type, allowsDuplicates: Bool = true) -> ArrayField<Value> {
    ArrayField(Field<Value>(), allowsDuplicates: allowsDuplicates)
  }
  private func changes<Value>(of field: Field<Value>, to values: Value...) -> Int {
    var count = 0
    field.addObserver(updateImmediately: false) { _, _ in count += 1 }
    for value in values { field.value = value }
    return count
  }

  @Test func `Fields created in generic code compare values that can be compared`() {
    #expect(changes(of: make(1), to: 1, 2, 2) == 1)
    #expect(changes(of: make("a"), to: "a", "b", "b") == 1)
    #expect(changes(of: make(Point(x: 1, y: 1)), to: Point(x: 1, y: 1), Point(x: 2, y: 1)) == 1)
    #expect(changes(of: make(Color.red), to: .red, .blue, .blue) == 1)
    #expect(changes(of: make([Point(x: 1, y: 1)]), to: [Point(x: 1, y: 1)], []) == 1)
    #expect(changes(of: make(Opaque(number: 1)), to: Opaque(number: 1), Opaque(number: 1)) == 2)
    #expect(changes(of: make([Opaque(number: 1)]), to: [Opaque(number: 1)]) == 1)
  }

  @Test func `Lists created in generic code compare elements and leave out duplicates`() {
    #expect(changes(of: makeList(Int.self), to: [1], [1], [1, 2]) == 2)
    #expect(changes(of: makeList(Point.self), to: [Point(x: 1, y: 1)], [Point(x: 1, y: 1)]) == 1)
    let points = makeList(Point.self, allowsDuplicates: false)
    #expect(points.append(Point(x: 1, y: 1)))
    #expect(!points.append(Point(x: 1, y: 1)))
    let numbers = makeList(Int.self, allowsDuplicates: false)
    numbers.value = [3, 3, 1]
    #expect(numbers.value == [3, 1])
  }
}

private final class Journal: Field<String> {
  var lines: [String] = []

  init(_ value: String) {
    super.init(value)
    reportsSets = true
  }

  override func didSet(from oldValue: String?, to newValue: String?) {
    lines.append("\(oldValue ?? "nil") → \(newValue ?? "nil")")
  }
}

private final class Watched<Element>: ArrayField<Element> {
  var lines: [String] = []

  init(_ element: Field<Element>, allowsDuplicates: Bool = true) {
    super.init(element, allowsDuplicates: allowsDuplicates)
    reportsSets = true
  }

  override func didAdd(_ element: Element) { lines.append("+\(element)") }
  override func didRemove(_ element: Element) { lines.append("-\(element)") }
}
