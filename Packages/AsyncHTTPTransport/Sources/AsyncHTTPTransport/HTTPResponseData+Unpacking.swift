import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression
import RESTStore
import StoreProtocol

extension HTTPResponseData {
  /// The packing of the body, `gzip` or `deflate`; nil for a body without one, or with one that is not supported.
  var packing: String? {
    switch headers["Content-Encoding"]?.lowercased() {
    case "gzip", "x-gzip": "gzip"
    case "deflate": "deflate"
    default: nil
    }
  }

  /// Unpacks the body, and stops at the limit: a few kilobytes can unpack to gigabytes.
  ///
  /// - Parameter limit: the maximum number of bytes of the unpacked body.
  /// - Throws: `ModelStoreError` with the code `server` if the body is longer, or is not in the declared format.
  mutating func unpack(limit: Int) throws {
    guard let packing, !body.isEmpty else { return }
    // SwiftNIO unpacks only in a channel. This one is used up on one thread, as it must be.
    let channel = EmbeddedChannel(handler: NIOHTTPResponseDecompressor(limit: .size(limit)))
    defer { _ = try? channel.finish() }
    var unpacked = Data()
    do {
      let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Encoding": packing])
      try channel.writeInbound(HTTPClientResponsePart.head(head))
      var rest = ByteBuffer(bytes: body)
      while let part = rest.readSlice(length: min(16_384, rest.readableBytes)), part.readableBytes > 0 {
        try channel.writeInbound(HTTPClientResponsePart.body(part))
        try Self.read(from: channel, into: &unpacked)
      }
      try channel.writeInbound(HTTPClientResponsePart.end(nil))
      try Self.read(from: channel, into: &unpacked)
    } catch NIOHTTPDecompression.DecompressionError.limit {
      throw ModelStoreError(longerThan: limit)
    }
    body = unpacked
  }

  private static func read(from channel: EmbeddedChannel, into data: inout Data) throws {
    while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
      if case .body(let bytes) = part { data.append(contentsOf: bytes.readableBytesView) }
    }
  }
}
