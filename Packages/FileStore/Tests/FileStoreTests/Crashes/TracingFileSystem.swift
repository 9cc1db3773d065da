import FileStore
import Foundation

/// A file system in memory that records every call that changes something, and fails at chosen calls.
final class TracingFileSystem: FileSystem {
  struct State {
    var folders: Set<String>
    var names: [String: Int] = [:]
    var contents: [[UInt8]] = []
    var locked: Set<Int> = []
    var trace: [DiskOperation] = []
    var calls: [String] = []
    var fault: Fault?
  }

  /// A fault, and the calls at which it occurs; the first is 0.
  struct Fault {
    enum Kind: Equatable {
      /// The call fails; a write has written half of its bytes by then.
      case error(Int32)

      /// The call succeeds with fewer bytes than requested.
      case short

      /// All names below the root are gone from this call on.
      case vanishing
    }

    var kind: Kind
    var calls: Range<Int>
    var affectsReading = true
  }

  private let lock = NSLock()
  nonisolated(unsafe) private var state: State  // only within `lock`

  init(_ image: DiskImage = DiskImage()) {
    state = State(folders: image.folders)
    for (path, bytes) in image.files.sorted(by: { $0.key < $1.key }) {
      state.names[path] = state.contents.count
      state.contents.append(bytes)
    }
  }

