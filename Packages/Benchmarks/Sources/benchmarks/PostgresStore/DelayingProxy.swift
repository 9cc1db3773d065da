#if Postgres
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A proxy of a server on the loopback interface that answers later, as one in another place does.
  final class DelayingProxy: Sendable {
    /// The port of the proxy.
    let port: Int
    private let listener: Int32
    private let serverPort: Int
    private let delay: UInt32

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - serverPort: the port of the server.
    ///   - delay: the milliseconds of a round trip. Requests wait for this time, and answers for none.
    init(to serverPort: Int, delay: Int) throws {
      self.serverPort = serverPort
      self.delay = UInt32(delay) * 1_000
      port = try DatabaseServer.freePort()
      listener = Loopback.makeSocket()
      let isBound = Loopback.withAddress(port) { bind(listener, $0, $1) } == 0 && listen(listener, 256) == 0
      guard isBound else { throw DatabaseServer.NotStarted(description: "The proxy did not start.") }
      Thread.detachNewThread { [listener, serverPort, delay = self.delay] in
        Self.acceptAll(listener, serverPort, delay)
      }
    }

    private static func acceptAll(_ listener: Int32, _ serverPort: Int, _ delay: UInt32) {
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        let server = Loopback.makeSocket()
        guard Loopback.withAddress(serverPort, { connect(server, $0, $1) }) == 0 else {
          close(client)
          continue
        }
        Thread.detachNewThread { forward(client, server, delay) }
        Thread.detachNewThread { forward(server, client, 0) }
      }
    }

    private static func forward(_ source: Int32, _ target: Int32, _ delay: UInt32) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(source, &buffer, buffer.count, 0)
        if count <= 0 { break }
        if delay > 0 { usleep(delay) }
        var sent = 0
        while sent < count {
          let part = buffer[sent..<count].withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
          if part <= 0 { break }
          sent += part
        }
      }
      shutdown(target, Int32(SHUT_WR))
    }

    /// Ends the proxy. Connections end with their clients.
    func stop() {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }
  }
#endif
