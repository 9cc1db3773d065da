import Foundation
import MemoryStore
import StoreProtocol
import SyncStore
import Synchronization
import Testing

@testable import FileStore

@Suite struct `A write to a synchronised store in files` {
  @Test func `An offline write syncs the disk once, as a write to its file store does`() async throws {
    let plain = try await syncs { $0 }
    let offline = try await syncs { files in
      SyncModelStore(local: files, remote: MemoryModelStore(), types: [SyncedTag.self])
    }
    #expect(plain == [20, 20, 20])
    #expect(offline == plain)
  }

  /// Returns the numbers of syncs of 20 creations, 20 updates and 20 deletions.
  private func syncs<S: ModelStore>(_ makeStore: (FileModelStore) -> S) async throws -> [Int] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "offline-writes-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let disk = CountingFileSystem()
    let files = FileModelStore(
      FileStoreHandle(directory: folder, options: FileStoreOptions(), fileSystem: disk), scope: ModelScope())
    try await files.open()
    let store = makeStore(files)
    let tags = (0..<21).map { number in
      let tag = SyncedTag()
      (tag.id.value, tag.name.value) = ("\(number)", "Tag")
      return tag
    }
    // The first write makes the segment.
    try await store.save(tags[20])
    var counts: [Int] = []
    func count(_ write: (SyncedTag) async throws -> Void) async throws {
      let before = disk.syncs
      for tag in tags.prefix(20) { try await write(tag) }
      counts.append(disk.syncs - before)
    }
    try await count { try await store.save($0) }
    try await count { tag in
      tag.a.value = 1
      try await store.save(tag)
    }
    try await count { try await store.delete($0) }
    try await files.close()
    return counts
  }
}

/// The file system of the machine. It counts syncs of files.
private final class CountingFileSystem: FileSystem {
  private let base = PosixFileSystem()
  private let count = Mutex(0)

  /// The number of syncs so far.
  var syncs: Int { count.withLock { $0 } }

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile {
    File(try base.open(path, mode), self)
  }

  func createDirectory(_ path: String) throws(FileSystemError) -> Bool { try base.createDirectory(path) }
  func list(_ path: String) throws(FileSystemError) -> [String] { try base.list(path) }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
  func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
  func synchronizeDirectory(_ path: String) throws(FileSystemError) { try base.synchronizeDirectory(path) }

  private final class File: StoreFile {
    private let base: any StoreFile
    private let disk: CountingFileSystem

    init(_ base: any StoreFile, _ disk: CountingFileSystem) { (self.base, self.disk) = (base, disk) }

    var path: String { base.path }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try base.read(into: buffer, at: offset)
    }

    func readWithoutWaiting(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool {
      base.readWithoutWaiting(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try base.write(bytes, at: offset)
    }

    func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError) {
      try base.preallocate(from: offset, length: length)
    }

    func truncate(to size: UInt64) throws(FileSystemError) { try base.truncate(to: size) }

    func synchronize() throws(FileSystemError) {
      disk.count.withLock { $0 += 1 }
      try base.synchronize()
    }

    func beginSynchronizing(from offset: UInt64, length: UInt64) {
      base.beginSynchronizing(from: offset, length: length)
    }

    func size() throws(FileSystemError) -> UInt64 { try base.size() }
    func hasName() throws(FileSystemError) -> Bool { try base.hasName() }
    func isAtItsPath() throws(FileSystemError) -> Bool { try base.isAtItsPath() }
    func tryLock() throws(FileSystemError) -> Bool { try base.tryLock() }
  }
}
