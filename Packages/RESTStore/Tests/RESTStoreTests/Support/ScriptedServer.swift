import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol

/// A server on a real socket that answers with bytes from a script, so that answers can be as wrong as needed.
final class ScriptedServer: Sendable {
  /// The answer on a connection.
  enum Answer: Sendable {
    /// These bytes, then the end of the connection.
    case text(String)
    /// This part of a body over and over, after its head, until the client hangs up.
    case endless(head: String, part: String)
    /// These bytes, and nothing more until the client hangs up.
    case stalled(String)
    /// Nothing at all.
    case silence
  }

  let port: UInt16
  private let wakeUp: Int32
  private let hasStopped = DispatchSemaphore(value: 0)
  private let state: Lock<State>

  private struct State {
    var heads: [String] = []
    var connections: Set<Int32> = []
    var isStopped = false
  }

  /// Starts to listen.
  ///
  /// - Parameter answer: receives the head of each request, such as `GET /people HTTP/1.1`, and returns the answer.
  init(_ answer: @escaping @Sendable (String) -> Answer) throws {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    let socket = Foundation.socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket, pointer, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, pointer, &length) == 0
      }
    }
    guard isListening else { throw Missing(description: "no socket could be opened: \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
    state = Lock(State())
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Missing(description: "no pipe could be opened: \(errno)") }
    wakeUp = ends[1]
    let hasStopped = hasStopped
    let thread = Thread { [state, wakeUp, sleeper = ends[0]] in
      Self.accept(from: socket, until: sleeper, state, answer)
      // Closed here and nowhere else: a free descriptor is given to the next socket at once.
      for descriptor in [socket, sleeper, wakeUp] { close(descriptor) }
      hasStopped.signal()
    }
    thread.start()
  }

  deinit { stop() }

  /// The heads of the requests so far.
  var heads: [String] { state.withLock { $0.heads } }

  func url(host: String = "127.0.0.1", _ path: String = "") throws -> URL {
    guard let url = URL(string: "http://\(host):\(port)\(path)") else { throw Missing(description: "no address") }
    return url
  }

  /// Ends all connections and stops listening.
  func stop() {
    let isFirst = state.withLock { state in
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
      defer { state.isStopped = true }
      return !state.isStopped
    }
    guard isFirst else { return }
    _ = Foundation.write(wakeUp, "x", 1)
    hasStopped.wait()
  }

  private static func accept(
    from socket: Int32, until wakeUp: Int32, _ state: Lock<State>, _ answer: @escaping @Sendable (String) -> Answer
  ) {
    while true {
      var waited = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waited, 2, -1) > 0 else { continue }
      if waited[1].revents != 0 { return }
      let connection = Foundation.accept(socket, nil, nil)
      if connection < 0 { continue }
      #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
      #endif
      let isWelcome = state.withLock { state in
        if !state.isStopped { state.connections.insert(connection) }
        return !state.isStopped
      }
      if isWelcome { Thread { serve(connection, state, answer) }.start() } else { close(connection) }
    }
  }

  private static func serve(
    _ connection: Int32, _ state: Lock<State>, _ answer: @Sendable (String) -> Answer
  ) {
    var request = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while request.range(of: Data("\r\n\r\n".utf8)) == nil {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { break }
      request.append(contentsOf: buffer[..<count])
    }
    let head = String(decoding: request, as: UTF8.self)
    state.withLock { $0.heads.append(head) }
    switch answer(head) {
    case .text(let text): _ = write(text, to: connection)
    case .endless(let head, let part):
      if write(head, to: connection) { while write(part, to: connection) {} }
    case .stalled(let text): if write(text, to: connection) { _ = recv(connection, &buffer, buffer.count, 0) }
    case .silence: _ = recv(connection, &buffer, buffer.count, 0)
    }
    state.withLock { state in
      state.connections.remove(connection)
      close(connection)
    }
  }

  private static func write(_ text: String, to connection: Int32) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
      if count <= 0 { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}

extension ScriptedServer.Answer {
  /// Returns a whole answer with the length of its body.
  static func http(_ status: String, headers: [String] = [], _ body: String = "") -> Self {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
    return .text(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }
}
