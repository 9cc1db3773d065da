import Testing

@testable import FieldKit

@Suite struct `The table of shared things` {
  private final class Thing: Sendable {
    let isShared: Bool
    init(isShared: Bool) { self.isShared = isShared }
  }

  private func key(_ text: String) -> InternKey { InternKey(.init(.declaration, type: Int.self), text, nil) }

  @Test func `The table of shared things gives what it gave before`() {
    let table = InternTable(capacity: 64)
    let first = table.object(for: key("a")) { Thing(isShared: $0) }
    #expect(first.isShared)
    #expect(table.object(for: key("a")) { Thing(isShared: $0) } === first)
    #expect(table.object(for: key("b")) { Thing(isShared: $0) } !== first)
    #expect(table.find(key("c")) == nil)
    #expect(table.count == 2)
  }

  @Test func `The table of shared things does not grow without bound, whatever is asked of it`() {
    let table = InternTable(capacity: 64)
    for _ in 0..<5 {
      for number in 0..<1_000 { _ = table.object(for: key("key \(number)")) { Thing(isShared: $0) } }
    }
    #expect(table.count == 64)
    let late = table.object(for: key("late")) { Thing(isShared: $0) }
    #expect(!late.isShared)
    #expect(table.object(for: key("late")) { Thing(isShared: $0) } !== late)
  }

  @Test func `The table of shared things keeps room for what is wanted again when many things are wanted once`() {
    let table = InternTable(capacity: 64)
    for number in 0..<10_000 { _ = table.object(for: key("generated \(number)")) { Thing(isShared: $0) } }
    #expect(table.count == 32)
    // Wanted by turns, so that none may keep another out.
    let names = (0..<20).map { "declared \($0)" }
    for _ in 0..<50 {
      for name in names { _ = table.object(for: key(name)) { Thing(isShared: $0) } }
    }
    #expect(names.allSatisfy { table.find(key($0)) != nil })
    #expect(table.count == 52)
  }

  @Test func `The table of shared things makes one thing for all threads, and frees what it has when it goes`() async {
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
