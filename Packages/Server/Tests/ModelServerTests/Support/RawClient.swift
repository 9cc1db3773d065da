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
