@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The state of the writing thread: the directory and its journals. Only that thread uses it.
struct Writer {
  /// A job of the thread.
  enum Job: Sendable {
    case write(WriteRequest)
    case command(@Sendable (inout Writer) -> Void)
  }

  let directory: String
  let options: FileEngineOptions
  let fileSystem: any FileSystem
  let clock: any EngineClock

  private var home: StoreDirectory?
  var journals: GroupTable<Journal> = [:]
  private(set) var readers: GroupTable<JournalReader> = [:]

  /// The groups whose segments may be open.
  private var awake: RecentGroups
  private let openFiles: OpenFiles

  /// The groups whose old files must not change: a compaction or a copy is in progress.
  private var held: Set<ExactText> = []

  /// The continuations that wait for the end of these operations.
  private var waiting: GroupTable<[@Sendable () -> Void]> = [:]

  /// The sizes of the journals at which a failed compaction is tried again.
  private var sizesToTryAgain: GroupTable<UInt64> = [:]

  /// The times at which the journals of these groups are synced, by ``clock``.
  var deadlines: GroupTable<UInt64> = [:]

  /// The preallocated space for deletions and compactions on a full disk.
  var reserve: DiskReserve

  /// The times at which these observed groups are followed, by ``clock``.
  var followDeadlines: GroupTable<UInt64> = [:]
  private(set) var isClosed = false

  /// The groups that may need maintenance after a write or the end of a hold.
  var due: Set<ExactText> = []

  /// The number of times that the journal of a group was checked for maintenance.
  private(set) var careCount = 0

  init(directory: String, options: FileEngineOptions, fileSystem: any FileSystem, clock: any EngineClock) {
    self.directory = directory
    self.options = options
    self.fileSystem = fileSystem
    self.clock = clock
    awake = RecentGroups(limit: options.openGroups)
    openFiles = OpenFiles(limit: options.openFiles)
    reserve = DiskReserve(in: directory, size: options.reserve, fileSystem)
  }

  /// Runs until the mailbox is finished, then closes the open journals.
  mutating func run(_ mailbox: Mailbox<Job>, _ maintenance: BackgroundMaintenance) {
    while let jobs = mailbox.takeAll(waitingAtMost: timeToNextDeadline()) {
      perform(jobs)
      syncWhatIsDue()
      followWhatIsDue()
      maintain(with: maintenance)
    }
    maintenance.finish()
    // No caller receives the error. A caller that needs errors closes the store itself.
    try? close()
  }

  /// Starts due maintenance in the background.
  ///
  /// - Complexity: O(*n*) in the number of groups that were written since the last call, however many are open.
  private mutating func maintain(with maintenance: BackgroundMaintenance) {
    if due.isEmpty { return }
    let groups = due
    due.removeAll()
    for group in groups.map(\.text) {
      guard let journal = journals[group] else { continue }
      careCount += 1
      if !journal.savesRoom { reserve.grow(for: journal.size) }
      if let checkpoint = journal.takeDueCheckpoint() { maintenance.write(checkpoint, to: journal.contents.folder) }
      guard !held.contains(ExactText(group)), journal.size >= sizesToTryAgain[group] ?? 0, journal.wantsCompaction
      else { continue }
      do {
        wake(group)
        guard let compaction = try journal.beginCompaction() else { continue }
        held.insert(ExactText(group))
        maintenance.run(compaction)
      } catch {
        // The next write reports the same error.
        tryAgainLater(group)
      }
    }
  }

  /// Begins the compaction of a group that is not held; nil if it would save nothing.
  mutating func beginCompaction(of group: String) throws -> Compaction? {
    wake(group)
    return try journals[group]?.beginCompaction()
  }

  /// Closes the segment of another group before that of a group is opened.
  mutating func wake(_ group: String) {
    guard let other = awake.use(group) else { return }
    if let journal = journals[other] {
      // Pending bytes are synced now.
      journal.rest()
      deadlines[other] = nil
    }
    readers[other]?.rest()
  }

  /// Returns the journal of a group, if it is open.
  func journal(_ group: String) throws -> Journal {
    guard let journal = journals[group] else { throw FileEngineError.closed(directory: directory) }
    return journal
  }

  /// Keeps the old files of a group from being replaced.
  ///
  /// - Returns: False if they are held already.
  mutating func hold(_ group: String) throws -> Bool {
    _ = try journal(group)
    return held.insert(ExactText(group)).inserted
  }

  /// Allows the old files of a group to be replaced again.
  mutating func release(_ group: String) {
    due.insert(ExactText(group))
    guard held.remove(ExactText(group)) != nil else { return }
    for body in waiting.removeValue(forKey: group) ?? [] { body() }
  }

  /// Calls `body` when no backup holds a group.
  mutating func whenReleased(_ group: String, _ body: @escaping @Sendable () -> Void) {
    if held.contains(ExactText(group)) { waiting[group, default: []].append(body) } else { body() }
  }

  mutating func finish(_ compaction: Compaction, _ outcome: Compaction.Outcome) throws {
    guard held.contains(ExactText(compaction.group)) else { throw FileEngineError.closed(directory: directory) }
    let journal = try journal(compaction.group)
    try journal.finish(compaction, outcome)
    if !journal.savesRoom { fitReserve() }
    sizesToTryAgain[compaction.group] = nil
  }

