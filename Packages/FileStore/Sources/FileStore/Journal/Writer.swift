/// What the writing thread owns: the directory and its journals. It never leaves that thread.
struct Writer {
  /// What the thread is asked to do.
  enum Job: Sendable {
    case write(WriteRequest)
    case command(@Sendable (inout Writer) -> Void)
  }

  /// About how many bytes are written with one call at most, one batch excepted: what is written together is also
  /// refused together if the disk is full.
  private static let largestAppend = 8 << 20

  private let directory: String
  private let options: FileEngineOptions
  private let fileSystem: any FileSystem
  private let clock: any EngineClock

  private var home: StoreHome?
  private var journals: [String: Journal] = [:]

  /// When the journals of these groups are to be synced, by ``clock``.
  private var deadlines: [String: UInt64] = [:]
  private var isClosed = false

  init(directory: String, options: FileEngineOptions, fileSystem: any FileSystem, clock: any EngineClock) {
    self.directory = directory
    self.options = options
    self.fileSystem = fileSystem
    self.clock = clock
  }

  /// Works until the mailbox is finished, and closes what is still open then.
  mutating func run(_ mailbox: Mailbox<Job>) {
    while let jobs = mailbox.takeAll(waitingAtMost: timeToNextSync()) {
      perform(jobs)
      syncWhatIsDue()
    }
    // Nobody is left who could be told about an error; whoever wants to know closes the store himself.
    try? close()
  }

  /// Opens the journal of a group, and the store itself with the first.
  mutating func open(_ group: String) throws -> JournalContents {
    if isClosed { throw FileEngineError.closed(directory: directory) }
    if let journal = journals[group] { return journal.contents }
    let home = try home ?? StoreHome(directory: directory, fileSystem: fileSystem, clock: clock)
    self.home = home
    do {
      let journal = try Journal.open(
        group: group, in: home.groups, options: options.journal, fileSystem: fileSystem, findings: home.findings)
      journals[group] = journal
      return journal.contents
    } catch {
      // A store without an open journal has no use for the lock, and another may be waiting for it.
      if journals.isEmpty { self.home = nil }
      throw error
    }
  }

  /// Brings the journal of a group to the disk.
  mutating func sync(_ group: String) throws {
    deadlines[group] = nil
    try journals[group]?.sync()
  }

  /// Closes all journals and gives the directory back, also if there are errors, the first of which is thrown.
  mutating func close() throws {
    var failure: (any Error)?
    for journal in journals.values {
      do { try journal.close() } catch { failure = failure ?? error }
      journal.contents.closeFiles()
    }
    journals = [:]
    deadlines = [:]
    home = nil
    isClosed = true
    if let failure { throw failure }
  }

  private mutating func perform(_ jobs: [Job]) {
    var requests: [String: [WriteRequest]] = [:]
    for job in jobs {
      switch job {
      case .write(let request): requests[request.group, default: []].append(request)
      case .command(let command):
        // What was asked for before the command is done before it.
        write(&requests)
        command(&self)
      }
    }
    write(&requests)
  }

  private mutating func write(_ requests: inout [String: [WriteRequest]]) {
    for (group, requests) in requests {
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

  /// Writes requests of one group with one call and at most one sync.
  private mutating func write(_ requests: [WriteRequest], in group: String) {
    guard let journal = journals[group] else {
      for request in requests { request.finish(.failure(FileEngineError.closed(directory: directory))) }
      return
    }
    let isDurable = requests.contains { $0.durability == .everyCommit }
    let results = journal.commit(requests.map(\.changes), isDurable: isDurable)
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

  private func timeToNextSync() -> Duration? {
    deadlines.values.min().map { deadline in
      let now = clock.nanoseconds()
      return deadline > now ? .nanoseconds(Int64(clamping: deadline - now)) : .zero
    }
  }

  /// Syncs what the promise of an interval demands. An error is kept by the journal, which refuses to go on.
  private mutating func syncWhatIsDue() {
    guard !deadlines.isEmpty else { return }
    let now = clock.nanoseconds()
    for group in deadlines.filter({ $0.value <= now }).keys { try? sync(group) }
  }
}
