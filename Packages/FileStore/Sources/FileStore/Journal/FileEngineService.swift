@_spi(ModelKitInternals) import StoreProtocol

/// What the engines of a store's groups share: its two threads and what is open.
final class FileEngineService: Sendable {
  private typealias ReadJob = @Sendable () -> Void

  private struct State {
    var contents: [String: JournalContents] = [:]
    var hasWriter = false
    var hasReader = false
    var isClosed = false
  }

  private let directory: String
  private let options: FileEngineOptions
  private let fileSystem: any FileSystem
  private let clock: any EngineClock
  private let state = Lock(State())
  private let writes = Mailbox<Writer.Job>()
  private let reads = Mailbox<ReadJob>()

  init(directory: String, options: FileEngineOptions, fileSystem: any FileSystem, clock: any EngineClock) {
    self.directory = directory
    self.options = options
    self.fileSystem = fileSystem
    self.clock = clock
  }

  /// The threads hold the mailboxes and not this object: without it they do what is left, close the store and end.
  deinit {
    writes.finish()
    reads.finish()
  }

  var closedError: FileEngineError { .closed(directory: directory) }

  /// What can be read of a group, which is opened if it isn't open.
  func contents(of group: String) async throws -> JournalContents {
    let (contents, isClosed) = state.withLock { ($0.contents[group], $0.isClosed) }
    if isClosed { throw closedError }
    if let contents { return contents }
    let opened = try await writing { writer in try writer.open(group) }
    state.withLock { if !$0.isClosed { $0.contents[group] = opened } }
    return opened
  }

  /// How many jobs wait for the writing thread, withdrawn ones included.
  var waitingJobs: Int { writes.count }

  /// Puts a job into the queue of the writing thread; false if the store is closed.
  func send(_ job: Writer.Job) -> Bool { writes.send(job) }

  /// Runs `body` on the writing thread, after what was asked for before.
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

  /// Runs `body` on the reading thread.
  func reading<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try startReader()
    return try await withCheckedThrowingContinuation { continuation in
      let isQueued = reads.send {
        do { continuation.resume(returning: try body()) } catch { continuation.resume(throwing: error) }
      }
      if !isQueued { continuation.resume(throwing: closedError) }
    }
  }

  func close() async throws {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      state.contents = [:]
      return !state.isClosed
    }
    guard isFirst else { return }
    defer {
      writes.finish()
      reads.finish()
    }
    guard state.withLock({ $0.hasWriter }) else { return }
    try await writing { writer in try writer.close() }
  }

  private func startWriter() throws {
    try state.withLock { state in
      guard !state.hasWriter else { return }
      let (directory, options, fileSystem, clock, writes) = (directory, options, fileSystem, clock, writes)
      try DedicatedThread.start(for: directory) {
        var writer = Writer(directory: directory, options: options, fileSystem: fileSystem, clock: clock)
        writer.run(writes)
      }
      state.hasWriter = true
    }
  }

  private func startReader() throws {
    try state.withLock { [reads] state in
      guard !state.hasReader else { return }
      try DedicatedThread.start(for: directory) {
        while let jobs = reads.takeAll(waitingAtMost: nil) {
          for job in jobs { job() }
        }
      }
      state.hasReader = true
    }
  }
}
