import Foundation
import ModelKit
import RESTService
import Synchronization

/// An HTTP server before a service, on the loopback interface. Each connection has a thread.
///
/// It is an adapter of the smallest kind, so that the app depends on nothing else. A server for other machines needs
/// tokens and limits for slow clients: those are in `ModelServer`, of the package `Packages/Server`.
final class LoopbackServer: Sendable {
  /// The limit for the first line and the headers of a request.
  private static let maximumHeadBytes = 16_384

  /// The address of the server.
  let url: URL
  private let service: RESTService
  private let socket: Int32

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - service: the service that responds to requests.
  ///   - port: the port; 0 for a free one.
  /// - Throws: ``ShopError/noPort(_:reason:)``.
  init(_ service: RESTService, port: UInt16) throws {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    socket = Foundation.socket(AF_INET, stream, 0)
    var isReused: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { [socket] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket, pointer, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, pointer, &length) == 0
      }
    }
    guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
      let reason = String(cString: strerror(errno))
      Foundation.close(socket)
      throw ShopError.noPort(port, reason: reason)
    }
    self.url = url
    self.service = service
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(socket, nil, nil)
        if connection >= 0 {
          Thread.detachNewThread { self.serve(connection) }
        } else if errno != EINTR, errno != ECONNABORTED {
          return
        }
      }
    }
  }

  /// Stops the server. Connections end with their next request.
  func stop() {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }

  // MARK: Connections

  private func serve(_ connection: Int32) {
    #if canImport(Darwin)
      var isQuiet: Int32 = 1
      setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isQuiet, socklen_t(MemoryLayout<Int32>.size))
    #endif
    var received: [UInt8] = []
    while let request = read(from: connection, &received), send(respond(to: request), to: connection) {}
    close(connection)
  }

  /// Reads a request; nil at the end of the connection, or for a request that this server does not read.
  private func read(from connection: Int32, _ received: inout [UInt8]) -> HTTPRequestData? {
    func receive() -> Bool {
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      let count = recv(connection, &buffer, buffer.count, 0)
      if count > 0 { received += buffer[..<count] }
      return count > 0
    }
    var end = received.firstRange(of: Array("\r\n\r\n".utf8))
    while end == nil {
      guard received.count < Self.maximumHeadBytes, receive() else { return nil }
      end = received.firstRange(of: Array("\r\n\r\n".utf8))
    }
    guard let end else { return nil }
    let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ").map(String.init)
    guard words.count == 3, words[1].hasPrefix("/"), let url = URL(string: url.absoluteString + words[1]) else {
      return nil
    }
    var request = HTTPRequestData(HTTPRequestData.Method(words[0]), url)
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if parts.count == 2 { request.headers.add(parts[0], parts[1]) }
    }
    received.removeSubrange(..<end.upperBound)
    // A page in a browser must not get here under the name of another host.
    let host = request.headers["Host"].map { $0.prefix { $0 != ":" } }
    let length = Int(request.headers["Content-Length"] ?? "0") ?? -1
    guard host == "127.0.0.1" || host == "localhost", request.headers["Transfer-Encoding"] == nil,
      (0...service.options.maximumBodyBytes).contains(length)
    else { return nil }
    while received.count < length { guard receive() else { return nil } }
    if length > 0 { request.body = Data(received.prefix(length)) }
    received.removeFirst(length)
    return request
  }

  /// Returns the response of the service as it is sent. The thread of the connection waits for it.
  private func respond(to request: HTTPRequestData) -> [UInt8] {
    let response = Mutex(HTTPResponseData(status: 500))
    let isDone = DispatchSemaphore(value: 0)
    Task {
      let answer = await service.respond(to: request)
      response.withLock { $0 = answer }
      isDone.signal()
    }
    isDone.wait()
    let answer = response.withLock { $0 }
    var head = "HTTP/1.1 \(answer.status) \(answer.status < 400 ? "OK" : "Failed")\r\n"
    for entry in answer.headers.entries { head += "\(entry.name): \(entry.value)\r\n" }
    if answer.status != 204 { head += "Content-Length: \(answer.body.count)\r\n" }
    return Array("\(head)\r\n".utf8) + answer.body
  }

  private func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, flags) }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