  func locked<Result>(_ body: (inout State) throws(FileSystemError) -> Result) throws(FileSystemError) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }

  var trace: [DiskOperation] { lock.withLock { state.trace } }
  var callCount: Int { lock.withLock { state.calls.count } }
  var calls: [String] { lock.withLock { state.calls } }

  func setFault(_ fault: Fault?) { lock.withLock { state.fault = fault } }

  /// The content as readers see it, whether it is on the disk or not.
  var image: DiskImage {
    lock.withLock { DiskImage(folders: state.folders, files: state.names.mapValues { state.contents[$0] }) }
  }

  /// Counts a call and does what is to go wrong with it.
  ///
  /// - Returns: Whether the call is to transfer fewer bytes than requested.
  @discardableResult
  func enter(
    _ operation: FileSystemError.Operation, _ path: String, _ state: inout State, isReading: Bool = false
  ) throws(FileSystemError) -> Bool {
    let number = state.calls.count
    state.calls.append("\(operation) \(path)")
    guard let fault = state.fault, fault.calls.contains(number), fault.affectsReading || !isReading else {
      return false
    }
    switch fault.kind {
    case .error(let code): throw FileSystemError(operation, path, code: code)
    case .short: return true
    case .vanishing:
      state.folders = ["/"]
      state.names = [:]
      return false
    }
  }

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile {
    let node = try locked { state throws(FileSystemError) in
      try enter(.open, path, &state, isReading: mode == .read)
      if mode == .createNew, state.folders.contains(path) || state.names[path] != nil {
        throw FileSystemError(.open, path, code: EEXIST)
      }
      if state.folders.contains(path) { throw FileSystemError(.open, path, code: EISDIR) }
      if let node = state.names[path] { return node }
      guard [.create, .createNew].contains(mode), state.folders.contains(DiskImage.parent(of: path)) else {
        throw FileSystemError(.open, path, code: ENOENT)
      }
      let node = state.contents.count
      state.contents.append([])
      state.names[path] = node
      state.trace.append(.makeFile(path, node: node))
      return node
    }
    return File(path, node, self)
  }

  func createDirectory(_ path: String) throws(FileSystemError) -> Bool {
    try locked { state throws(FileSystemError) in
      try enter(.createDirectory, path, &state)
      if state.folders.contains(path) { return false }
      if state.names[path] != nil { throw FileSystemError(.createDirectory, path, code: ENOTDIR) }
      guard state.folders.contains(DiskImage.parent(of: path)) else {
        throw FileSystemError(.createDirectory, path, code: ENOENT)
      }
      state.folders.insert(path)
      state.trace.append(.makeFolder(path))
      return true
    }
  }

  func list(_ path: String) throws(FileSystemError) -> [String] {
    try locked { state throws(FileSystemError) in
      try enter(.list, path, &state, isReading: true)
      guard state.folders.contains(path) else { throw FileSystemError(.list, path, code: ENOENT) }
      let paths: [String] = Array(state.names.keys) + Array(state.folders)
      let prefix = path == "/" ? 1 : path.count + 1
      let inside = paths.filter { $0 != "/" && DiskImage.parent(of: $0) == path }
      return inside.map { String($0.dropFirst(prefix)) }.sorted()
    }
  }

  func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try locked { state throws(FileSystemError) in
      try enter(.rename, path, &state)
      guard let node = state.names.removeValue(forKey: path) else {
        throw FileSystemError(.rename, path, code: ENOENT)
      }
      state.names[newPath] = node
      state.trace.append(.rename(from: path, to: newPath, node: node))
    }
  }

  func remove(_ path: String) throws(FileSystemError) {
    try locked { state throws(FileSystemError) in
      try enter(.remove, path, &state)
      guard state.names.removeValue(forKey: path) != nil else {
        throw FileSystemError(.remove, path, code: ENOENT)
      }
      state.trace.append(.remove(path))
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
      guard state.folders.contains(path) else { throw FileSystemError(.open, path, code: ENOENT) }
      state.trace.append(.synchronizeFolder(path))
    }
  }

  /// An open file.
  final class File: StoreFile {
    let path: String
    private let node: Int
    private let system: TracingFileSystem
    nonisolated(unsafe) private var holdsLock = false  // only within the file system's lock

    init(_ path: String, _ node: Int, _ system: TracingFileSystem) {
      (self.path, self.node, self.system) = (path, node, system)
    }

    deinit { if holdsLock { system.lock.withLock { _ = system.state.locked.remove(node) } } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try system.locked { state throws(FileSystemError) in
        let isShort = try system.enter(.read, path, &state, isReading: true)
        return state.contents[node].withUnsafeBytes { bytes in
          guard offset < bytes.count else { return 0 }
          let count = min(buffer.count, bytes.count - Int(offset))
          let taken = isShort ? (count + 1) / 2 : count
          buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset) + taken]))
          return taken
        }
      }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try system.locked { state throws(FileSystemError) in
        func write(_ count: Int) {
          let taken = Array(bytes.prefix(count))
          state.contents[node].put(taken[...], at: Int(offset))
          state.trace.append(.write(node: node, offset: Int(offset), bytes: taken))
        }
        do throws(FileSystemError) {
          let count = try system.enter(.write, path, &state) ? (bytes.count + 1) / 2 : bytes.count
          write(count)
          return count
        } catch {
          write(bytes.count / 2)
          throw error
        }
      }
    }

    func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError) {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.preallocate, path, &state)
        resize(to: max(state.contents[node].count, Int(offset + length)), &state)
      }
    }

    func truncate(to size: UInt64) throws(FileSystemError) {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.truncate, path, &state)
        resize(to: Int(size), &state)
      }
    }

    private func resize(to size: Int, _ state: inout State) {
      state.contents[node].resize(to: size)
      state.trace.append(.resize(node: node, size: size))
    }

    func synchronize() throws(FileSystemError) {
      try system.locked { state throws(FileSystemError) in
        do throws(FileSystemError) {
          try system.enter(.synchronize, path, &state)
        } catch {
          state.trace.append(.discard(node: node))
          throw error
        }
        state.trace.append(.synchronize(node: node))
      }
    }

    func size() throws(FileSystemError) -> UInt64 {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.size, path, &state, isReading: true)
        return UInt64(state.contents[node].count)
      }
    }

    func hasName() throws(FileSystemError) -> Bool {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.size, path, &state, isReading: true)
        return state.names.values.contains(node)
      }
    }

    func tryLock() throws(FileSystemError) -> Bool {
      try system.locked { state throws(FileSystemError) in
        try system.enter(.lock, path, &state)
        guard state.locked.insert(node).inserted else { return false }
        holdsLock = true
        return true
      }
    }
  }
}
