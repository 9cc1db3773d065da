@_spi(ModelKitInternals) import StoreProtocol

/// The files of all groups of a store that are open for reading. Above a limit, the least recently read file is closed.
/// A read in progress keeps its file open until it ends.
final class OpenFiles: Sendable {
  /// A segment of a journal.
  struct Key: Hashable {
    /// The identity of the live contents to which the segment belongs.
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

  /// - Parameter limit: the largest number of open files; at least 1.
  init(limit: Int = 32) { self.limit = max(limit, 1) }

  /// Returns an open file; nil if it is not open.
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
  /// - Complexity: O(1), or O(*n*) in the limit if another file has to be closed.
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
    // Files are closed outside the lock, when their last reader ends.
    _ = dropped
  }

  /// Closes the files of some contents, when their last readers end.
  func close(of contents: ObjectIdentifier) {
    let dropped = state.withLock { state -> [Key: Entry] in
      let dropped = state.entries.filter { $0.key.contents == contents }
      for key in dropped.keys { state.entries[key] = nil }
      return dropped
    }
    _ = dropped
  }
}
