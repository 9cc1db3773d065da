#if Postgres
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A proxy of a server on the loopback interface, which cuts each connection at a byte that a seed determines.
  ///
  /// Many cuts are around COMMIT: before it reaches the server, after it, or after the server has answered.
  final class FaultProxy: Sendable {
    private struct State {
      var random: TestRandom
      var cutCount = 0
      var isEnded = false
    }

    /// The moment of a cut around COMMIT.
    private enum CommitFault {
      case beforeRequest, afterRequest, insteadOfAnswer
    }

    /// The port of the proxy.
    let port: Int
    private let listener: Int32
    private let serverPort: Int
    private let state: NSLockProtected<State>

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - serverPort: the port of the server.
    ///   - seed: the seed of the cuts.
    init(to serverPort: Int, seed: UInt64) throws {
      self.serverPort = serverPort
      state = NSLockProtected(State(random: TestRandom(seed: seed)))
      port = try TestServer.freePort()
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var yes: Int32 = 1
      setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      let isBound = Self.withAddress(port) { bind(listener, $0, $1) } == 0 && listen(listener, 256) == 0
      guard isBound else { throw CommandFailure(command: "listen") }
      Thread.detachNewThread { [self] in accept() }
    }

    /// The number of connections that were cut.
    var cutCount: Int { state.withLock { $0.cutCount } }

    /// Goes on without cuts.
    func endFaults() { state.withLock { $0.isEnded = true } }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }

    private func accept() {
      while true {
        #if canImport(Darwin)
          let client = Darwin.accept(listener, nil, nil)
        #elseif canImport(Musl)
          let client = Musl.accept(listener, nil, nil)
        #else
          let client = Glibc.accept(listener, nil, nil)
        #endif
        if client < 0 { return }
        Thread.detachNewThread { [self] in forward(client) }
      }
    }

    /// Copies bytes in both directions until the connection ends or is cut.
    private func forward(_ client: Int32) {
      defer { close(client) }
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(server) }
      guard Self.withAddress(serverPort, { connect(server, $0, $1) }) == 0 else { return }
      // Few are cut before the login ends, because the client waits then.
      var budget = state.withLock { state in
        if state.isEnded { return Int.max }
        return state.random.below(20) == 0 ? state.random.below(600) : 2_000 + state.random.below(40_000)
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var isWithoutAnswer = false
      while true {
        var events = [
          pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&events, 2, -1) > 0 else { return }
        for (index, event) in events.enumerated() where event.revents != 0 {
          let count = recv(event.fd, &buffer, buffer.count, 0)
          if count <= 0 { return }
          let isRequest = index == 0
          if isWithoutAnswer, !isRequest { return cut() }
          let fault = isRequest ? commitFault(buffer[..<count]) : nil
          if fault == .beforeRequest { return cut() }
          let forwarded = min(count, budget)
          guard send(buffer[..<forwarded], to: isRequest ? server : client) else { return }
          if forwarded < count || fault == .afterRequest { return cut() }
          if fault == .insteadOfAnswer { isWithoutAnswer = true }
          budget -= count
        }
      }
    }

    private func cut() { state.withLock { $0.cutCount += 1 } }

    /// Returns the fault of a request with COMMIT; nil without one.
    private func commitFault(_ bytes: ArraySlice<UInt8>) -> CommitFault? {
      guard bytes.count < 1_000, String(decoding: bytes, as: UTF8.self).contains("COMMIT") else { return nil }
      return state.withLock { state in
        if state.isEnded { return nil }
        switch state.random.below(30) {
        case 0: return .beforeRequest
        case 1: return .afterRequest
        case 2: return .insteadOfAnswer
        default: return nil
        }
      }
    }

    private func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
      var rest = bytes
      while !rest.isEmpty {
        #if canImport(Darwin)
          let count = rest.withUnsafeBytes { Darwin.send(socket, $0.baseAddress, $0.count, 0) }
        #elseif canImport(Musl)
          let count = rest.withUnsafeBytes { Musl.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        #else
          let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        #endif
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    deinit {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }
  }

  /// Random numbers that a seed determines (SplitMix64).
  struct TestRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below a bound.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  }
#endif
