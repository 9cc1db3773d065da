import FieldKit
import Testing

@Suite struct `An array field` {
  @Test func `An array field starts as an empty list that was never set`() {
    let tags = ArrayField(Field<String>())
    #expect(tags.value == [])
    #expect(tags.loadState == .notLoaded)
    #expect(!tags.isDirty)
    #expect(tags.updatedAt == nil)
  }

  @Test func `An array field grows and shrinks by every method`() {
    let tags = Field<String>()*
    tags.value = ["red", "blue"]
    tags.value?.append("blue")
    #expect(tags.append("green"))
    #expect(tags.value == ["red", "blue", "blue", "green"])
    #expect(tags.contains("green"))
    #expect(!tags.contains("black"))
    #expect(tags.remove(at: 0) == "red")
    #expect(tags.removeFirst("blue"))
    #expect(tags.value == ["blue", "green"])
    #expect(!tags.removeFirst("black"))
    #expect(tags.removeFirst("green"))
    #expect(tags.removeFirst("blue"))
    #expect(tags.value == [])
  }

  @Test func `An array field starts again from nil`() {
    let tags = Field<String>()*
    tags.value = nil
    #expect(!tags.contains("a"))
    #expect(!tags.removeFirst("a"))
    #expect(tags.append("a"))
    #expect(tags.value == ["a"])
  }

  @Test func `An array field is loaded, dirty and dated after an append, observed or not`() {
    let (quiet, observed) = (Field<Int>()*, Field<Int>()*)
    observed --> { _ in }
    for list in [quiet, observed] {
      list.validate()
      list.append(1)
      #expect(list.loadState == .loaded)
      #expect(list.isDirty)
      #expect(list.updatedAt != nil)
      #expect(list.changedAt != nil)
      #expect(list.validationState == .unknown)
    }
  }

