import FileStore
import Foundation

/// A file system in memory that knows what has reached the disk, and fails on demand.
///
/// Every call counts. The Nth can fail with an error, or the machine can stop at it; `disk(after:)` returns the content
/// after that.
final class FaultyFileSystem: FileSystem {
  struct State {
    var names: [String: Node] = ["/": Node(isDirectory: true)]
    var namesOnDisk: [String: Node] = [:]
    var calls = 0
    var failing: [Int: Int32] = [:]
    var stopsAt = Int.max
    var largestWrite = Int.max
    var isFull = false
    var capacity = Int.max

    /// Whether a file can become as long as this.
    func hasRoom(for size: Int, of node: Node) -> Bool {
      if size <= node.content.count { return true }
      if isFull { return false }
      if capacity == .max { return true }
      return names.values.reduce(size - node.content.count) { $0 + $1.content.count } <= capacity
    }

    var log: [String] = []
    var fileSyncs = 0
  }

  let lock = NSLock()
  nonisolated(unsafe) var state = State()  // only within `lock`
  let onSync: (@Sendable () -> Void)?

  /// - Parameter onSync: Called by the thread that syncs a journal, before anything is done.
  init(onSync: (@Sendable () -> Void)? = nil) {
    self.onSync = onSync
    state.namesOnDisk = state.names
  }

  func locked<Result>(_ body: (inout State) throws(FileSystemError) -> Result) throws(FileSystemError) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }

  /// The number of calls so far, `fsync` and `fdatasync` of files, and what was called.
  var calls: Int { lock.withLock { state.calls } }
  var fileSyncs: Int { lock.withLock { state.fileSyncs } }
  var log: [String] { lock.withLock { state.log } }

  /// Makes the call number `number` (the first is 1) fail.
  func fail(_ number: Int, with code: Int32) { lock.withLock { state.failing[number] = code } }

  /// Makes all calls from this one on fail, as if the machine had stopped.
  func stop(at number: Int) { lock.withLock { state.stopsAt = number } }

  /// Makes every write take no more than this many bytes.
  func limitWrites(to count: Int) { lock.withLock { state.largestWrite = count } }

  /// Leaves no space for files that grow, or provides space again.
  func setFull(_ isFull: Bool) { lock.withLock { state.isFull = isFull } }

  /// Lets all files together have so many bytes.
  func setCapacity(_ capacity: Int) { lock.withLock { state.capacity = capacity } }

  func bytes(_ path: String) -> [UInt8]? { lock.withLock { state.names[path]?.content } }

  var paths: [String] { lock.withLock { state.names.keys.sorted() } }

  /// Changes a file behind everyone's back, on the disk too.
  func overwrite(_ path: String, with bytes: [UInt8]) {
    lock.withLock {
      let node = state.names[path] ?? Node(isDirectory: false)
      (node.content, node.onDisk, node.pending) = (bytes, bytes, [])
      state.names[path] = node
      state.namesOnDisk[path] = node
    }
  }

  func removeBehindTheBack(_ path: String) {
    lock.withLock {
      state.names[path] = nil
      state.namesOnDisk[path] = nil
    }
  }

  /// Counts a call, and fails it if that was configured.
  func enter(
    _ operation: FileSystemError.Operation, _ path: String, _ state: inout State
  ) throws(FileSystemError) {
    state.calls += 1
    state.log.append("\(operation) \(path)")
    if state.calls >= state.stopsAt { throw FileSystemError(operation, path, code: EIO) }
    if let code = state.failing[state.calls] { throw FileSystemError(operation, path, code: code) }
  }

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile {
    let node = try locked { state throws(FileSystemError) in
      try enter(.open, path, &state)
      if let node = state.names[path] {
        if mode == .createNew { throw FileSystemError(.open, path, code: EEXIST) }
        if node.isDirectory { throw FileSystemError(.open, path, code: EISDIR) }
        return node
      }
      guard [.create, .createNew].contains(mode), state.names[Self.directory(of: path)] != nil else {
        throw FileSystemError(.open, path, code: ENOENT)
      }
      let node = Node(isDirectory: false)
      state.names[path] = node
      return node
    }
    return File(path, node, self)
  }

  func createDirectory(_ path: String) throws(FileSystemError) -> Bool {
    try locked { state throws(FileSystemError) in
      try enter(.createDirectory, path, &state)
      if let node = state.names[path] {
        if node.isDirectory { return false }
        throw FileSystemError(.createDirectory, path, code: ENOTDIR)
      }
      guard state.names[Self.directory(of: path)] != nil else {
        throw FileSystemError(.createDirectory, path, code: ENOENT)
      }
      state.names[path] = Node(isDirectory: true)
      return true
    }
  }

  func list(_ path: String) throws(FileSystemError) -> [String] {
    try locked { state throws(FileSystemError) in
      try enter(.list, path, &state)
      return state.names.keys.filter { $0 != "/" && Self.directory(of: $0) == path }
        .map { String($0.dropFirst(path.count + 1)) }
    }
  }

  func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try locked { state throws(FileSystemError) in
      try enter(.rename, path, &state)
      guard let node = state.names.removeValue(forKey: path) else {
        throw FileSystemError(.rename, path, code: ENOENT)
      }
      state.names[newPath] = node
    }
  }

  func remove(_ path: String) throws(FileSystemError) {
    try locked { state throws(FileSystemError) in
      try enter(.remove, path, &state)
      state.names[path] = nil
    }
  }

  func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    try locked { state throws(FileSystemError) in
      do throws(FileSystemError) {
        try enter(.synchronize, path, &state)
      } catch {
        // As on the real one, a folder is opened in order to be synced.
        throw error.code == EMFILE ? FileSystemError(.open, path, code: EMFILE) : error
      }
      for name in Set(state.names.keys).union(state.namesOnDisk.keys) where Self.directory(of: name) == path {
        state.namesOnDisk[name] = state.names[name]
      }
    }
  }

  static func directory(of path: String) -> String {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
