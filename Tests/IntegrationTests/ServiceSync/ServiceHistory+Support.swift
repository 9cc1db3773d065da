import Foundation
import ModelKit
import RESTService
import StoreEngine
import StoreProtocol
import SyncStore
import Synchronization
import Testing

final class SyncedWriter: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let a = Field<Int>()
  let poems = ModelField<SyncedPoem>(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name, a] }
}

final class SyncedPoem: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let a = Field<Int>()
  let b = Field<Int>()
  let writer = ModelField<SyncedWriter>(foreignKey: true, inverse: \.poems)
  override var identifierField: AnyField? { id }
}

/// A model whose identifier the client makes.
final class SyncedTag: Model {
  let id = Field<String>()
  let name = Field<String>()
  let a = Field<Int>()
  override var identifierField: AnyField? { id }
}

/// A store beside the service, whose writes clients receive.
final class ServedStore: RecordStore<ChangeLogEngine<MemoryEngine>>, TransactionalModelStore {}

/// Random numbers that come again with the same seed.
final class SeededRandom: Sendable {
  private let state: Mutex<UInt64>

  init(seed: UInt64) { state = Mutex(seed &* 0x2545_F491_4F6C_DD1D) }

  func next() -> UInt64 {
    state.withLock { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}

/// The network before a service: it loses requests and answers, and counts the lists of whole collections.
final class LossyNetwork: HTTPTransport {
  private struct State: Sendable {
    var isLossy = true
    var lists = 0
    var requests: [String] = []
  }

  private let service: RESTService
  private let random: SeededRandom
  private let state = Mutex(State())

  init(_ service: RESTService, _ random: SeededRandom) { (self.service, self.random) = (service, random) }

  var isLossy: Bool {
    get { state.withLock { $0.isLossy } }
    set { state.withLock { $0.isLossy = newValue } }
  }

  /// The requests for whole collections so far.
  var lists: Int { state.withLock { $0.lists } }
  /// The requests so far.
  var requests: [String] { state.withLock { $0.requests } }

  func send(_ request: HTTPRequestData) async throws -> HTTPResponseData {
    let query = request.url.query() ?? ""
    let isList = request.method == .get && request.url.path.split(separator: "/").count == 1
    let isLossy = state.withLock { state in
      if isList, !query.contains("updated_since") { state.lists += 1 }
      state.requests.append("\(request.method) \(request.url.path)?\(query)")
      return state.isLossy
    }
    guard isLossy else { return await service.respond(to: request) }
    switch random.below(30) {
    case 0: throw ModelStoreError(.offline, "There is no network.")
    case 1: throw ModelStoreError(.timeout, "The request was lost.")
    case 2:
      _ = await service.respond(to: request)
      throw ModelStoreError(.timeout, "The answer was lost.")
    case 3: return HTTPResponseData(status: 503)
    default: return await service.respond(to: request)
    }
  }
}

/// A clock in milliseconds that a history advances.
final class VirtualClock: Sendable {
  private let time = Mutex(1_000_000)

  var milliseconds: Int { time.withLock { $0 } }
  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

  func advance(_ milliseconds: Int) { time.withLock { $0 += milliseconds } }
}
