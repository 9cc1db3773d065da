import FieldKit
import Foundation
import MemoryStore
import StoreProtocol
import SyncStore
import Testing

@Suite struct `Records that move between pages while they are read` {
  private let service = SimulatedService(tier: 2, seed: 1)

  /// Writes a record of the server, with the time of its change.
  private func put(_ identifier: String, at time: Int) throws {
    let changed = try Date(timeIntervalSince1970: Double(time)).json
    service.change { state in
      state.version += 1
      let record: AttributeDictionary = [
        "id": .string(identifier), "title": .string(identifier), "version": .int(state.version), "changed": changed,
      ]
      let row = SimulatedService.Row(identifier: identifier, record: record, version: state.version, time: time)
      state.database.rows["stickers", default: []].removeAll { $0.identifier == identifier }
      state.database.rows["stickers", default: []].append(row)
    }
  }

  /// The identifiers that a client has after it read changes with one of these times each, of which the first changed
  /// again before some page.
  private func identifiers(times: [Int], moving page: Int) async throws -> [String] {
    service.change { $0.hasFaults = false }
    let remote = SimulatedRemote(service.store(for: 0))
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Sticker.self])
    store.policy(Sticker.self, .changes(by: \.changed, overlap: .seconds(30)))
    try put("first", at: 0)
    try await store.sync()
    for (index, time) in times.enumerated() { try put("\(index)", at: time) }
    var requests = 0
    remote.beforeRequest = {
      requests += 1
      if requests == page { try put("0", at: 500) }
    }
    try await store.sync()
    #expect(requests > page)
    try await store.sync()
    return try await store.list(Sticker.self).compactMap(\.id.value).sorted()
  }

  @Test(arguments: 1...3)
  func `A record that changes meanwhile hides no other one`(page: Int) async throws {
    let found = try await identifiers(times: Array(100..<109), moving: page)
    #expect(found == (0..<9).map(String.init) + ["first"])
  }

  @Test(arguments: 1...6)
  func `A record that changes meanwhile hides no other one of the same time`(page: Int) async throws {
    let found = try await identifiers(times: Array(repeating: 100, count: 13), moving: page)
    #expect(found == (0..<13).map(String.init).sorted() + ["first"])
  }
}
