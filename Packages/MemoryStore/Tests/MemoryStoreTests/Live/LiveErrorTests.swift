@_spi(ModelKitInternals) import MemoryStore
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol

private final class Entry: Model {
  @Field var id: Int?
  @Field var small: Int8?
  @Field var isOpen: Bool?
  override var identifierField: AnyField? { $id }
}

@Suite struct `A live value after an error` {
  @Test func `A live value follows differences again after an error`() async throws {
    let store = MemoryModelStore()
    let entries = [Entry(), Entry()]
    for entry in entries { (entry.small, entry.isOpen) = (10, true) }
    try await store.createAll(entries)
    let values = store.observeValue(Entry.self, where: { $0.isOpen == true }) { $0.sum(\.small) }
    var iterator = values.makeAsyncIterator()
    func next() async throws -> Int8? { try #require(await iterator.next()).get() }
    #expect(try await next() == 20)
    func set(_ value: Int8) async throws {
      entries[0].small = value
      try await store.update(entries[0])
    }
    try await set(20)
    #expect(try await next() == 30)
    try await set(120)
    let error = await #expect(throws: ModelStoreError.self) { _ = try await next() }
    #expect(error?.code == .invalid)
    for value: Int8 in [30, 40, 50] {
      try await set(value)
      #expect(try await next() == value + 10)
    }
    #expect(values.work.listings == 2)
  }
}
