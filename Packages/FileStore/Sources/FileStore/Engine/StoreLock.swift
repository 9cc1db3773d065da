#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The lock of a store, whose owner is the only writer. It is released with its last copy.
struct StoreLock {
  /// The number of attempts to open a file that another process keeps removing.
  private static let attempts = 16

  private let file: any StoreFile

  /// Takes the lock of a directory, without changing its file.
  ///
  /// - Throws: ``FileEngineError/locked(directory:holder:)`` if another process has it; ``FileSystemError``.
  init(_ directory: String, _ fileSystem: any FileSystem) throws {
    var attempt = 1
    while true {
      let file = try fileSystem.open("\(directory)/\(StoreFormat.lock)", .create)
      guard try file.tryLock() else {
        throw FileEngineError.locked(directory: directory, holder: Self.describe(try? file.contents()))
      }
      // A file that was removed between the two calls would exclude no process.
      if try file.isAtItsPath() {
        self.file = file
        return
      }
      guard attempt < Self.attempts else { throw FileEngineError.lockRemoved(directory: directory) }
      attempt += 1
    }
  }

  /// Returns whether the lock still excludes other processes. It does not if its file was removed, or the directory was
  /// renamed or replaced. Others then take the lock of the new file, and this store would open files beside theirs.
  func isHeld() throws -> Bool { try file.isAtItsPath() }

  /// Writes the owner of the lock to the file.
  func name(since moment: String) throws {
    let holder = Array((#"{"pid":\#(getpid()),"since":"\#(moment)"}"# + "\n").utf8)
    // In this order, because a full disk has no space for bytes that were freed before.
    try file.writeFully(holder, at: 0)
    try file.truncate(to: UInt64(holder.count))
  }

  /// The owner of a lock, as named by its file.
  struct Holder: Decodable {
    let pid: Int32
    let since: String

    /// - Returns: nil if the bytes don't name an owner.
    init?(_ bytes: [UInt8]) {
      let line = Data(bytes.prefix { $0 != 0x0a })
      guard let holder = try? JSONDecoder().decode(Holder.self, from: line) else { return nil }
      self = holder
    }
  }

  private static func describe(_ contents: [UInt8]?) -> String {
    guard let contents, let holder = Holder(contents) else { return "another process" }
    let process = holder.pid == getpid() ? "another store in this process" : "another process"
    return "\(process) (pid \(holder.pid), since \(holder.since))"
  }
}
