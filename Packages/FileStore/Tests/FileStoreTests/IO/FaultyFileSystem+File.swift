import FileStore
import Foundation

extension FaultyFileSystem {
  /// An open file. Its node is touched only within the file system's lock.
  final class File: StoreFile {
    let path: String
    nonisolated(unsafe) private let node: Node
    nonisolated(unsafe) private var holdsLock = false
    private let system: FaultyFileSystem

    init(_ path: String, _ node: Node, _ system: FaultyFileSystem) {
      (self.path, self.node, self.system) = (path, node, system)
    }

    deinit { if holdsLock { system.lock.withLock { node.isLocked = false } } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.read, path, &state)
        let bytes = node.content.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
      }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try system.locked { state throws(FileSystemError) in
        do throws(FileSystemError) {
          try system.enter(.write, path, &state)
        } catch {
          // Half of it may be there all the same.
          if state.calls < state.stopsAt {
            node.change(.write(offset: Int(offset), bytes: Array(bytes.prefix(bytes.count / 2))))
          } else if state.calls == state.stopsAt {
            node.change(.write(offset: Int(offset), bytes: Array(bytes)))
          }
          throw error
        }
        if !state.hasRoom(for: Int(offset) + bytes.count, of: node) {
          throw FileSystemError(.write, path, code: ENOSPC)
        }
        let taken = bytes.prefix(state.largestWrite)
        node.change(.write(offset: Int(offset), bytes: Array(taken)))
        return taken.count
      }
    }

    func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError) {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.preallocate, path, &state)
        if state.isFull || !state.hasRoom(for: Int(offset + length), of: node) {
          throw FileSystemError(.preallocate, path, code: ENOSPC)
        }
        node.change(.truncate(max(node.content.count, Int(offset + length))))
      }
    }

    func truncate(to size: UInt64) throws(FileSystemError) {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.truncate, path, &state)
        node.change(.truncate(Int(size)))
      }
    }

    func synchronize() throws(FileSystemError) {
      if path.hasSuffix(".journal") { system.onSync?() }
      try system.locked { state throws(FileSystemError) in
        state.fileSyncs += 1
        do throws(FileSystemError) {
          try system.enter(.synchronize, path, &state)
        } catch {
          // The system discards the bytes that it could not write, and reports the file clean from then on.
          if state.calls < state.stopsAt { node.pending = [] }
          throw error
        }
        for piece in node.pending { piece.apply(to: &node.onDisk) }
        node.pending = []
      }
    }

    func size() throws(FileSystemError) -> UInt64 {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.size, path, &state)
        return UInt64(node.content.count)
      }
    }

    func tryLock() throws(FileSystemError) -> Bool {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.lock, path, &state)
        if node.isLocked { return false }
        node.isLocked = true
        holdsLock = true
        return true
      }
    }
  }
}
