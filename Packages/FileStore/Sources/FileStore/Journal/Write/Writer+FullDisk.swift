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
  /// Refuses what is no deletion while deletions and compactions need all the space that there is.
  ///
  /// - Returns: What is left of the requests.
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

  /// Writes deletions for which the disk had no room once more, with the space of the reserve, and then of a checkpoint.
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

  /// Makes the space available to a compaction that was kept for it: the reserve, and that of the checkpoint, which the
  /// compaction makes useless.
  mutating func beginSavingRoom(for group: String) throws {
    let journal = try journal(group)
    journal.savesRoom = true
    reserve.releaseForCompaction()
    _ = try journal.dropCheckpoint()
  }

  /// Takes the reserve again.
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
