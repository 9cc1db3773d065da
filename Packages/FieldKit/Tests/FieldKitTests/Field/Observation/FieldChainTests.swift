import FieldKit
import Testing

private let length = 10_000

@Suite struct `A chain of ten thousand fields on a stack of 512 kB` {
  @Test func `A chain of ten thousand fields passes a value with the stamp of its origin to its end, and back`() {
    let result = onSmallStack {
      let fields = (0..<length).map { _ in Field(0) }
      for (index, (left, right)) in zip(fields, fields.dropFirst()).enumerated() {
        if index.isMultiple(of: 2) { left --> right } else { left <--> right }
      }
      fields[0].value = 7
      return fields.allSatisfy { $0.value == 7 && $0.updatedAt == fields[0].updatedAt }
    }
    #expect(result == true)
  }

  @Test func `A chain of ten thousand fields, sources and transforms passes a value to its end on a small stack`() {
    let last = onSmallStack {
      let fields = (0..<length).map { _ in Field(0) }
      let sources = (0..<length).map { _ in ValueSource<Int?>(0) }
      for index in 0..<length {
        fields[index] --> sources[index]
        if index + 1 < length { sources[index] --> { $0.map { $0 + 1 } } --> fields[index + 1] }
      }
      fields[0].value = 10
      return sources[length - 1].value ?? 0
    }
    #expect(last == 10 + length - 1)
  }

  @Test func `A chain of ten thousand fields on a stack of 512 kB with domains and hooks passes a value to its end`() {
    let last = onSmallStack {
      var sets = 0
      let fields = (0..<length).map { _ in Field(0).constrain(to: 0...10).onSet { _, _ in sets += 1 } }
      for (left, right) in zip(fields, fields.dropFirst()) { left <--> right }
      fields[0].value = 50
      return [fields[length - 1].value ?? 0, fields[0].value ?? 0]
    }
    #expect(last == [10, 10])
  }
}

private final class Log {
  private(set) var entries: [String?] = []

  @discardableResult
  func put(_ entry: String?) -> Int {
    entries.append(entry)
    return entries.count
  }
}

@Suite struct `An arrow from a field` {
  @Test func `An arrow from a field to a closure whose result type is not declared is a token`() {
    let (name, log) = (Field("a"), Log())
    let token = name --> { log.put($0) }
    name.value = "b"
    token.cancel()
    name.value = "c"
    #expect(log.entries == ["a", "b"])
  }

  @Test func `An arrow from a field to a closure with a further arrow or a declared result type is a transform`() {
    let (name, length) = (Field("ab"), Field<Int>())
    let count = name --> { value -> Int? in value?.count }
    let typed: DerivedObservable<Int?> = name --> { $0?.count }
    let sum = (name --> { $0?.count }).combineLatest(count).map { ($0.first ?? 0) + ($0.second ?? 0) }
    name --> { $0?.count } --> length
    name.value = "abc"
    #expect([count.value, typed.value, length.value, sum.value] == [3, 3, 3, 6])
  }
}

@Suite struct `Bound fields end` {
  @Test(arguments: [1, 2, 3, 100])
  func `Bound fields end in a ring of any length, whatever the values`(length: Int) {
    let fields = (0..<length).map { Field(Double($0)) }
    let things = (0..<length).map { Field(Opaque(number: $0)) }
    for index in 0..<length {
      fields[index] <--> fields[(index + 1) % length]
      things[index] --> things[(index + 1) % length]
    }
    var calls = 0
    for field in fields { field.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    for thing in things { thing.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    fields[length / 2].value = .nan
    #expect(fields.allSatisfy { $0.value?.isNaN == true })
    #expect(calls == length)
    things[length / 2].value = Opaque(number: -1)
    #expect(things.allSatisfy { $0.value?.number == -1 })
    #expect(calls == 2 * length)
  }

  @Test func `Bound fields end when their domains have nothing in common`() {
    let (low, high) = (Field(1).constrain(to: 0...10), Field(25).constrain(to: 20...30))
    low <--> high
    #expect([low.value, high.value] == [10, 25])
    low.value = 5
    #expect([low.value, high.value] == [10, 20])
    transaction {
      low.value = 3
      high.value = 29
    }
    #expect([low.value, high.value] == [10, 20])
  }
}
