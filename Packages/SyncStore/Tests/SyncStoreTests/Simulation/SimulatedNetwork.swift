import FieldKit

@testable import SyncStore

/// The way between the clients and the server, with its faults, the virtual clock and the random numbers of a seed.
struct SimulatedNetwork {
  var server: SimulatedServer
  var random: SimulatedRandom
  /// Milliseconds since the beginning.
  var time = 0
  var hasFaults = true
  /// Requests that arrive later, some of them a second time.
  private var late: [(name: String, flight: OutboxEntry.Flight)] = []
  /// The records that a late request created: without keys, no client can know that it is still on its way.
  private(set) var createdLate: Set<String> = []

  init(tier: Int, seed: UInt64) {
    server = SimulatedServer(tier: tier)
    random = SimulatedRandom(state: seed)
  }

  mutating func fraction() -> Double { Double(random.below(1_000)) / 1_000 }
  mutating func identifier() -> String { "g\(random.next())" }
  mutating func kills() -> Bool { hasFaults && random.below(40) == 0 }

  private mutating func stamp() -> Int { time - random.below(SimulatedServer.lateness) }

  mutating func push(_ name: String, _ flight: OutboxEntry.Flight) -> Lane.Answer {
    guard hasFaults else { return server.push(name, flight, stamp: stamp()) }
    switch random.below(30) {
    case 0, 1: return .none
    case 2, 3:
      _ = server.push(name, flight, stamp: stamp())
      return .none
    case 4:
      late.append((name, flight))
      return .none
    case 5:
      late.append((name, flight))
      return server.push(name, flight, stamp: stamp())
    case 6:
      let status = [401, 403, 409, 412, 422, 429, 500, 503][random.below(8)]
      let message = status == 503 ? "The queue is full: 400 requests." : ""
      return .refused(status: status, message: message, retryAfter: status == 429 ? 5_000 : nil)
    case 7:
      _ = server.push(name, flight, stamp: stamp())
      return .refused(status: 500)
    default: return server.push(name, flight, stamp: stamp())
    }
  }

  /// Reads from the server; nil if no complete answer arrived.
  mutating func read<Value>(_ body: (SimulatedServer) -> Value) -> Value? {
    if hasFaults, random.below(12) == 0 { return nil }
    return body(server)
  }

  /// Delivers one of the late requests, in no order.
  mutating func deliver() {
    guard !late.isEmpty else { return }
    let (name, flight) = late.remove(at: random.below(late.count))
    let answer = server.push(name, flight, stamp: stamp())
    if flight.isCreation, case .stored = answer { createdLate.insert(name) }
  }

  mutating func deliverAll() {
    while !late.isEmpty { deliver() }
  }
}

/// Random numbers of a seed.
struct SimulatedRandom {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
