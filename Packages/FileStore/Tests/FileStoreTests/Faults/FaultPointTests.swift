import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore

/// Lets every single call of a workload fail, one after the other, in every way that the world knows.
@Suite struct `A store with injected faults` {
  private typealias Fault = TracingFileSystem.Fault

  private static let codes = [ENOSPC, EIO, EINTR, EMFILE, EACCES, EROFS]

  /// How many calls a workload makes if nothing goes wrong.
  private func callCount(_ seed: UInt64) throws -> Int {
    var run = try FaultRun(seed: seed, fault: nil)
    try run.run()
    #expect(run.errors == 0)
    return run.fileSystem.callCount
  }

  @Test(arguments: codes)
  func `A store loses nothing acknowledged whichever call fails, and reports the failure`(code: Int32) throws {
    var runs = 0
    // A new store, or one of an older version that becomes a new one meanwhile.
    for seed in (code == ENOSPC ? [2, 4] : code == EIO ? [1, 4] : [4]) as [UInt64] {
      for call in TestEffort.sample(0..<(try callCount(seed)), every: 3, offset: Int(code)) {
        var run = try FaultRun(seed: seed, fault: Fault(kind: .error(code), calls: call..<call + 1))
        try run.run()
        try run.checkDisk()
        runs += 1
      }
    }
    print("Errors of the world: errno \(code) at each of \(runs) calls.")
  }

  @Test(arguments: [ENOSPC, EROFS, EMFILE])
  func `A store loses nothing acknowledged when everything fails from some call on, for a while`(code: Int32) throws {
    for call in TestEffort.sample(0..<(try callCount(3)), every: 3, offset: Int(code)) {
      let reads = code == EMFILE
      var run = try FaultRun(
        seed: 3, fault: Fault(kind: .error(code), calls: call..<call + 40, affectsReading: reads))
      try run.run()
      try run.checkDisk()
    }
  }

  @Test func `A store continues short reads and writes of the system`() throws {
    for call in 0..<(try callCount(4)) {
      var run = try FaultRun(seed: 4, fault: Fault(kind: .short, calls: call..<call + 3))
      try run.run()
      #expect(run.errors == 0, "call \(call)")
      try run.checkDisk()
    }
  }

  @Test func `A store acknowledges nothing once its directory is gone, whenever that happens`() throws {
    for seed in [5, 6] as [UInt64] {
      for call in 0..<(try callCount(seed)) {
        var run = try FaultRun(seed: seed, fault: Fault(kind: .vanishing, calls: call..<call + 1))
        try run.run()
      }
    }
  }

  @Test(arguments: [EIO, EMFILE, EINTR])
  func `A store with injected faults is followed by a reader whichever of its calls fails`(code: Int32) throws {
    var call = 0
    var isDone = false
    while !isDone {
      var workload = try CrashWorkload(seed: 7)
      let fileSystem = TracingFileSystem(workload.start)
      let store = try ScriptedStore(fileSystem, groups: CrashWorkload.groups, options: workload.options)
      let journal = store.journals[0]
      let reader = try JournalReader(group: "", in: store.home.groups, fileSystem: fileSystem)
      var snapshot = Snapshot()
      for round in 0..<4 {
        for batch in workload.makeBatches(snapshot) {
          try journal.write(batch)
          for change in batch { snapshot.apply(change) }
        }
        if round == 2 { try journal.compact() }
        if round == 1 { continue }
        let start = fileSystem.callCount
        fileSystem.setFault(Fault(kind: .error(code), calls: start + call..<start + call + 1))
        do {
          try reader.follow()
        } catch {
          #expect(error is FileSystemError)
        }
        fileSystem.setFault(nil)
        if round == 3, fileSystem.callCount <= start + call { isDone = true }
        try reader.follow()
        #expect(try reader.contents.everything().snapshot == snapshot, "call \(call), round \(round)")
      }
      call += 1
    }
    #expect(call > 3)
  }
}

/// A workload in which something goes wrong, and that goes on as a program would: it opens the store again when writes
/// are refused.
private struct FaultRun {
  let fileSystem: TracingFileSystem
  private(set) var errors = 0
  private var workload: CrashWorkload
  private let fault: TracingFileSystem.Fault?
  private var store: ScriptedStore?

  /// The acknowledged content, group by group, and the contents that are possible since the outcome of a write is
  /// unknown.
  private var current: [Snapshot]
  private var possible: [[Snapshot]]

  init(seed: UInt64, fault: TracingFileSystem.Fault?) throws {
    workload = try CrashWorkload(seed: seed)
    self.fault = fault
    fileSystem = TracingFileSystem(workload.start)
    fileSystem.setFault(fault)
    current = workload.histories.map(\.current)
    possible = current.map { _ in [] }
  }

  private var isVanished: Bool { fault?.kind == .vanishing && fileSystem.callCount > fault?.calls.lowerBound ?? 0 }

