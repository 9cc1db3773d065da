@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The state of the writing thread: the directory and its journals. It never leaves that thread.
struct Writer {
  /// A job of the thread.
  enum Job: Sendable {
    case write(WriteRequest)
    case command(@Sendable (inout Writer) -> Void)
  }

  /// About how many bytes are written with one call at most, one batch excepted: what is written together is also
  /// refused together if the disk is full.
  private static let largestAppend = 8 << 20

  let directory: String
  let options: FileEngineOptions
  let fileSystem: any FileSystem
  let clock: any EngineClock

  private var home: StoreDirectory?
  private var journals: GroupTable<Journal> = [:]
  private(set) var readers: GroupTable<JournalReader> = [:]

  /// The groups whose segments may be open.
  private var awake: RecentGroups
  private let openFiles: OpenFiles

  /// The groups whose old files must stay as they are: they are being compacted, or copied.
  private var held: Set<ExactText> = []

  /// The continuations that wait for that to end.
  private var waiting: GroupTable<[@Sendable () -> Void]> = [:]

  /// How large the journals have to be before a compaction is tried again that went wrong.
  private var sizesToTryAgain: GroupTable<UInt64> = [:]

  /// When the journals of these groups are to be synced, by ``clock``.
  private var deadlines: GroupTable<UInt64> = [:]

  /// The preallocated space that deletions and compactions get on a full disk.
  var reserve: DiskReserve

  /// When these groups are to be followed, by ``clock``: they are observed.
  var followDeadlines: GroupTable<UInt64> = [:]
  private(set) var isClosed = false

  /// The groups of which a write or the end of a hold may have left something to do.
  private var due: Set<ExactText> = []

  /// How often the journal of a group was checked for something to do.
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

  /// Works until the mailbox is finished, and closes what is still open then.
  mutating func run(_ mailbox: Mailbox<Job>, _ maintenance: BackgroundMaintenance) {
    while let jobs = mailbox.takeAll(waitingAtMost: timeToNextDeadline()) {
      perform(jobs)
      syncWhatIsDue()
      followWhatIsDue()
      maintain(with: maintenance)
    }
    maintenance.finish()
    // There is no caller left to receive an error. A caller that needs errors closes the store itself.
    try? close()
  }

