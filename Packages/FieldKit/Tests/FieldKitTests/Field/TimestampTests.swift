@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `The dates of a field` {
  @Test func `The dates of a field are in the order of its sets and changes`() {
    let (a, b) = (Field<Int>(), Field<Int>())
    let before = ChangeStamp.next()
    a.value = 1
    let between = ChangeStamp.next()
    b.value = 1
    #expect(before < a.lastChange)
    #expect(a.lastChange < between)
    #expect(between < b.lastChange)
    let changed = a.changedAt
    waitForNextDate()
    a.value = 1
    #expect(a.lastChange < b.lastChange)
    #expect(a.changedAt == changed)
    if let aUpdated = a.updatedAt, let bUpdated = b.updatedAt, let bChanged = b.changedAt, let changed {
      #expect(aUpdated > bUpdated)
      #expect(changed <= bChanged)
    } else {
      Issue.record("a set leaves no date")
    }
  }

  @Test func `The dates of a field are never before the moment of the set`() {
    let field = Field<Int>()
    for number in 0..<20_000 {
      let now = Date()
      field.value = number
      guard let updated = field.updatedAt, let changed = field.changedAt, updated >= now, changed >= now else {
        Issue.record("\(String(describing: field.updatedAt?.timeIntervalSinceReferenceDate)) is before the set")
        return
      }
    }
  }

  @Test func `The dates of a field move on with a set of nil`() {
    let field = Field(1)
    let (updated, changed) = (field.updatedAt, field.changedAt)
    waitForNextDate()
    field.value = nil
    #expect(field.updatedAt != updated)
    #expect(field.changedAt != changed)
  }

  @Test func `The dates of a field are rounded stamps, which always increase`() {
    let fields = (0..<1_000).map { _ in Field<Int>() }
    for field in fields { field.value = 1 }
    for (earlier, later) in zip(fields, fields.dropFirst()) {
      #expect(earlier.lastChange < later.lastChange)
      #expect(earlier.lastChange.date.map { earlier in later.lastChange.date.map { earlier <= $0 } } == true)
    }
    #expect(ChangeStamp.never.date == nil)
    #expect(ChangeStamp(nanoseconds: 1_500_000_000).date == Date(timeIntervalSince1970: 1.5))
  }
}

/// Waits until the clock returns another date.
private func waitForNextDate() {
  let start = Date()
  while Date().timeIntervalSince(start) < 0.000_001 {}
}
