import FieldKit
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct `Fields in a transaction` {
  @Test func `Fields in a transaction notify once, and have ordered stamps of one moment`() {
    let fields = (0..<200).map { Field($0) }
    let recorder = Recorder<Int?>()
    fields[0].addObserver(recorder, updateImmediately: false)
    transaction {
      for field in fields { field.value = -1 }
      fields[0].value = -2
    }
    #expect(recorder.changes == [Change(0, -2)])
    let dates = fields.compactMap(\.updatedAt)
    #expect(dates.count == 200)
    if let first = dates.min(), let last = dates.max() { #expect(last.timeIntervalSince(first) < 0.001) }
    #expect(zip(fields.dropFirst(), fields.dropFirst(2)).allSatisfy { $1.isNewer(than: $0) })
    #expect(fields[0].isNewer(than: fields[199]))
  }

  @Test func `Fields in a transaction that are bound and both set end on the newer value`() {
    let (left, right) = (Field("a"), Field("a"))
    left <--> right
    var log: [String] = []
    left.addObserver(updateImmediately: false) { log.append("left \($0 ?? "") \($1 ?? "")") }
    right.addObserver(updateImmediately: false) { log.append("right \($0 ?? "") \($1 ?? "")") }
    transaction {
      right.value = "b"
      left.value = "c"
    }
    #expect([left.value, right.value] == ["c", "c"])
    #expect(log == ["right a c", "left a c"])
  }

  @Test func `Fields in a transaction notify of their states once as well`() {
    let name = Field("a").require(.notBlank)
    name.validate()
    var states: [ValidationState] = []
    name.validationStates --> { states.append($0) }
    transaction {
      name.value = ""
      name.validate()
      name.value = "b"
      name.validate()
    }
    #expect(states == [.valid])
    transaction {
      name.value = ""
      name.validate()
    }
    #expect(states.map(\.isValid) == [true, false])
  }

  @Test func `Fields that return to their value in a transaction do not notify`() {
    let (age, limit) = (Field(1), Field(2))
    let sum = age.combineLatest(limit).map { ($0.first ?? 0) + ($0.second ?? 0) }
    var sums: [Int] = []
    sum --> { sums.append($0) }
    transaction {
      age.value = 5
      limit.value = 6
      age.value = 1
      limit.value = 2
    }
    transaction {
      age.value = 2
      limit.value = 3
    }
    #expect(sums == [3, 5])
  }
}
