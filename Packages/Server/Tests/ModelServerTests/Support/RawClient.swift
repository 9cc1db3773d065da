import Foundation
import NIOCore
import NIOPosix

/// A client that sends any bytes, and receives what the server sends until it closes the connection.
struct RawClient {
  private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

  static func exchange<Result: Sendable>(
    with url: URL, _ body: @Sendable (inout Exchange) async throws -> Result
  ) async throws -> Result {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: url.host() ?? "127.0.0.1", port: url.port ?? 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      var exchange = Exchange(inbound: inbound.makeAsyncIterator(), outbound: outbound)
      return try await body(&exchange)
    }
  }

  /// Sends a text, and returns everything that the server sends until it closes the connection.
  static func send(_ text: String, to url: URL) async throws -> String {
    try await exchange(with: url) { exchange in
      try await exchange.send(text)
      return try await exchange.rest()
    }
  }

  struct Exchange {
    var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private(set) var received = ""

    init(
      inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
      outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
      self.inbound = inbound
      self.outbound = outbound
    }

    func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

    /// Receives until the text occurs.
    mutating func receive(upTo text: String) async throws -> String {
      while !received.contains(text), let part = try await inbound.next(isolation: #isolation) {
        received += String(buffer: part)
      }
      return received
    }

    /// Sends a request, and receives its response over a connection that stays open.
    mutating func response(to request: String) async throws -> (status: Int, head: String, body: String) {
      try await send(request)
      received = ""
      while true {
        let parts = received.components(separatedBy: "\r\n\r\n")
        let lines = parts[0].lowercased().split(separator: "\r\n")
        let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) }
        if parts.count > 1, let length, parts[1].utf8.count >= length {
          return (parts[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, parts[0], parts[1])
        }
        guard let part = try await inbound.next(isolation: #isolation) else { throw ChannelError.eof }
        received += String(buffer: part)
      }
    }

    /// Receives until the server closes the connection.
    mutating func rest() async throws -> String {
      do {
        while let part = try await inbound.next(isolation: #isolation) { received += String(buffer: part) }
      } catch is IOError {
        // The server closed the connection while data was on its way.
      }
      return received
    }
  }
}
