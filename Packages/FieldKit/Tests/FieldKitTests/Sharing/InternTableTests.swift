import Testing

@testable import FieldKit

@Suite struct `The table of shared objects` {
  private final class Thing: Sendable {
    let isShared: Bool
    init(isShared: Bool) { self.isShared = isShared }
  }

  private func key(_ text: String) -> InternKey { InternKey(.init(.declaration, type: Int.self), text, nil) }

  @Test func `The table of shared objects returns the same object for the same key`() {
    let table = InternTable(capacity: 64)
    let first = table.object(for: key("a")) { Thing(isShared: $0) }
    #expect(first.isShared)
    #expect(table.object(for: key("a")) { Thing(isShared: $0) } === first)
    #expect(table.object(for: key("b")) { Thing(isShared: $0) } !== first)
    #expect(table.find(key("c")) == nil)
    #expect(table.count == 2)
  }

  @Test func `The table of shared objects does not grow without bound, whatever is requested`() {
    let table = InternTable(capacity: 64)
    for _ in 0..<5 {
      for number in 0..<1_000 { _ = table.object(for: key("key \(number)")) { Thing(isShared: $0) } }
    }
    #expect(table.count == 64)
    let late = table.object(for: key("late")) { Thing(isShared: $0) }
    #expect(!late.isShared)
    #expect(table.object(for: key("late")) { Thing(isShared: $0) } !== late)
  }

  @Test func `The table of shared objects admits repeated requests after many single ones`() {
    let table = InternTable(capacity: 64)
    for number in 0..<10_000 { _ = table.object(for: key("generated \(number)")) { Thing(isShared: $0) } }
    #expect(table.count == 32)
    // Requested in turns, so that none may displace another.
    let names = (0..<20).map { "declared \($0)" }
    for _ in 0..<50 {
      for name in names { _ = table.object(for: key(name)) { Thing(isShared: $0) } }
    }
    #expect(names.allSatisfy { table.find(key($0)) != nil })
    #expect(table.count == 52)
  }

  @Test func `The table of shared objects creates one object for all threads, and releases it at the end`() async {
    weak var forgotten: Thing?
    do {
      let table = InternTable(capacity: 512)
      let found = await withTaskGroup(of: [ObjectIdentifier].self) { group in
        for _ in 0..<8 {
          group.addTask {
            (0..<2_000).map { number in
              ObjectIdentifier(
                table.object(for: InternKey(.init(.declaration, type: Int.self, first: UInt64(number % 200)))) {
                  Thing(isShared: $0)
                })
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(found.count == 8)
      #expect(Set(found.joined()).count == 200)
      #expect(table.count == 200)
      forgotten = table.object(for: key("a")) { Thing(isShared: $0) }
      #expect(forgotten != nil)
    }
    #expect(forgotten == nil)
  }
}
