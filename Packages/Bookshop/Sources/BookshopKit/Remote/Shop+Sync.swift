package import Foundation
import ModelKit

extension Shop {
  /// Receives the changes of a server, and sends the local changes since the last call, including deletions.
  ///
  /// Changes of different values of a book are merged. If both changed the same value, that of the server is kept.
  ///
  /// - Throws: ``ShopError/unreachable(reason:waiting:)`` if the server can't be reached: all changes are kept.
  package func sync(with url: URL) async throws -> SyncSummary { try await sync(with: Self.remote(at: url)) }

  /// Returns what the server does not have yet, the oldest change first.
  func outbox() async throws -> [OutboxEntry] { try await offlineStore?.outbox() ?? [] }

  func sync(with remote: any ModelStore) async throws -> SyncSummary {
    guard let offlineStore else { throw ShopError.noOutbox }
    let store = SyncModelStore(offlineStore.handle, remote: remote, types: [Author.self, Book.self])
    do {
      let report = try await store.sync()
      let lost = try await store.discardedValues()
      let summary = SyncSummary(
        pulled: report.pulled, pushed: report.pushed, waiting: report.waiting,
        failures: report.failures.map { "\($0.type) \($0.identifier ?? ""): \($0.error.message)" },
        replaced: lost.map {
          "\($0.type) \($0.identifier): \($0.key ?? "all") \($0.value) was replaced by the server's value"
        })
      // They are shown once.
      try await store.acknowledge(lost)
      return summary
    } catch let error as ModelStoreError where [.offline, .timeout, .unauthorized].contains(error.code) {
      throw ShopError.unreachable(reason: error.message, waiting: try await store.outbox().count)
    }
  }
}
