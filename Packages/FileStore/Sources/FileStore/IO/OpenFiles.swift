@_spi(ModelKitInternals) import StoreProtocol

/// The files that are open for reading, of all groups of a store together. Above a limit, the least recently read file is
/// closed. A read under way keeps its file open until it is done.
final class OpenFiles: Sendable {
  /// A segment of a journal.
  struct Key: Hashable {
    /// The contents that it belongs to, as long as these are there.
    let contents: ObjectIdentifier
    let segment: SegmentNumber
  }

  private struct Entry {
    let file: any StoreFile
    var lastUse: UInt64
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var useCount: UInt64 = 0
  }

  private let limit: Int
  private let state = Lock(State())

  /// - Parameter limit: how many files are open at most; at least 1.
  init(limit: Int = 32) { self.limit = max(limit, 1) }

  /// A file that is open.
  func file(_ key: Key) -> (any StoreFile)? {
    state.withLock { state in
      guard let place = state.entries.index(forKey: key) else { return nil }
      state.useCount += 1
      state.entries.values[place].lastUse = state.useCount
      return state.entries.values[place].file
    }
  }

  /// Keeps a file open.
  ///
  /// - Complexity: O(1), or O(*n*) in the limit if another one has to go.
  func keep(_ file: any StoreFile, as key: Key) {
    let dropped = state.withLock { state -> [Entry] in
      var dropped: [Entry] = []
      if let other = state.entries.removeValue(forKey: key) { dropped.append(other) }
      if state.entries.count >= limit, let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        dropped.append(oldest.value)
        state.entries[oldest.key] = nil
      }
      state.useCount += 1
      state.entries[key] = Entry(file: file, lastUse: state.useCount)
      return dropped
    }
    // They close when their last reader is done, outside the lock.
    _ = dropped
  }

  /// Closes the files of some contents, once those who read them are done.
  func close(of contents: ObjectIdentifier) {
    let dropped = state.withLock { state -> [Key: Entry] in
      let dropped = state.entries.filter { $0.key.contents == contents }
      for key in dropped.keys { state.entries[key] = nil }
      return dropped
    }
    _ = dropped
  }
}
