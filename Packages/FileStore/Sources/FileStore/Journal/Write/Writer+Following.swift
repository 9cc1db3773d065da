@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

// Following the writes of another process: before each read, and periodically while there are observers.
extension Writer {
  /// Applies the writes of another process, and reports them.
  mutating func follow(_ group: String) throws {
    guard let reader = readers[group] else { return }
    wake(group)
    defer { report(reader, group) }
    try reader.follow(noting: options.isFollowed(group))
  }

  /// Applies the writes of another process to the open groups.
  mutating func followAll() throws { for (group, _) in readers.elements { try follow(group) } }

  private func report(_ reader: JournalReader, _ group: String) {
    guard options.isFollowed(group) else { return }
    if reader.hasStartedOver { options.followReporter?(group, nil) }
    let batches = reader.followed.map { records in
      records.map { record -> Change in
        // An unreadable record was replaced or deleted: observers read it again.
        let entry = TypeIndex.Entry(
          place: record.place, identifierStart: 0, identifierLength: 0, revision: record.revision, ordinal: 0)
        let value =
          record.operation == .delete ? nil : try? reader.contents.read(entry, record.type, record.identifier)
        switch record.operation {
        case .create: return .create(record.type, record.identifier, value ?? [])
        case .update: return .update(record.type, record.identifier, value ?? [])
        case .delete: return .delete(record.type, record.identifier)
        }
      }
    }
    if !batches.isEmpty { options.followReporter?(group, batches) }
  }

  /// Follows a group from now on, as long as it is observed.
  mutating func beginFollowing(_ group: String) {
    guard followDeadlines[group] == nil, !isClosed else { return }
    followNow(group)
  }

  /// Follows the due groups. A group without observers is followed one last time.
  mutating func followWhatIsDue() {
    guard !followDeadlines.isEmpty else { return }
    let now = clock.nanoseconds()
    for (group, deadline) in followDeadlines.elements where deadline <= now { followNow(group) }
  }

  private mutating func followNow(_ group: String) {
    guard options.isFollowed(group) else {
      followDeadlines[group] = nil
      return
    }
    // The next read throws the error. The store may not exist yet.
    if readers[group] != nil { try? follow(group) } else { _ = try? open(group) }
    followDeadlines[group] = clock.nanoseconds() &+ options.followInterval.clampedNanoseconds
  }
}
