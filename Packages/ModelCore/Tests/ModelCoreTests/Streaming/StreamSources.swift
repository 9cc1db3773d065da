import Foundation

struct LineWentDead: Error {}

/// Bytes in pieces between given offsets.
struct Chunks: AsyncSequence, Sendable {
  typealias Element = [UInt8]

  private var pieces: [[UInt8]] = []
  /// The index of a piece in place of which an error is thrown.
  private let failsAt: Int?

  init(cuts: [Int], of bytes: [UInt8], failsAt: Int? = nil) {
    var start = 0
    for cut in cuts.sorted() + [bytes.count] {
      pieces.append(Array(bytes[start..<cut]))
      start = cut
    }
    self.failsAt = failsAt
  }

  func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...], failsAt: failsAt) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var pieces: ArraySlice<[UInt8]>
    fileprivate let failsAt: Int?

    mutating func next() async throws -> [UInt8]? {
      if pieces.startIndex == failsAt { throw LineWentDead() }
      return pieces.popFirst()
    }
  }
}

/// Single bytes.
struct Bytes: AsyncSequence, Sendable {
  typealias Element = UInt8

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes[...]) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var bytes: ArraySlice<UInt8>

    mutating func next() async -> UInt8? { bytes.popFirst() }
  }
}

/// A file that is deleted on deallocation.
final class TemporaryFile: Sendable {
  let url: URL

  init(_ text: String) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "stream-\(UUID()).json")
    try Data(text.utf8).write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