  /// Sets the size of the reserve by the largest journal, as far as the disk has space.
  mutating func fitReserve() {
    if home != nil { reserve.fit(journals.values.reduce(0) { max($0, $1.size) }) }
  }

  /// Abandons a compaction.
  mutating func abandon(_ compaction: Compaction) { journals[compaction.group]?.abandon(compaction) }

  /// Abandons a failed compaction. It is tried again after the journal has grown.
  mutating func fail(_ compaction: Compaction) {
    abandon(compaction)
    tryAgainLater(compaction.group)
  }

  private mutating func tryAgainLater(_ group: String) {
    guard let size = journals[group]?.size else { return }
    sizesToTryAgain[group] = size + max(options.journal.compactionThreshold ?? 0, size / 4)
  }

  /// Writes the manifest again if it has issues; returns the issues, and the path of the old manifest.
  mutating func restoreManifest() throws -> (issues: [IntegrityIssue], quarantine: String?) {
    guard var home else { return ([], nil) }
    let issues = home.issues
    let quarantine = try home.restoreManifest(fileSystem)
    self.home = home
    return (issues, quarantine)
  }

  /// Syncs everything, and returns its extent.
  mutating func synchronizedExtent(of group: String) throws -> JournalExtent {
    guard let journal = journals[group] else { throw FileEngineError.closed(directory: directory) }
    try sync(group)
    return journal.extent
  }

  /// Opens the journal of a group, and the store itself with the first.
  mutating func open(_ group: String) throws -> JournalContents {
    if isClosed { throw FileEngineError.closed(directory: directory) }
    if let journal = journals[group] { return journal.contents }
    if let refusal = options.refusal { throw refusal }
    if directory.utf8.contains(0) { throw FileEngineError.noPath(directory, reason: "it has a zero byte") }
    if options.isReadOnly { return try openReader(group) }
    let isFirst = journals.isEmpty
    let home = try home ?? StoreDirectory(directory: directory, fileSystem: fileSystem, clock: clock)
    self.home = home
    // The files of a group are opened by their paths, which may be those of another store.
    if try !home.isLocked() { throw FileEngineError.lockRemoved(directory: directory) }
    do {
      wake(group)
      let journal = try Journal.open(
        group: group, in: home.groups, options: options.journal, fileSystem: fileSystem, issues: home.issues,
        home: home, files: openFiles)
      do {
        if let migrations = options.migrations {
          try journal.migrate(migrations)
        } else {
          _ = try ModelVersions.all(in: journal.contents)
        }
      } catch let error as UnreadableBeforeMigration {
        // Without the checkpoint everything is read, and damage is reported.
        guard try journal.dropCheckpoint() else { throw FileEngineError.damaged(error.issue) }
        return try open(group)
      }
      journals[group] = journal
      if isFirst { reserve.fit(journal.size) }
      return journal.contents
    } catch {
      // A store without an open journal releases the lock, because another may wait for it.
      if journals.isEmpty { self.home = nil }
      throw error
    }
  }

  private mutating func openReader(_ group: String) throws -> JournalContents {
    if let reader = readers[group] { return reader.contents }
    let home = try home ?? StoreDirectory(reading: directory, fileSystem: fileSystem)
    self.home = home
    wake(group)
    let reader = try JournalReader(
      group: group, in: home.groups, fileSystem: fileSystem, issues: home.issues,
      migrations: options.migrations, files: openFiles)
    readers[group] = reader
    // Observers may have begun before the store existed.
    if options.isFollowed(group) { options.followReporter?(group, nil) }
    return reader.contents
  }

  /// Syncs the journal of a group.
  mutating func sync(_ group: String) throws {
    deadlines[group] = nil
    try journals[group]?.sync()
  }

  /// Closes all journals and releases the directory, even after errors. Throws the first error.
  mutating func close() throws {
    if isClosed { return }
    var failure: (any Error)?
    // The marks of the journals need a few bytes.
    let wasReleased = reserve.releaseForClosing()
    for journal in journals.values {
      do { try journal.close() } catch { failure = failure ?? error }
      journal.contents.closeFiles()
    }
    for reader in readers.values { reader.contents.closeFiles() }
    readers = [:]
    followDeadlines = [:]
    for group in held { release(group.text) }
    journals = [:]
    deadlines = [:]
    if wasReleased { reserve.fill() }
    home = nil
    isClosed = true
    if let failure { throw failure }
  }

  private mutating func perform(_ jobs: [Job]) {
    var requests: GroupTable<[WriteRequest]> = [:]
    for job in jobs {
      switch job {
      case .write(let request): requests[request.group, default: []].append(request)
      case .command(let command):
        // Requests made before the command are written before it.
        write(&requests)
        command(&self)
      }
    }
    write(&requests)
  }

  private func timeToNextDeadline() -> Duration? {
    let next = [deadlines.values.min(), followDeadlines.values.min()].compactMap(\.self).min()
    return next.map { deadline in
      let now = clock.nanoseconds()
      return deadline > now ? .nanoseconds(Int64(clamping: deadline - now)) : .zero
    }
  }

  /// Syncs the journals whose interval has passed. A journal keeps its error and rejects later writes.
  private mutating func syncWhatIsDue() {
    guard !deadlines.isEmpty else { return }
    let now = clock.nanoseconds()
    for (group, deadline) in deadlines.elements where deadline <= now { try? sync(group) }
  }
}