  private var place: String {
    guard let fault else { return "no fault" }
    let calls = fileSystem.calls
    let number = fault.calls.lowerBound
    return "\(fault.kind), seed \(workload.seed), call \(number): \(number < calls.count ? calls[number] : "none")"
  }

  mutating func run() throws {
    for step in 0..<9 {
      if store == nil { open() }
      if isVanished, store == nil { return }
      guard let store else { continue }
      let group = step % 2
      let journal = store.journals[group]
      switch step {
      case 4, 7: attempt { _ in try journal.compact() }
      case 5:
        attempt { _ in for journal in store.journals { try journal.close() } }
        self.store = nil
      default: write(to: group, journal)
      }
      if self.store != nil { attempt { _ in try journal.writeDueCheckpoint() } }
    }
    if let store { attempt { _ in for journal in store.journals { try journal.close() } } }
    store = nil
  }

  private mutating func open() {
    attempt { run in
      let store = try ScriptedStore(run.fileSystem, groups: CrashWorkload.groups, options: run.workload.options)
      if run.isVanished { return }
      let all = try store.everything()
      for (group, found) in all.enumerated() {
        let expected = [run.current[group]] + run.possible[group]
        #expect(expected.contains(found), "\(run.place): group \(group) holds \(found)")
      }
      run.current = all
      run.possible = all.map { _ in [] }
      run.store = store
    }
  }

  private mutating func write(to group: Int, _ journal: Journal) {
    let batches = workload.makeBatches(current[group])
    var states: [Snapshot] = []
    for batch in batches {
      var next = states.last ?? current[group]
      for change in batch { next.apply(change) }
      states.append(next)
    }
    let wasVanished = isVanished
    let results = journal.commit(batches, isDurable: true)
    let failures = results.compactMap { result in
      if case .failure(let error) = result { error } else { (any Error)?.none }
    }
    if failures.isEmpty {
      #expect(!wasVanished && !isVanished, "\(place): acknowledged although the directory was gone")
      current[group] = states.last ?? current[group]
      return
    }
    for error in failures { note(error) }
    #expect(failures.count == batches.count, "\(place): written together, refused together")
    attempt { run in
      let found = try journal.contents.everything().snapshot
      #expect(found == run.current[group], "\(run.place): what was refused is seen")
    }
    if (try? journal.refuseAfterFailure()) == nil {
      // Closing it throws once more.
      #expect(throws: FileEngineError.self) { try journal.close() }
      possible[group] = states
      store = nil
    }
  }

  private mutating func attempt(_ body: (inout FaultRun) throws -> Void) {
    do { try body(&self) } catch { note(error) }
  }

  /// Errors are typed, and say which file it is about.
  private mutating func note(_ error: any Error) {
    errors += 1
    switch error {
    case let error as FileSystemError:
      // Making the store brings its name to the disk, in the directory above it.
      #expect(error.path.hasPrefix(ScriptedStore.directory) || error.path == "/", "\(place): \(error)")
      // The error has the code of the system, or the directory is gone.
      if case .error(let code)? = fault?.kind { #expect(error.code == code, "\(place): \(error)") }
    case FileEngineError.refusesWrites(_, let cause): #expect(cause.contains(ScriptedStore.directory), "\(place)")
    case is FileEngineError: break
    default: Issue.record("\(place): \(error)")
    }
    if store.map({ $0.journals.contains { (try? $0.refuseAfterFailure()) == nil } }) == true { store = nil }
  }

  /// Opens what is left, if the process ends here, or the power goes, and nothing fails any more.
  mutating func checkDisk() throws {
    store = nil
    var disk = DiskModel(workload.start)
    for operation in fileSystem.trace { disk.apply(operation) }
    fileSystem.setFault(nil)
    let images = [
      fileSystem.image, disk.image(after: .dropped), disk.image(after: .kept),
      disk.image(after: .shuffled(seed: workload.seed, block: 64)),
    ]
    // In a directory that its owner may not open, no name can be brought to the disk.
    let isUnopenable = fault?.kind == .error(EACCES) && place.hasSuffix("synchronize /")
    for (number, image) in images.enumerated() where number == 0 || !isUnopenable {
      let after = try ScriptedStore(TracingFileSystem(image), groups: CrashWorkload.groups, options: workload.options)
      for (group, found) in try after.everything().enumerated() {
        #expect(
          ([current[group]] + possible[group]).contains(found),
          "\(place), image \(number): group \(group) holds \(found)")
      }
      let issues = after.journals.flatMap(\.contents.issues)
      #expect(
        issues.allSatisfy { if case .tornTail = $0.kind { true } else { false } },
        "\(place), image \(number): \(issues)")
      try after.journals[0].write([.create("Note", "after", JournalScript.json("x"))])
    }
  }
}
