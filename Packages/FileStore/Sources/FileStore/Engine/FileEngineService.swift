@_spi(ModelKitInternals) import StoreProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The shared state of the engines of a store's groups: the threads and the open groups.
///
/// One thread writes, one reads, and a third one runs long background work: compaction, checkpoints and checks.
final class FileEngineService: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var contents: GroupTable<JournalContents> = [:]
    var hasWriter = false
    var hasReader = false
    var hasMaintenance = false
    var isClosed = false
  }

  let directory: String
  private let options: FileEngineOptions
  let fileSystem: any FileSystem
  private let clock: any EngineClock
  private let state = Lock(State())
  private let writes = Mailbox<Writer.Job>()
  private let reads = Mailbox<Job>()
  private let maintenanceJobs = Mailbox<Job>()

  /// Whether the jobs of the third thread have to stop early.
  private let isStopping = Lock(false)

  init(directory: String, options: FileEngineOptions, fileSystem: any FileSystem, clock: any EngineClock) {
    self.directory = directory
    self.options = options
    self.fileSystem = fileSystem
    self.clock = clock
  }

  /// The threads retain the mailboxes and not this object. When it is deallocated they complete the queued jobs, close
  /// the store and end. The writing thread ends the third one before it releases the directory.
  deinit {
    isStopping.withLock { $0 = true }
    writes.finish()
    reads.finish()
    if state.withLock({ !$0.hasWriter || !$0.hasMaintenance }) { maintenanceJobs.finish() }
  }

  var isReadOnly: Bool { options.isReadOnly }

  var migrations: MigrationPlan? { options.migrations }

  var closedError: FileEngineError { .closed(directory: directory) }

  /// Returns the contents of a group, and opens it if necessary. In a read-only store they include all commits so far.
  func contents(of group: String) async throws -> JournalContents {
    let (contents, isClosed) = state.withLock { ($0.contents[group], $0.isClosed) }
    if isClosed { throw closedError }
    if let contents {
      if isReadOnly { try await writing { writer in try writer.follow(group) } }
      return contents
    }
    let opened = try await writing { writer in try writer.open(group) }
    state.withLock { if !$0.isClosed { $0.contents[group] = opened } }
    return opened
  }

  /// Returns the contents of a group that was opened.
  func knownContents(of group: String) -> JournalContents? { state.withLock { $0.contents[group] } }

  /// Polls a group from now on, as long as it is observed. If the store can't be opened, the observer's own read
  /// throws.
  func beginFollowing(_ group: String) {
    guard isReadOnly, (try? startWriter()) != nil else { return }
    _ = writes.send(.command { writer in writer.beginFollowing(group) })
  }

  /// The number of jobs that wait for the writing thread, including withdrawn ones.
  var waitingJobs: Int { writes.count }

  /// Adds a job to the queue of the writing thread; returns `false` if the store is closed.
  func send(_ job: Writer.Job) -> Bool { writes.send(job) }

  /// Runs `body` on the writing thread, after the earlier calls.
  func writing<Result: Sendable>(
    _ body: @escaping @Sendable (inout Writer) throws -> Result
  ) async throws -> Result {
    try startWriter()
    return try await withCheckedThrowingContinuation { continuation in
      let isQueued = writes.send(
        .command { writer in
          do { continuation.resume(returning: try body(&writer)) } catch { continuation.resume(throwing: error) }
        })
      if !isQueued { continuation.resume(throwing: closedError) }
    }
  }

  /// Runs long work on the writing thread. `body` can check whether its task was cancelled.
  func writing<Result: Sendable>(
    stopping body: @escaping @Sendable (inout Writer, _ shouldStop: () -> Bool) throws -> Result
  ) async throws -> Result {
    let isCancelled = Lock(false)
    return try await withTaskCancellationHandler {
      try await writing { writer in try body(&writer) { isCancelled.withLock { $0 } } }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// Runs `body` on the reading thread.
  func reading<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try startReader()
    var attempts = 0
    while true {
      do {
        return try await Self.run(on: reads, orElse: closedError, body)
      } catch let error as FileSystemError where isReadOnly && error.code == ENOENT && attempts < 16 {
        // The writing process has compacted the journal since the last read: the record is in another file now.
        attempts += 1
        try await writing { writer in try writer.followAll() }
      }
    }
  }

  /// Runs `body` on the thread for long work. `body` can check whether to stop: its task was cancelled, or the store is
  /// being closed.
  func runMaintenance<Result: Sendable>(
    _ body: @escaping @Sendable (_ shouldStop: () -> Bool) throws -> Result
  ) async throws -> Result {
    try startMaintenance()
    let isCancelled = Lock(false)
    return try await withTaskCancellationHandler {
      try await Self.run(on: maintenanceJobs, orElse: closedError) { [isStopping, closedError] in
        do {
          return try body { isStopping.withLock { $0 } || isCancelled.withLock { $0 } }
        } catch is CancellationError where !isCancelled.withLock({ $0 }) {
          throw closedError
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private static func run<Result: Sendable>(
    on mailbox: Mailbox<Job>, orElse error: FileEngineError, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let isQueued = mailbox.send {
        do { continuation.resume(returning: try body()) } catch { continuation.resume(throwing: error) }
      }
      if !isQueued { continuation.resume(throwing: error) }
    }
  }

  // MARK: Compaction and checks

  /// Compacts a group when no other call locks its files.
  func compact(_ group: String) async throws {
    try await holding(group) {
      do {
        try await compactAll(group)
      } catch let error as FileSystemError where error.isAboutRoom {
        try await compactOnFullDisk(group)
      }
    }
  }

  private func compactAll(_ group: String) async throws {
    guard let compaction = try await writing({ writer in try writer.beginCompaction(of: group) }) else { return }
    do {
      let outcome = try await runMaintenance { [fileSystem] shouldStop in
        try compaction.run(fileSystem, shouldStop: shouldStop)
      }
      try await writing { writer in try writer.finish(compaction, outcome) }
    } catch {
      try? await writing { writer in writer.abandon(compaction) }
      throw error
    }
  }

  /// Compacts a group with the space of the reserve, in steps that fit on the disk.
  private func compactOnFullDisk(_ group: String) async throws {
    try await writing { writer in try writer.beginSavingRoom(for: group) }
    do {
      while let compaction = try await writing({ writer in try writer.beginCompaction(of: group) }) {
        let (step, outcome) = try await runMaintenance { [fileSystem] shouldStop in
          try compaction.runStep(fileSystem, shouldStop: shouldStop)
        }
        do {
          try await writing { writer in try writer.finish(step, outcome) }
        } catch {
          try? await writing { writer in writer.abandon(step) }
          throw error
        }
        if step.number == compaction.number { break }
      }
    } catch {
      try? await writing { writer in writer.endSavingRoom(for: group) }
      throw error
    }
    try await writing { writer in writer.endSavingRoom(for: group) }
  }

  /// Runs `body` while the old files of a group are locked, so that they are not replaced.
  func holding<Result>(_ group: String, _ body: () async throws -> Result) async throws -> Result {
    try await hold(group)
    do {
      let result = try await body()
      await release(group)
      return result
    } catch {
      await release(group)
      throw error
    }
  }

  /// Locks the old files of a group, so that they are not replaced. Waits for other locks.
  func hold(_ group: String) async throws {
    while try await !writing({ writer in try writer.hold(group) }) {
      try Task.checkCancellation()
      await withCheckedContinuation { continuation in
        let isQueued = writes.send(.command { writer in writer.whenReleased(group) { continuation.resume() } })
        if !isQueued { continuation.resume() }
      }
    }
  }

  /// Unlocks the old files of a group.
  func release(_ group: String) async { try? await writing { writer in writer.release(group) } }

  func verify(_ group: String, _ progress: (@Sendable (Double) -> Void)?) async throws -> [IntegrityIssue] {
    let contents = try await contents(of: group)
    if isReadOnly {
      return try await runMaintenance { [fileSystem, directory] shouldStop in
        var check = try CheckProgress(of: contents.folder, fileSystem, progress)
        let reader = try JournalReader(
          group: group, in: "\(directory)/\(StoreFormat.groups)", fileSystem: fileSystem, readsAll: true,
          shouldStop: { check.advance(unless: shouldStop()) })
        check.end()
        return reader.contents.issues
      }
    }
    // No compaction completes during the check, so each missing file is an issue.
    return try await holding(group) {
      let (extent, index) = try await writing { writer in
        (try writer.synchronizedExtent(of: group), contents.withIndex { $0.withoutFieldIndexes })
      }
      return try await runMaintenance { [fileSystem] shouldStop in
        var check = try CheckProgress(of: contents.folder, fileSystem, progress)
        let issues = try JournalReader.verify(
          group: group, folder: contents.folder, upTo: extent, comparing: index, fileSystem,
          shouldStop: { check.advance(unless: shouldStop()) })
        check.end()
        return issues
      }
    }
  }

  func close() async throws {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      state.contents = [:]
      return !state.isClosed
    }
    guard isFirst else { return }
    isStopping.withLock { $0 = true }
    defer {
      writes.finish()
      reads.finish()
      maintenanceJobs.finish()
    }
    if state.withLock({ $0.hasMaintenance }) {
      // Current work stops soon; the files are unlocked after that.
      try? await Self.run(on: maintenanceJobs, orElse: closedError) {}
    }
    guard state.withLock({ $0.hasWriter }) else { return }
    try await writing { writer in try writer.close() }
  }

  // MARK: Threads

  private func startWriter() throws {
    try state.withLock { state in
      guard !state.hasWriter else { return }
      let (directory, options, fileSystem, clock, writes) = (directory, options, fileSystem, clock, writes)
      let (maintenanceJobs, isStopping) = (maintenanceJobs, isStopping)
      try DedicatedThread.start(for: directory) {
        var writer = Writer(directory: directory, options: options, fileSystem: fileSystem, clock: clock)
        let maintenance = BackgroundMaintenance(
          maintenanceJobs: maintenanceJobs, writes: writes, fileSystem: fileSystem
        ) {
          isStopping.withLock { $0 }
        }
        writer.run(writes, maintenance)
      }
      state.hasWriter = true
      try startMaintenance(&state)
    }
  }

  private func startReader() throws {
    try state.withLock { [reads] state in
      guard !state.hasReader else { return }
      try Self.start(for: directory, reads)
      state.hasReader = true
    }
  }

  private func startMaintenance() throws { try state.withLock { state in try startMaintenance(&state) } }

  private func startMaintenance(_ state: inout State) throws {
    guard !state.hasMaintenance else { return }
    try Self.start(for: directory, maintenanceJobs)
    state.hasMaintenance = true
  }

  private static func start(for directory: String, _ mailbox: Mailbox<Job>) throws {
    try DedicatedThread.start(for: directory) {
      while let jobs = mailbox.takeAll(waitingAtMost: nil) {
        for job in jobs { job() }
      }
    }
  }
}
