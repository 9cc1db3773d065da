import FieldKit
import Testing

@Suite struct `An array field` {
  @Test func `starts as an empty list that was never set`() {
    let tags = ArrayField(Field<String>())
    #expect(tags.value == [])
    #expect(tags.loadState == .notLoaded)
    #expect(!tags.isDirty)
    #expect(tags.updatedAt == nil)
  }

  @Test func `grows and shrinks in all its ways`() {
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

  @Test func `starts anew from nil`() {
    let tags = Field<String>()*
    tags.value = nil
    #expect(!tags.contains("a"))
    #expect(!tags.removeFirst("a"))
    #expect(tags.append("a"))
    #expect(tags.value == ["a"])
  }

  @Test func `is loaded, dirty and dated after an append, observed or not`() {
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

  @Test func `shows observers the old and the new list`() {
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

  @Test func `refuses duplicates if told so, and keeps the first of equal elements`() {
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

  @Test func `allows duplicates unless told otherwise`() {
    let numbers = Field<Int>()*
    #expect(numbers.append(1))
    #expect(numbers.append(1))
    #expect(numbers.value == [1, 1])
  }

  @Test func `tells nobody of a duplicate it refused`() {
    let numbers = ArrayField(Field<Int>(), allowsDuplicates: false)
    numbers.append(1)
    let recorder = Recorder<[Int]?>()
    numbers.addObserver(recorder, updateImmediately: false)
    numbers.append(1)
    #expect(recorder.changes.isEmpty)
  }

  @Test func `takes elements that can be compared but not hashed, and such that can't even be compared`() {
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

  @Test func `is declared with a star before or behind`() {
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

  @Test func `may be called otherwise than its elements`() {
    let tags = ArrayField(Field<String>(name: "Tag", key: "tag", priority: 1), name: "Tags", key: "tags", priority: 2)
    #expect(tags.name == "Tags")
    #expect(tags.key == "tags")
    #expect(tags.priority == 2)
  }

  @Test func `begins with the initial value of its element, loaded and not dirty`() {
    let tags = Field("a")*
    #expect(tags.value == ["a"])
    #expect(tags.loadState == .loaded)
    #expect(!tags.isDirty)
  }

  @Test func `traps when an element is removed that is not there`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let tags = Field<String>()*
      tags.append("only")
      tags.remove(at: 1)
    }
    // Only a debug build says why it traps.
    #if DEBUG
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains("There is no element 1 to remove: the list has 1."))
    #else
      #expect(result != nil)
    #endif
  }
}
