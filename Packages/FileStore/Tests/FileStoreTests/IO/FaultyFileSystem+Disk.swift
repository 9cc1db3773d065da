import Foundation

@testable import StoreProtocolTesting

extension FaultyFileSystem {
  /// The fate of the bytes and names that had not been brought to the disk when the machine stopped.
  enum Loss: Sendable {
    case dropped
    case kept

    /// All were kept but the last write, of which only this many bytes were.
    case torn(Int)

    /// Each block of 512 bytes of each write was kept or not, depending on the seed; and so was the size.
    case reordered(seed: UInt64)
  }

  enum Piece: Equatable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(Int)

    /// A write of no more than `count` bytes.
    func cut(to count: Int) -> Piece {
      guard case .write(let offset, let bytes) = self else { return self }
      return .write(offset: offset, bytes: Array(bytes.prefix(count)))
    }

    /// The parts of a write that a disk takes or loses as one.
    func blocks() -> [Piece] {
      guard case .write(let offset, let bytes) = self else { return [self] }
      var blocks: [Piece] = []
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, ((offset + start) / 512 + 1) * 512 - offset)
        blocks.append(.write(offset: offset + start, bytes: Array(bytes[start..<end])))
        start = end
      }
      return blocks
    }

    func apply(to content: inout [UInt8]) {
      switch self {
      case .write(let offset, let bytes):
        if content.count < offset + bytes.count {
          content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
        }
        content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      case .truncate(let size):
        if size < content.count {
          content.removeLast(content.count - size)
        } else {
          content += [UInt8](repeating: 0, count: size - content.count)
        }
      }
    }
  }

  final class Node {
    var content: [UInt8] = []
    var onDisk: [UInt8] = []
    var pending: [Piece] = []
    var isLocked = false
    let isDirectory: Bool

    init(isDirectory: Bool) { self.isDirectory = isDirectory }

    func change(_ piece: Piece) {
      piece.apply(to: &content)
      pending.append(piece)
    }
  }

  /// Returns the file system that a machine finds when it starts again.
  func disk(after loss: Loss = .kept) -> FaultyFileSystem {
    let copy = FaultyFileSystem()
    lock.lock()
    defer { lock.unlock() }
    var random = RandomSource(seed: 0)
    if case .reordered(let seed) = loss { random = RandomSource(seed: seed) }
    let keepsNames =
      switch loss {
      case .dropped: false
      case .kept, .torn: true
      case .reordered: random.next() % 2 == 0
      }
    for (path, node) in (keepsNames ? state.names : state.namesOnDisk).sorted(by: { $0.key < $1.key }) {
      let new = Node(isDirectory: node.isDirectory)
      new.content = node.onDisk
      for (index, piece) in node.pending.enumerated() {
        switch loss {
        case .dropped: break
        case .kept: piece.apply(to: &new.content)
        case .torn(let count):
          piece.cut(to: index == node.pending.count - 1 ? count : .max).apply(to: &new.content)
        case .reordered:
          for block in piece.blocks() where random.next() % 2 == 0 { block.apply(to: &new.content) }
        }
      }
      new.onDisk = new.content
      // Sorted, a directory comes before what is in it: what is in a lost one is lost.
      if path == "/" || copy.state.names[Self.directory(of: path)] != nil { copy.state.names[path] = new }
    }
    copy.state.namesOnDisk = copy.state.names
    return copy
  }
}
