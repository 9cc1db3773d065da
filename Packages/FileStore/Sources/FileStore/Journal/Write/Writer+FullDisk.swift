@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

// Freeing space while the disk is full.
extension Writer {
  /// Rejects all other writes while deletions and compactions need all the free space.
  ///
  /// - Returns: the remaining requests.
  mutating func refuseCreations(_ requests: [WriteRequest], to journal: Journal) -> [WriteRequest] {
    guard reserve.isLent else { return requests }
    if !journal.savesRoom { reserve.fill() }
    guard reserve.isLent else { return requests }
    return requests.filter { request in
      if request.isDeletion { return true }
      request.finish(
        .failure(FileSystemError(.write, journal.contents.path(SegmentNumber(journal.segment)), code: ENOSPC)))
      return false
    }
  }

  /// Repeats deletions that failed on a full disk, with the space of the reserve, and then of a checkpoint.
  mutating func writeDeletions(
    _ requests: [WriteRequest], _ results: inout [Result<[UInt64], any Error>], to journal: Journal
  ) {
    for number in requests.indices where results[number].isWithoutRoom && requests[number].isDeletion {
      let request = requests[number]
      let savesRoom = journal.savesRoom
      journal.savesRoom = true
      while results[number].isWithoutRoom,
        reserve.release(forDeletionOf: UInt64(request.size), isLastResort: request.isLastResort)
          || (try? journal.dropCheckpoint()) == true
      {
        results[number] = journal.commit([request.changes], isDurable: request.durability == .everyCommit)[0]
      }
      journal.savesRoom = savesRoom
      if !savesRoom { reserve.fill() }
    }
  }

  /// Releases space for a compaction: the reserve, and the checkpoint, which the compaction makes obsolete.
  mutating func beginSavingRoom(for group: String) throws {
    let journal = try journal(group)
    journal.savesRoom = true
    reserve.releaseForCompaction()
    _ = try journal.dropCheckpoint()
  }

  /// Allocates the reserve again.
  mutating func endSavingRoom(for group: String) {
    guard let journal = try? journal(group) else { return }
    journal.savesRoom = false
    fitReserve()
  }
}

extension Result where Failure == any Error {
  /// Whether the disk was full.
  fileprivate var isWithoutRoom: Bool {
    if case .failure(let error as FileSystemError) = self { error.isAboutRoom } else { false }
  }
}