  /// Hands over what there is to do beside writing.
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
        // That it can't begin, writing will say too.
        tryAgainLater(group)
      }
    }
  }

  /// Begins the compaction of a group that is not held; nil if there is nothing to gain.
  mutating func beginCompaction(of group: String) throws -> Compaction? {
    wake(group)
    return try journals[group]?.beginCompaction()
  }

  /// Makes room for the segment of a group, before it is opened: that of another group is closed.
  mutating func wake(_ group: String) {
    guard let other = awake.use(group) else { return }
    if let journal = journals[other] {
      // What was to be synced later is synced now.
      journal.rest()
      deadlines[other] = nil
    }
    readers[other]?.rest()
  }

  /// The journal of a group, if it is open.
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

  /// Lets the old files of a group be replaced again.
  mutating func release(_ group: String) {
    due.insert(ExactText(group))
    guard held.remove(ExactText(group)) != nil else { return }
    for body in waiting.removeValue(forKey: group) ?? [] { body() }
  }

  /// Calls `body` when no backup holds a group any more.
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

  /// Gives the reserve the size that is due to the largest journal, as far as the disk has room.
  mutating func fitReserve() {
    if home != nil { reserve.fit(journals.values.reduce(0) { max($0, $1.size) }) }
  }

  /// Gives a compaction up.
  mutating func abandon(_ compaction: Compaction) { journals[compaction.group]?.abandon(compaction) }

  /// Gives a compaction up that failed. It is tried again when the journal has grown: at once would stop nothing else than
  /// the disk.
  mutating func fail(_ compaction: Compaction) {
    abandon(compaction)
    tryAgainLater(compaction.group)
  }

  private mutating func tryAgainLater(_ group: String) {
    guard let size = journals[group]?.size else { return }
    sizesToTryAgain[group] = size + max(options.journal.compactionThreshold ?? 0, size / 4)
  }

  /// Writes the manifest again if something was wrong with it; returns the issues, and the path of the old one.
  mutating func restoreManifest() throws -> (issues: [IntegrityIssue], quarantine: String?) {
    guard var home else { return ([], nil) }
    let issues = home.issues
    let quarantine = try home.restoreManifest(fileSystem)
    self.home = home
    return (issues, quarantine)
  }

  /// Brings everything to the disk, and returns its extent.
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
    do {
      wake(group)
      let journal = try Journal.open(
        group: group, in: home.groups, options: options.journal, fileSystem: fileSystem, issues: home.issues,
        home: home, files: openFiles)
      do {
        try journal.migrate(options.migrations)
      } catch let error as UnreadableBeforeMigration {
        // Without the checkpoint everything is read, and what is damaged is left out and reported.
        guard try journal.dropCheckpoint() else { throw FileEngineError.damaged(error.issue) }
        return try open(group)
      }
      journals[group] = journal
      if isFirst { reserve.fit(journal.size) }
      return journal.contents
    } catch {
      // A store without an open journal has no use for the lock, and another may be waiting for it.
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
    return reader.contents
  }

  /// Brings the journal of a group to the disk.
  mutating func sync(_ group: String) throws {
    deadlines[group] = nil
    try journals[group]?.sync()
  }

  /// Closes all journals and gives the directory back, also if there are errors, the first of which is thrown.
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

  private mutating func write(_ requests: inout GroupTable<[WriteRequest]>) {
    for (group, requests) in requests.elements {
      var gathered: [WriteRequest] = []
      var size = 0
      for request in requests where request.pickUp() {
        if !gathered.isEmpty, size + request.size > Self.largestAppend {
          write(gathered, in: group)
          gathered = []
          size = 0
        }
        gathered.append(request)
        size += request.size
      }
      if !gathered.isEmpty { write(gathered, in: group) }
    }
    requests = [:]
  }

  /// Writes requests of one group together, but for those that read what others of them change: these have to wait for it.
  private mutating func write(_ requests: [WriteRequest], in group: String) {
    guard requests.contains(where: { $0.reads != nil }) else { return writeTogether(requests, in: group) }
    var together: [WriteRequest] = []
    for request in requests {
      if let reads = request.reads, together.contains(where: { reads.contain($0.changes) }) {
        writeTogether(together, in: group)
        together = []
      }
      // All that concerns it is published by now.
      if let conflict = request.reads?.conflict { request.finish(.failure(conflict)) } else { together.append(request) }
    }
    if !together.isEmpty { writeTogether(together, in: group) }
  }

  /// Writes requests of one group with one call and at most one sync.
  private mutating func writeTogether(_ requests: [WriteRequest], in group: String) {
    due.insert(ExactText(group))
    guard let journal = journals[group] else {
      for request in requests { request.finish(.failure(FileEngineError.closed(directory: directory))) }
      return
    }
    let requests = refuseCreations(requests, to: journal)
    if requests.isEmpty { return }
    wake(group)
    let isDurable = requests.contains { $0.durability == .everyCommit }
    var results = journal.commit(requests.map(\.changes), isDurable: isDurable)
    writeDeletions(requests, &results, to: journal)
    if !journal.needsSync {
      deadlines[group] = nil
    } else {
      for case .interval(let interval) in requests.map(\.durability) {
        let deadline = clock.nanoseconds() &+ interval.clampedNanoseconds
        deadlines[group] = min(deadlines[group] ?? deadline, deadline)
      }
    }
    for (request, result) in zip(requests, results) {
      if case .success = result { options.reporter?(group, request.changes) }
      request.finish(result)
    }
  }

  private func timeToNextDeadline() -> Duration? {
    let next = [deadlines.values.min(), followDeadlines.values.min()].compactMap(\.self).min()
    return next.map { deadline in
      let now = clock.nanoseconds()
      return deadline > now ? .nanoseconds(Int64(clamping: deadline - now)) : .zero
    }
  }

  /// Syncs what the promise of an interval demands. An error is kept by the journal, which refuses to go on.
  private mutating func syncWhatIsDue() {
    guard !deadlines.isEmpty else { return }
    let now = clock.nanoseconds()
    for (group, deadline) in deadlines.elements where deadline <= now { try? sync(group) }
  }
}
