@_spi(ModelKitInternals) import MemoryStore
@_spi(ModelKitInternals) import StoreEngine
import Testing

@testable import StoreProtocolTesting

/// Columns of many records are built in parts at the same time.
@Suite struct `Scans of a memory store` {
  final class Entry: Model {
    @Field var id: Int?
    @Field var name: String?
    @Field var amount: Int?
    override var identifierField: AnyField? { $id }
  }

  private func entry(_ number: Int) -> Entry {
    let entry = Entry()
    entry.name = "n\(number % 7)"
    entry.amount = number % 11 == 0 ? nil : number
    return entry
  }

  private func records(_ scans: [any RecordScan]) async throws -> [[String]] {
    var parts: [[String]] = []
    for scan in scans {
      var part: [String] = []
      let isReadable = try await scan.forEach { bytes in
        part.append(String(decoding: bytes, as: UTF8.self))
        return true
      }
      #expect(isReadable)
      parts.append(part)
    }
    return parts
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `Parts have all records in the order of creation`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    let store = MemoryModelStore()
    let entries = try await store.createAll((0..<3_000).map(entry))
    let deleted = Int.random(in: 0..<2_000, using: &random)
    let rest = entries[..<deleted] + entries[(deleted + 600)...]
    for entry in entries[deleted..<deleted + 600] { try await store.delete(entry) }
    for entry in rest.shuffled(using: &random).prefix(100) { try await store.delete(entry) }
    let snapshot = store.handle.snapshot(pinned: true)
    let expected = try await records(snapshot.scans(of: Entry.typeName, inParts: 1)).flatMap(\.self)
    #expect(expected.count == snapshot.count(Entry.typeName))
    for count in 2...7 {
      let parts = try await records(snapshot.scans(of: Entry.typeName, inParts: count))
      #expect(parts.flatMap(\.self) == expected)
    }
    #expect(try await records(snapshot.scans(of: "Nothing", inParts: 2)).flatMap(\.self).isEmpty)
  }

  @Test func `A scan ends when its receiver wants no more`() async throws {
    let store = MemoryModelStore()
    try await store.createAll((0..<20_000).map(entry))
    for scan in store.handle.snapshot(pinned: false).scans(of: Entry.typeName, inParts: 2) {
      var count = 0
      let isReadable = try await scan.forEach { _ in
        count += 1
        return count < 9_000
      }
      #expect(isReadable)
      #expect(count == 9_000)
    }
  }

  @Test func `First sums of many records are those of one moment beside a writer`() async throws {
    let store = MemoryModelStore()
    try await store.createAll((0..<40_000).map(entry))
    let handle = store.handle
    let total = (0..<40_000).reduce(0) { $0 + ($1 % 11 == 0 ? 0 : $1) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let writer = MemoryModelStore(handle)
        for _ in 0..<20 {
          let entry = Entry()
          (entry.name, entry.amount) = ("writer", 1_000_000)
          try await writer.create(entry)
        }
      }
      for _ in 0..<6 {
        let reader = MemoryModelStore(handle)
        let sum = try await reader.sum(Entry.self, of: \.amount) ?? 0
        #expect((sum - total) % 1_000_000 == 0 && (0...20).contains((sum - total) / 1_000_000))
        let groups = try await reader.groups(Entry.self, by: { $0.name }) { ($0.count, $0.sum(\.amount)) }
        #expect(groups.map(\.key).prefix(7) == ["n0", "n1", "n2", "n3", "n4", "n5", "n6"])
        #expect(groups.prefix(7).reduce(0) { $0 + $1.values.0 } == 40_000)
        #expect(groups.prefix(7).reduce(0) { $0 + ($1.values.1 ?? 0) } == total)
      }
      try await group.waitForAll()
    }
  }

  @Test func `A cancelled sum of many records throws`() async throws {
    let store = MemoryModelStore()
    try await store.createAll((0..<40_000).map(entry))
    let handle = store.handle
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await MemoryModelStore(handle).sum(Entry.self, of: \.amount)
    }
    let error = await #expect(throws: ModelStoreError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }
}