  @Test func `An array field shows observers the old and the new list`() {
    let tags = Field<String>()*
    let recorder = Recorder<[String]?>()
    tags --> recorder
    tags.value = ["a"]
    tags.append("b")
    tags.value?.append("c")
    tags.remove(at: 1)
    tags.removeFirst("a")
    tags.value = ["c"]
    #expect(
      recorder.changes == [
        Change([], []), Change([], ["a"]), Change(["a"], ["a", "b"]), Change(["a", "b"], ["a", "b", "c"]),
        Change(["a", "b", "c"], ["a", "c"]), Change(["a", "c"], ["c"]),
      ])
  }

  @Test func `An array field without duplicates keeps the first of equal elements`() {
    let numbers = ArrayField(Field<Int>(), allowsDuplicates: false)
    #expect(numbers.append(0))
    #expect(numbers.append(1))
    #expect(!numbers.append(1))
    #expect(numbers.value == [0, 1])
    numbers.value = [1, 1, 2, 3, 9, 9]
    #expect(numbers.value == [1, 2, 3, 9])
    numbers.value?.append(2)
    #expect(numbers.value == [1, 2, 3, 9])
    numbers.value = nil
    #expect(numbers.append(5))
    #expect(numbers.value == [5])
  }

  @Test func `An array field allows duplicates by default`() {
    let numbers = Field<Int>()*
    #expect(numbers.append(1))
    #expect(numbers.append(1))
    #expect(numbers.value == [1, 1])
  }

  @Test func `An array field does not notify observers of a duplicate that it refused`() {
    let numbers = ArrayField(Field<Int>(), allowsDuplicates: false)
    numbers.append(1)
    let recorder = Recorder<[Int]?>()
    numbers.addObserver(recorder, updateImmediately: false)
    numbers.append(1)
    #expect(recorder.changes.isEmpty)
  }

  @Test func `An array field accepts elements that can't be hashed, and elements that can't be compared`() {
    let points = ArrayField(Field<Point>(), allowsDuplicates: false)
    #expect(points.append(Point(x: 1, y: 2)))
    #expect(!points.append(Point(x: 1, y: 2)))
    #expect(points.contains(Point(x: 1, y: 2)))
    let things = ArrayField(Field<Opaque>(), allowsDuplicates: false)
    #expect(things.append(Opaque(number: 1)))
    #expect(things.append(Opaque(number: 1)))
    #expect(things.value?.count == 2)
    things.remove(at: 0)
    #expect(things.value?.count == 1)
  }

  @Test func `An array field is declared with a star before or after a field`() {
    let behind = Field<String>(name: "Tag", key: "tag", priority: 3)*
    let before = *Field<String>(name: "Tag", key: "tag", priority: 3)
    for list in [behind, before] {
      #expect(list.name == "Tag")
      #expect(list.key == "tag")
      #expect(list.priority == 3)
    }
    let colors = EnumField<Color>()*
    colors.append(.red)
    #expect(colors.value == [.red])
    let others: ArrayField<Color> = *EnumField<Color>()
    #expect(others.value == [])
  }

  @Test func `An array field may have another name than its elements`() {
    let tags = ArrayField(Field<String>(name: "Tag", key: "tag", priority: 1), name: "Tags", key: "tags", priority: 2)
    #expect(tags.name == "Tags")
    #expect(tags.key == "tags")
    #expect(tags.priority == 2)
  }

  @Test func `An array field begins with the initial value of its element, loaded and not dirty`() {
    let tags = Field("a")*
    #expect(tags.value == ["a"])
    #expect(tags.loadState == .loaded)
    #expect(!tags.isDirty)
  }

  @Test func `An array field inserts at an index, and can be emptied`() {
    let tags = ArrayField(Field<String>(), allowsDuplicates: false)
    #expect(tags.isEmpty)
    #expect(tags.insert("b", at: 0))
    #expect(tags.insert("a", at: 0))
    #expect(tags.insert("c", at: 2))
    #expect(!tags.insert("c", at: 0))
    #expect(tags.value == ["a", "b", "c"])
    #expect(tags.count == 3)
    tags.removeAll()
    #expect(tags.isEmpty)
    #expect(tags.value == [])
    tags.value = nil
    #expect(tags.count == 0)
    #expect(tags.isEmpty)
    tags.removeAll()
    #expect(tags.value == [])
  }

  @Test func `An array field takes objects, and compares them by identity`() {
    final class Box {}
    let (first, second) = (Box(), Box())
    let boxes = ArrayField(Field<Box>(), allowsDuplicates: false)
    #expect(boxes.append(first))
    #expect(!boxes.append(first))
    #expect(boxes.append(second))
    boxes.value = [second, first, second]
    #expect(boxes.count == 2)
    #expect(boxes.value?.first === second)
    #expect(boxes.contains(first))
    #expect(!boxes.contains(Box()))
    #expect(boxes.removeFirst(first))
    #expect(!boxes.removeFirst(first))
    let equal = ArrayField(Field<Coin>(), allowsDuplicates: false)
    #expect(equal.append(Coin(cents: 5)))
    #expect(!equal.append(Coin(cents: 5)))
    #expect(equal.contains(Coin(cents: 5)))
    #expect(equal.removeFirst(Coin(cents: 5)))
  }

  @Test
  func `An array field keeps the first of equal elements that can't be hashed, and of numbers that equal nothing`() {
    let points = ArrayField(Field<Point>(), allowsDuplicates: false)
    points.value = [Point(x: 1, y: 1), Point(x: 2, y: 2), Point(x: 1, y: 1)]
    #expect(points.value == [Point(x: 1, y: 1), Point(x: 2, y: 2)])
    let numbers = ArrayField(Field<Double>(), allowsDuplicates: false)
    numbers.value = [.nan, 1, .nan, 1]
    #expect(numbers.count == 3)
  }

  @Test func `An array field leaves out the duplicates of a long list in linear time`() {
    let numbers = ArrayField(Field<Int>(), allowsDuplicates: false)
    // A comparison of all pairs would take minutes.
    numbers.value = Array(0..<200_000) + Array(0..<200_000)
    #expect(numbers.count == 200_000)
  }

  @Test func `An array field grows in place while it has no observers`() {
    let numbers = Field<Int>()*
    // Copying the list each time would take minutes.
    for number in 0..<200_000 { numbers.append(number) }
    #expect(numbers.count == 200_000)
  }

  @Test(arguments: 0..<40)
  func `An array field behaves like a plain list under random operations`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let allowsDuplicates = Bool.random(using: &random)
    let isConstrained = Bool.random(using: &random)
    let isObserved = Bool.random(using: &random)
    let element = Field<Int>()
    if isConstrained { element.constrain(to: [1, 2, 3, 5, 8]) }
    let list = ArrayField(element, allowsDuplicates: allowsDuplicates)
    var model: [Int] = []
    let recorder = Recorder<[Int]?>()
    if isObserved { list.addObserver(recorder, updateImmediately: false) }
    func allows(_ number: Int) -> Bool { !isConstrained || [1, 2, 3, 5, 8].contains(number) }
    func clean(_ numbers: [Int]) -> [Int] {
      numbers.filter(allows).reduce(into: []) { if allowsDuplicates || !$0.contains($1) { $0.append($1) } }
    }
    for _ in 0..<100 {
      let number = Int.random(in: 0...9, using: &random)
      let isTaken = allows(number) && (allowsDuplicates || !model.contains(number))
      switch Int.random(in: 0...6, using: &random) {
      case 0:
        #expect(list.append(number) == isTaken)
        if isTaken { model.append(number) }
      case 1:
        let index = Int.random(in: 0...model.count, using: &random)
        #expect(list.insert(number, at: index) == isTaken)
        if isTaken { model.insert(number, at: index) }
      case 2:
        let index = model.firstIndex(of: number)
        #expect(list.removeFirst(number) == (index != nil))
        if let index { model.remove(at: index) }
      case 3 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &random)
        #expect(list.remove(at: index) == model.remove(at: index))
      case 4:
        let numbers = (0..<Int.random(in: 0...6, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
        list.value = numbers
        model = clean(numbers)
      case 5:
        list.value?.append(number)
        model = clean(model + [number])
      default:
        #expect(list.contains(number) == model.contains(number))
      }
      #expect(list.value == model)
      #expect(list.count == model.count)
      if isObserved, let last = recorder.values.last { #expect(last == model) }
    }
    #expect(recorder.changes.allSatisfy { $0.old != $0.new })
  }

  @Test func `An array field traps when an element is removed at an invalid index`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let tags = Field<String>()*
      tags.append("only")
      tags.remove(at: 1)
    }
    // Only a debug build reports the reason of a trap.
    #if DEBUG
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains("There is no element at index 1 to remove: the list has 1."))
    #else
      #expect(result != nil)
    #endif
  }
}

private final class Coin: Equatable {
  let cents: Int

  init(cents: Int) { self.cents = cents }

  static func == (left: Coin, right: Coin) -> Bool { left.cents == right.cents }
}
