import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

@testable import SyncStore

@Suite struct `A schedule` {
  private func item(
    _ identifier: String, creates: Bool = false, references: [String] = [], groups: [String] = [], parked: Bool = false
  ) -> Schedule.Item {
    var entry = OutboxEntry("Book", identifier, base: creates ? nil : [:], since: Date(milliseconds: 0))
    entry.groups = groups
    entry.isParked = parked
    return Schedule.Item(entry: entry, references: Set(references.map { OutboxEntry.recordName("Book", $0) }))
  }

  @Test func `Entries of unrelated records are sent at the same time`() {
    #expect(Schedule([item("1"), item("2")]).ready == ["Book/1", "Book/2"])
  }

  @Test func `A record waits for the creation of a record that it references`() {
    #expect(Schedule([item("1", references: ["2"]), item("2", creates: true)]).ready == ["Book/2"])
  }

  @Test func `A record does not wait for one whose identifier differs only in the encoding of an accent`() {
    let (one, other) = ("caf\u{e9}", "cafe\u{301}")
    #expect(Schedule([item("1", references: [one]), item(other, creates: true)]).ready.first == "Book/1")
    let schedule = Schedule([item("1", references: [other]), item(one, creates: true), item(other, creates: true)])
    #expect(schedule.ready.map { Array($0.utf8) } == ["Book/\(other)", "Book/\(one)"].map { Array($0.utf8) })
  }

  @Test func `A parked entry delays only its dependants`() {
    let schedule = Schedule([
      item("1", creates: true, parked: true), item("2", creates: true, references: ["1"]), item("3"),
    ])
    #expect(schedule.ready == ["Book/3"])
  }

  @Test func `Entries of a transaction are sent in order`() {
    #expect(Schedule([item("1", groups: ["g"]), item("2", groups: ["g"]), item("3")]).ready == ["Book/1", "Book/3"])
  }

  @Test func `A deletion waits for the entries of records that reference the deleted one on the server`() {
    var skill = item("1", groups: ["g"]), person = item("2", groups: ["g"])
    skill.isDeletion = true
    person.formerReferences = [OutboxEntry.recordName("Book", "1")]
    #expect(Schedule([skill, person]).ready == ["Book/2"])
    person.isDeletion = true
    #expect(Schedule([skill, person]).steps.map(\.name.text) == ["Book/2", "Book/1"])
    skill.formerReferences = [OutboxEntry.recordName("Book", "2")]
    #expect(Schedule([skill, person]).steps.map(\.name.text) == ["Book/2", "Book/1"])
  }

  @Test func `A reference to a later creation of the same transaction is sent after it`() {
    let schedule = Schedule([item("1", references: ["2"], groups: ["g"]), item("2", creates: true, groups: ["g"])])
    #expect(schedule.ready == ["Book/2"])
  }

  @Test func `The order of a transaction does not change that of references, however many entries are in between`() {
    var element = item("1"), style = item("2", groups: ["g"]), comment = item("3", groups: ["g"])
    element.formerReferences = [OutboxEntry.recordName("Book", "2")]
    comment.formerReferences = [OutboxEntry.recordName("Book", "1")]
    (element.isDeletion, style.isDeletion, comment.isDeletion) = (true, true, true)
    #expect(Schedule([element, style, comment]).steps.map(\.name.text) == ["Book/3", "Book/1", "Book/2"])
    let schedule = Schedule([
      item("1", references: ["4"]), item("2", references: ["4"], groups: ["g"]), item("3", groups: ["g", "h"]),
      item("4", creates: true, groups: ["h"]),
    ])
    #expect(schedule.steps.map(\.name.text) == ["Book/4", "Book/1", "Book/2", "Book/3"])
    #expect(schedule.steps.last?.waitsFor.map(\.text) == ["Book/2"])
  }

  @Test func `New records that reference each other do not wait for ever`() {
    let schedule = Schedule([item("1", creates: true, references: ["2"]), item("2", creates: true, references: ["1"])])
    #expect(schedule.ready == ["Book/2"])
    #expect(schedule.steps.map(\.name.text) == ["Book/2", "Book/1"])
  }

  @Test func `A step follows all steps that it waits for`() {
    let schedule = Schedule([
      item("1", references: ["3"]), item("2", creates: true, groups: ["g"]),
      item("3", creates: true, references: ["4"], groups: ["g"]), item("4", creates: true),
    ])
    #expect(schedule.steps.map(\.name.text) == ["Book/4", "Book/2", "Book/3", "Book/1"])
    #expect(schedule.steps.map { $0.waitsFor.map(\.text) } == [[], [], ["Book/4", "Book/2"], ["Book/3"]])
  }

  @Test func `A step waits once for a record that it references and that precedes it in several transactions`() {
    let schedule = Schedule([
      item("1", creates: true, groups: ["g", "h"]), item("2", references: ["1"], groups: ["g", "h"]),
    ])
    #expect(schedule.steps.map { $0.waitsFor.map(\.text) } == [[], ["Book/1"]])
  }

  @Test func `A chain of references may be as long as the outbox`() {
    let count = 20_000
    let items = (0..<count).map { item("\($0)", creates: true, references: $0 + 1 < count ? ["\($0 + 1)"] : []) }
    #expect(Schedule(items).steps.first?.name.text == "Book/\(count - 1)")
  }

  @Test func `A transaction may be as long as the outbox`() {
    let items = (0..<20_000).map { item("\($0)", creates: true, groups: ["g"]) }
    #expect(Schedule(items).ready == ["Book/0"])
  }
}
