#if os(Linux) || os(macOS)
  @_spi(ModelKitInternals) import FieldKit
  import Foundation
  import RESTService

  /// An HTTP server before a service, on a free port of the loopback interface. It listens until the process ends.
  ///
  /// It can kill the process of a client at one of its writes. The client names its process in a header.
  final class LoopbackServer: Sendable {
    /// The moment of a write at which the client is killed.
    enum Moment: CaseIterable, Sendable {
      /// On arrival, and the request is lost.
      case lost
      /// On arrival, and the request is carried out before the next write.
      case late
      /// Before the answer.
      case unanswered
      /// In the middle of the answer.
      case cut
    }

    private struct State: Sendable {
      var service: RESTService
      var plan: (writes: Int, moment: Moment)?
      var late: HTTPRequestData?
    }

    struct NoSocket: Error {
      var code = errno
    }

    /// The header with the number of the client's process.
    static let processHeader = "Client-Process"

    let url: URL
    private let state: Lock<State>

    init(_ service: RESTService) throws {
      #if canImport(Darwin)
        let stream = SOCK_STREAM
      #else
        let stream = Int32(SOCK_STREAM.rawValue)
      #endif
      let socket = Foundation.socket(AF_INET, stream, 0)
      // A process that inherits it would keep the port open.
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(socket, pointer, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, pointer, &length) == 0
        }
      }
      guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
        throw NoSocket()
      }
      self.url = url
      state = Lock(State(service: service))
      Thread.detachNewThread { [self] in
        while true {
          let connection = accept(socket, nil, nil)
          if connection < 0 { continue }
          _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
          #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
          #endif
          Thread.detachNewThread { self.serve(connection) }
        }
      }
    }

    /// Serves another service, without the request that is late.
    func replaceService(by service: RESTService) { state.withLock { $0 = State(service: service) } }

    /// Kills the client at a write.
    ///
    /// - Parameter plan: the number of writes before it, and the moment; nil to kill none.
    func killClient(_ plan: (writes: Int, moment: Moment)?) { state.withLock { $0.plan = plan } }

    /// Carries out the request that is late.
    func deliverLateRequest() {
      if let late = state.withLock({ state in
        defer { state.late = nil }
        return state.late
      }) {
        _ = respond(to: late)
      }
    }

    // MARK: Connections

    private func serve(_ connection: Int32) {
      var received: [UInt8] = []
      while let request = read(from: connection, &received), carryOut(request, connection) {}
      close(connection)
    }

    /// Reads a request; nil at the end of the connection.
    private func read(from connection: Int32, _ received: inout [UInt8]) -> HTTPRequestData? {
      func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let count = recv(connection, &buffer, buffer.count, 0)
        if count > 0 { received += buffer[..<count] }
        return count > 0
      }
      var end = received.firstRange(of: Array("\r\n\r\n".utf8))
      while end == nil {
        guard receive() else { return nil }
        end = received.firstRange(of: Array("\r\n\r\n".utf8))
      }
      guard let end else { return nil }
      let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let words = lines[0].split(separator: " ").map(String.init)
      guard words.count == 3, let url = URL(string: url.absoluteString + words[1]) else { return nil }
      var request = HTTPRequestData(HTTPRequestData.Method(words[0]), url)
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2 { request.headers.add(parts[0], parts[1]) }
      }
      received.removeSubrange(..<end.upperBound)
      let length = request.headers["Content-Length"].flatMap { Int($0) } ?? 0
      while received.count < length { guard receive() else { return nil } }
      if length > 0 { request.body = Data(received.prefix(length)) }
      received.removeFirst(length)
      return request
    }

    /// Carries a request out, and answers it.
    ///
    /// - Returns: whether the connection stays open.
    private func carryOut(_ request: HTTPRequestData, _ connection: Int32) -> Bool {
      if request.method == .get { return send(respond(to: request).bytes[...], to: connection) }
      deliverLateRequest()
      let moment = state.withLock { state -> Moment? in
        guard let plan = state.plan else { return nil }
        state.plan = plan.writes > 0 ? (plan.writes - 1, plan.moment) : nil
        if plan.writes > 0 { return nil }
        if plan.moment == .late { state.late = request }
        return plan.moment
      }
      if moment == .lost || moment == .late { return killClient(of: request) }
      let bytes = respond(to: request).bytes
      if moment == .unanswered { return killClient(of: request) }
      let isSent = send(bytes.prefix(moment == .cut ? bytes.count / 2 : bytes.count), to: connection)
      return moment == nil ? isSent : killClient(of: request)
    }

    /// Ends the process that sent a request, and its connection.
    private func killClient(of request: HTTPRequestData) -> Bool {
      if let process = request.headers[Self.processHeader].flatMap({ Int32($0) }), process != getpid() {
        kill(process, SIGKILL)
      }
      return false
    }

    private func respond(to request: HTTPRequestData) -> HTTPResponseData {
      let service = state.withLock { $0.service }
      let answer = Lock(HTTPResponseData(status: 500))
      let isDone = DispatchSemaphore(value: 0)
      Task {
        let response = await service.respond(to: request)
        answer.withLock { $0 = response }
        isDone.signal()
      }
      isDone.wait()
      return answer.withLock { $0 }
    }

    private func send(_ bytes: ArraySlice<UInt8>, to connection: Int32) -> Bool {
      #if canImport(Darwin)
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      var rest = bytes
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, flags) }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  extension HTTPResponseData {
    /// The answer as it is sent.
    fileprivate var bytes: [UInt8] {
      var head = "HTTP/1.1 \(status) Status\r\n"
      for entry in headers.entries { head += "\(entry.name): \(entry.value)\r\n" }
      if status != 204 { head += "Content-Length: \(body.count)\r\n" }
      return Array("\(head)\r\n".utf8) + body
    }
  }
#endif
