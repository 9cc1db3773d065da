#if os(Linux) || os(macOS)
  import Foundation
  @testable import StoreProtocolTesting
  import Testing

  @testable import FileStore

  /// Ends a process that writes with SIGKILL, again and again, at moments that a seed chooses.
  /// A failure names its seed.
  @Suite(.serialized) struct `A store whose process was killed` {
    static let seeds = TestEffort.seeds(30)

    @Test func `A killed process leaves every acknowledged change, complete transactions only, and a writable store`()
      async throws
    {
      try await withTemporaryDirectory { directory in
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var acknowledged = 0
        for seed in Self.seeds {
          await #expect(processExitsWith: .signal(SIGKILL), "seed \(seed)") {
            [directory = directory as String, seed = seed as UInt64] in
            try await KilledWriter(directory: directory, seed: seed).run()
          }
          acknowledged += try await KilledWriter.check(directory, seed: seed)
          // A fresh store now and then, so that also the making of one is hit.
          if seed % 8 == 0 { try FileManager.default.removeItem(atPath: directory + "/store") }
        }
        print("Killed processes: \(Self.seeds.count) rounds, \(acknowledged) acknowledged transactions, none lost.")
      }
    }
  }

  /// The work of the process that is killed. Several tasks write transactions over two types and two groups while the
  /// journal is compacted, and note the acknowledged ones in files of their own.
  ///
  /// Every transaction of a task writes the same number to a model of each type, and creates two more of that number.
  private struct KilledWriter {
    private static let tasks = 4
    private static let groups = ["", "rare books"]

    let directory: String
    let seed: UInt64

    private static func engine(_ directory: String) -> FileEngine {
      var options = FileEngineOptions()
      options.journal.segmentSize = 16 << 10
      options.journal.preallocation = 4 << 10
      options.journal.checkpointInterval = 8 << 10
      options.journal.compactionThreshold = 24 << 10
      return FileEngine(directory: directory + "/store", options: options)
    }

    func run() async throws {
      var random = RandomSource(seed: seed)
      let tally = AcknowledgementFile(directory + "/acknowledged-\(seed)")
      // Killed after so many acknowledgements and, beyond that, so many turns of a loop.
      let count = Int.random(in: 0...60, using: &random)
      let turns = Int.random(in: 0...3_000_000, using: &random)
      try DedicatedThread.start(for: directory) {
        tally.wait(for: count)
        var value = UInt64(turns)
        for _ in 0..<turns { value = value &* 6_364_136_223_846_793_005 &+ 1 }
        if value != 1 { kill(getpid(), SIGKILL) }
      }
      let engine = Self.engine(directory)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<Self.tasks {
          let isDurable = task != 3
          group.addTask {
            let engine = engine.group(Self.groups[task % 2])
            try await engine.open()
            var number = try await Self.lastNumber(engine, task) ?? 0
            while true {
              number += 1
              try await engine.write(
                Self.transaction(task, number), durability: isDurable ? .everyCommit : .none)
              tally.add(task, number)
            }
          }
        }
        group.addTask {
          while true {
            // Two compactions of one group at once are one; that is no error.
            for name in Self.groups { try await engine.group(name).compact() }
          }
        }
        try await group.waitForAll()
      }
    }

    private static func json(_ number: Int) -> [UInt8] {
      Array("{\"number\":\(number),\"text\":\"\(String(repeating: "t", count: number * 37 % 300))\"}".utf8)
    }

    private static func transaction(_ task: Int, _ number: Int) -> [Change] {
      let value = json(number)
      var changes: [Change] = [
        .create("Detail", "\(task).\(number)", value), .create("Note", "\(task).\(number)", value),
      ]
      for type in ["Counter", "Total"] {
        changes.append(number == 1 ? .create(type, "\(task)", value) : .update(type, "\(task)", value))
      }
      if number > 8 { changes.append(.delete("Note", "\(task).\(number - 8)")) }
      return changes
    }

    private static func lastNumber(_ engine: FileEngine, _ task: Int) async throws -> Int? {
      guard let found = try await engine.read("Counter", "\(task)") else { return nil }
      return Int(UInt32(truncatingIfNeeded: found.revision))
    }

    /// Checks what is there after the process was killed.
    ///
    /// - Returns: How many transactions it had acknowledged.
    static func check(_ directory: String, seed: UInt64) async throws -> Int {
      let (acknowledged, count) = AcknowledgementFile.read(directory + "/acknowledged-\(seed)")
      try? FileManager.default.removeItem(atPath: directory + "/acknowledged-\(seed)")
      let store = engine(directory)
      for task in 0..<tasks {
        let engine = store.group(groups[task % 2])
        let issues = try await engine.open()
        #expect(
          issues.allSatisfy { if case .tornTail = $0.kind { true } else { false } }, "seed \(seed): \(issues)")
        let last = try await lastNumber(engine, task) ?? 0
        // A process that is killed takes nothing along that the system has, whatever the durability.
        #expect(last >= acknowledged[task] ?? 0, "seed \(seed), task \(task)")
        #expect(try await engine.read("Total", "\(task)")?.value == (last > 0 ? json(last) : nil), "seed \(seed)")
        #expect(try await engine.read("Counter", "\(task)")?.value == (last > 0 ? json(last) : nil), "seed \(seed)")
        let details = try await engine.identifiers("Detail").filter { $0.hasPrefix("\(task).") }
        #expect(details == (0..<last).map { "\(task).\($0 + 1)" }, "seed \(seed), task \(task)")
        let notes = try await engine.identifiers("Note").filter { $0.hasPrefix("\(task).") }
        #expect(notes == (max(0, last - 8)..<last).map { "\(task).\($0 + 1)" }, "seed \(seed), task \(task)")
        #expect(try await engine.write(transaction(task, last + 1)).count >= 4, "seed \(seed): it can be written")
      }
      for name in groups { #expect(try await store.group(name).verify() == [], "seed \(seed)") }
      try await store.close()
      return count
    }
  }

  /// A file to which a process that is going to be killed writes what was acknowledged: what it has given to the system
  /// outlives it.
  private final class AcknowledgementFile: Sendable {
    private let descriptor: Int32
    private let count = Mailbox<Void>()

    init(_ path: String) { descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

    func add(_ task: Int, _ number: Int) {
      let line = Array("\(task) \(number)\n".utf8)
      _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      _ = count.send(())
    }

    /// Waits until so much was acknowledged.
    func wait(for number: Int) {
      var rest = number
      while rest > 0 { rest -= count.takeAll(waitingAtMost: nil)?.count ?? rest }
    }

    /// The last number of each task, and how many there are.
    static func read(_ path: String) -> (last: [Int: Int], count: Int) {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      var numbers: [Int: Int] = [:]
      let lines = text.split(separator: "\n")
      for line in lines {
        let parts = line.split(separator: " ").compactMap { Int($0) }
        if parts.count == 2 { numbers[parts[0]] = max(parts[1], numbers[parts[0]] ?? 0) }
      }
      return (numbers, lines.count)
    }
  }
#endif
