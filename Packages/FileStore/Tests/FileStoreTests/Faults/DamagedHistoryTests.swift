import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore

/// One random change of the files of a closed store: each answer is true, or an error that names a file.
@Suite struct `A store with a changed file` {
  typealias Item = DamagedHistory.Item
  typealias Part = DamagedHistory.Part
  typealias Row = DamagedHistory.Row

  private func makeStore(_ history: DamagedHistory, _ fileSystem: TracingFileSystem) -> FileModelStore {
    FileModelStore(
      FileStoreHandle(
        directory: URL(filePath: "/store"), options: FileStoreOptions(),
        engine: FileEngine(directory: "/store", options: history.options, fileSystem: fileSystem),
        feeds: FileChangeFeeds()))
  }

  /// Returns what a read answers; nil if it throws `corrupt` with a file.
  private func answer<Result>(_ context: String, _ read: () async throws -> Result) async -> Result? {
    do {
      return try await read()
    } catch let error as ModelStoreError {
      #expect(error.code == .corrupt && error.message.contains("/store/"), "\(context): \(error)")
    } catch {
      Issue.record("\(context): \(error)")
    }
    return nil
  }

  private func rows<M: Model>(_ models: [M], _ number: (M) -> Int?) -> [Row] {
    models.map { Row(id: $0.identifier ?? "", number: number($0) ?? 0) }
  }

  /// Compares all answers with the truth. Returns the number of refused reads.
  private func compare(_ store: FileModelStore, _ history: DamagedHistory, _ context: String) async throws -> Int {
    var refused = 0
    func check<Result: Equatable>(_ name: String, _ expected: Result, _ read: () async throws -> Result) async {
      guard let found = await answer("\(context), \(name)", read) else { return refused += 1 }
      #expect(found == expected, "\(context), \(name)")
    }
    func compare<M: Model>(_ type: M.Type, _ number: KeyPath<M, Field<Int>>) async throws {
      let rows = history.truth[M.typeName] ?? []
      let middle = rows.map(\.number).sorted().dropFirst(rows.count / 2).first ?? 0
      let above = rows.filter { $0.number >= middle }
      await check("list", rows) { self.rows(try await store.list(type)) { $0[keyPath: number].value } }
      await check("count", rows.count) { try await store.count(type) }
      for isIndexed in [false, true] {
        if isIndexed { try await store.index(number) }
        let condition = { (columns: ModelColumns<M>) in columns[dynamicMember: number] >= middle }
        await check("condition", above) {
          self.rows(try await store.list(type, where: condition)) { $0[keyPath: number].value }
        }
        await check("count of condition", above.count) { try await store.count(type, where: condition) }
        await check("first", above.first?.id) { try await store.first(type, where: condition)?.identifier }
        await check("sum", rows.isEmpty ? nil : rows.reduce(0) { $0 + $1.number }) {
          try await store.sum(type) { $0[dynamicMember: number] }
        }
      }
      let other = FileModelStore(store.handle)
      for id in history.numbers.keys.filter({ $0.hasPrefix(M.typeName) }).map({ String($0.suffix(2)) }) {
        await check("lookup \(id)", rows.first { $0.id == id }?.number) {
          do {
            return try await other.lookup(type, identifier: id)[keyPath: number].value
          } catch let error as ModelStoreError where error.code == .notFound {
            return nil
          }
        }
      }
    }
    try await compare(Item.self, \.number)
    try await compare(Part.self, \.number)
    return refused
  }

  /// Compares the rows after a repair with the intact lines. Returns them.
  private func checkRepaired(
    _ store: FileModelStore, _ history: DamagedHistory, _ image: DiskImage, _ context: String
  ) async throws -> [String: [Row]] {
    let reader = FileModelStore(store.handle)
    let found = [
      "Item": rows(try await reader.list(Item.self)) { $0.number.value },
      "Part": rows(try await reader.list(Part.self)) { $0.number.value },
    ]
    for (type, rows) in found {
      for row in rows {
        #expect(history.numbers["\(type) \(row.id)"]?.contains(row.number) == true, "\(context): \(type) \(row)")
      }
      for row in history.truth[type] ?? [] where history.isIntact(row.number, in: image) {
        #expect(rows.contains(row), "\(context): intact \(type) \(row) was lost")
      }
    }
    return found
  }

  @Test
  func `Every answer is correct or names a damaged file, and a repair keeps the intact records and names the others`()
    async throws
  {
    var (count, refusedCount) = (0, 0)
    for seed in TestEffort.seeds(40) {
      var history = DamagedHistory(seed: seed)
      try await history.run()
      for _ in 0..<5 {
        guard let (image, change) = history.damaged() else { continue }
        let context = "seed \(seed), \(change)"
        count += 1
        let fileSystem = TracingFileSystem(image)
        let store = makeStore(history, fileSystem)
        guard await answer(context, { try await store.open() }) != nil else { continue }
        let refused = try await compare(store, history, context)
        if refused > 0 {
          refusedCount += 1
          #expect(try await !store.verify().isEmpty, "\(context)")
        }
        let repair = try await store.repair()
        let found = try await checkRepaired(store, history, image, context)
        if refused > 0 || found != history.truth { #expect(!repair.losses.isEmpty, "\(context)") }
        #expect(try await store.verify() == [], "\(context)")
        try await store.close()
        let again = makeStore(history, fileSystem)
        #expect(try await again.open() == [], "\(context)")
        #expect(try await checkRepaired(again, history, image, context) == found, "\(context)")
        try await again.close()
      }
    }
    print("Changed files: \(count) changes, after \(refusedCount) of which reads were refused.")
    #expect(refusedCount > count / 4)
  }
}
