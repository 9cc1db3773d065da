import Foundation
import ModelKit
import RESTService
import Synchronization
import Testing

@testable import SyncStore

private final class SyncedLetter: Model {
  let id = Field<String>()
  let text = Field<String>()
  let sender = Field<String>(sensitive: true)
  override var identifierField: AnyField? { id }
}

/// The network before a service. It loses the response to the first write, and calls a function after it.
private final class LosingNetwork: HTTPTransport {
  private let service: RESTService
  private let afterLoss: @Sendable () async throws -> Void
  private let hasLost = Mutex(false)

  init(_ service: RESTService, afterLoss: @escaping @Sendable () async throws -> Void) {
    (self.service, self.afterLoss) = (service, afterLoss)
  }

  func send(_ request: HTTPRequestData) async throws -> HTTPResponseData {
    let response = await service.respond(to: request, user: "ada")
    let isLost = hasLost.withLock { hasLost in
      if hasLost || request.method == .get { return false }
      hasLost = true
      return true
    }
    guard isLost else { return response }
    try await afterLoss()
    throw ModelStoreError(.timeout, "The response was lost.")
  }
}

@Suite struct `A creation whose response was lost` {
  @Test func `A client that repeats it after the record was deleted neither parks it nor creates the record again`()
    async throws
  {
    let store = MemoryModelStore()
    let handle = store.handle
    let service = RESTService(handle, serving: [SyncedLetter.self]) { access in
      access.allow(.all, SyncedLetter.self) { request, letter in
        request.user != nil && letter.sender.value == request.user
      }
    }
    let network = LosingNetwork(service) { try await MemoryModelStore(handle).deleteAll(SyncedLetter.self) }
    var options = RESTOptions()
    options.idempotencyKeyHeader = "Idempotency-Key"
    let remote = RESTModelStore(
      baseURL: try #require(URL(string: "http://service.test")), transport: network, options: options,
      scope: ModelScope(transformers: ValueTransformerContext(explicitNull: true)))
    let clock = VirtualClock()
    var syncOptions = SyncOptions()
    syncOptions.environment = SyncEnvironment(
      now: { clock.milliseconds }, uptime: { clock.milliseconds }, sleep: { clock.advance($0) })
    let client = SyncModelStore(
      local: MemoryModelStore(), remote: remote, types: [SyncedLetter.self], options: syncOptions)
    let letter = SyncedLetter()
    (letter.id.value, letter.text.value, letter.sender.value) = ("a", "Dear Emma", "ada")
    try await client.create(letter)
    for _ in 0..<4 {
      _ = try? await client.sync()
      // The next synchronisation compares all records.
      clock.advance(100_000_000)
    }
    #expect(try await client.failures().isEmpty)
    #expect(try await client.outbox().isEmpty)
    #expect(try await client.count(SyncedLetter.self) == 0)
    #expect(try await store.count(SyncedLetter.self) == 0)
  }
}
