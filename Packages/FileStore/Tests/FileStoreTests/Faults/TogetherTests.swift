import Foundation
import Testing

@testable import FileStore
@testable import StoreProtocolTesting

/// Many tasks and several stores at once. Meant for the thread sanitizer too: `swift test --sanitize=thread`.
@Suite struct `A file store that many use at once` {
  private func value(_ number: Int) -> [UInt8] { Array("{\"number\":\(number)}".utf8) }

  /// An engine whose journal is compacted, and gets checkpoints, all the time.
  private func makeEngine(_ directory: String, isReadOnly: Bool = false) -> FileEngine {
    var options = FileEngineOptions()
    options.journal.segmentSize = 8 << 10
    options.journal.preallocation = 4 << 10
    options.journal.checkpointInterval = 4 << 10
    options.journal.compactionThreshold = 8 << 10
    options.isReadOnly = isReadOnly
    return FileEngine(directory: directory, options: options)
  }

  private func withTemporaryPath(_ body: (String) async throws -> Void) async throws {
    try await withTemporaryDirectory { (url: URL) in try await body(url.path(percentEncoded: false)) }
  }

  /// Moves an amount between two accounts, again if another task was quicker.
  private func move(_ engine: FileEngine, from: String, to: String) async throws {
    while true {
      guard let first = try await engine.read("Account", from), let second = try await engine.read("Account", to),
        let firstValue = number(first.value), let secondValue = number(second.value)
      else { throw CocoaError(.fileReadCorruptFile) }
      do {
        try await engine.write(
          [
            .update("Account", from, value(firstValue - 1), ifRevision: first.revision),
            .update("Account", to, value(secondValue + 1), ifRevision: second.revision),
          ], durability: .none)
        return
      } catch FileEngineError.staleRevision {
        continue
      }
    }
  }

  private func number(_ bytes: [UInt8]) -> Int? {
    Int(String(decoding: bytes, as: UTF8.self).filter { $0.isNumber || $0 == "-" })
  }

  private func sum(_ engine: FileEngine) async throws -> Int {
    try await engine.readChunk("Account", byteLimit: .max).rows.count == 8
      ? try await engine.readChunk("Account", byteLimit: .max).numbers.reduce(0, +) : -1
  }

  @Test func `A file store keeps the sum of its accounts in 16 tasks, while it is compacted, checked and followed`()
    async throws
  {
    try await withTemporaryPath { directory in
      let engine = makeEngine(directory)
      try await engine.write((0..<8).map { .create("Account", "\($0)", value(100)) })
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<10 {
          group.addTask {
            var random = RandomSource(seed: UInt64(task))
            for round in 0..<25 {
              let from = Int.random(in: 0..<8, using: &random)
              try await move(engine, from: "\(from)", to: "\((from + 1 + round % 7) % 8)")
              if round % 9 == 0 {
                try await engine.group("\(task % 3)").write([.create("Note", "\(task).\(round)", value(round))])
              }
            }
          }
        }
        for _ in 0..<2 {
          group.addTask { for _ in 0..<6 { try await engine.compact() } }
        }
        group.addTask {
          for _ in 0..<6 {
            let issues = try await engine.verify()
            #expect(issues == [])
          }
        }
        group.addTask {
          for _ in 0..<25 {
            let chunk = try await engine.readChunk("Account", byteLimit: .max)
            #expect(chunk.rows.count == 8 && chunk.damages == [])
          }
        }
        for _ in 0..<2 {
          group.addTask {
            let reader = makeEngine(directory, isReadOnly: true)
            for _ in 0..<25 {
              let chunk = try await reader.readChunk("Account", byteLimit: .max)
              #expect(chunk.rows.count == 8 && chunk.damages == [])
            }
            try await reader.close()
          }
        }
        try await group.waitForAll()
      }
      #expect(try await sum(engine) == 800)
      try await engine.close()
      let again = makeEngine(directory)
      #expect(try await again.open() == [])
      #expect(try await sum(again) == 800)
      #expect(try await again.verify() == [])
      try await again.close()
    }
  }

  @Test func `A file store is opened and closed many times, and released without being closed`()
    async throws
  {
    try await withTemporaryPath { directory in
      let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
        for task in 0..<4 {
          group.addTask {
            var mine: [String] = []
            var attempts = 0
            while mine.count < 6 {
              attempts += 1
              let engine = makeEngine(directory)
              do {
                let identifier = "\(task).\(mine.count)"
                try await engine.write([.create("Book", identifier, value(mine.count))])
                mine.append(identifier)
                async let compaction: Void = engine.compact()
                try await engine.write(
                  (0..<20).map { .create("Filler", "\(identifier).\($0)", value($0)) }, durability: .none)
                _ = try? await compaction
                // Without a close, the engine is released during its work.
                if attempts % 2 == 0 { try await engine.close() }
              } catch FileEngineError.locked(_, let holder) {
                #expect(holder.contains("another store in this process") || holder == "another process")
                await Task.yield()
              }
            }
            return mine
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let engine = try await opened(directory)
      #expect(Set(try await engine.identifiers("Book")) == Set(acknowledged))
      #expect(try await engine.count("Filler") == acknowledged.count * 20)
      #expect(try await engine.verify() == [])
      try await engine.close()
    }
  }

  @Test func `A reader of a file store finds its record although the journal is compacted just then`() async throws {
    let fileSystem = TracingFileSystem()
    try fileSystem.createDirectories("/store/groups")
    let journal = try Journal.open(group: "", in: "/store/groups", fileSystem: fileSystem)
    try journal.write([.create("Author", "1", value(1))])
    try journal.write([.delete("Author", "1"), .create("Book", "1", value(2))])
    var options = FileEngineOptions()
    options.isReadOnly = true
    let service = FileEngineService(
      directory: "/store", options: options, fileSystem: fileSystem, clock: SystemClock())
    let contents = try await service.contents(of: "")
    try journal.compact()
    // The reader knows the old place, and its file is gone.
    #expect(throws: FileSystemError.self) { try contents.everything() }
    let found = try await service.reading { try contents.everything().snapshot }
    #expect(found.types["Book"]?.map(\.value) == [String(decoding: value(2), as: UTF8.self)])
    try await service.close()
  }

  @Test func `A file store unlocks its directory only when the calls in progress have ended`() throws {
    let (maintenanceJobs, ended) = (Mailbox<FileEngineService.Job>(), Mailbox<String>())
    let maintenance = BackgroundMaintenance(
      maintenanceJobs: maintenanceJobs, writes: Mailbox(), fileSystem: TracingFileSystem()
    ) { true }
    let gate = Mailbox<Void>()
    #expect(
      maintenanceJobs.send {
        _ = gate.takeAll(waitingAtMost: nil)
        _ = ended.send("what is in progress")
      })
    try DedicatedThread.start(for: "") {
      maintenance.finish()
      _ = ended.send("the waiting")
      ended.finish()
    }
    try DedicatedThread.start(for: "") {
      while let jobs = maintenanceJobs.takeAll(waitingAtMost: nil) {
        for job in jobs { job() }
      }
    }
    _ = gate.send(())
    var order: [String] = []
    while let more = ended.takeAll(waitingAtMost: nil) { order += more }
    #expect(order == ["what is in progress", "the waiting"])
    #expect(!maintenanceJobs.send {}, "nothing more is begun")
    maintenance.finish()
  }

  /// As a process that is being started has it for a moment.
  @Test func `A closed file store unlocks its directory although another process has inherited its files`() async throws
  {
    try await withTemporaryPath { directory in
      let first = makeEngine(directory)
      try await first.write([.create("Book", "1", value(1))])
      let inherited = try #require(descriptor(of: directory + "/lock"))
      let copy = dup(inherited)
      defer { _ = close(copy) }
      await #expect(throws: FileEngineError.self) { try await makeEngine(directory).open() }
      try await first.close()
      let second = makeEngine(directory)
      #expect(try await second.count("Book") == 1)
      await #expect(throws: FileEngineError.self) { try await makeEngine(directory).open() }
      try await second.close()
    }
  }

  /// The descriptor with which this process has a file open.
  private func descriptor(of path: String) -> Int32? {
    var sought = stat()
    guard stat(path, &sought) == 0 else { return nil }
    return (0..<Int32(getdtablesize())).first {
      var found = stat()
      return fstat($0, &found) == 0 && found.st_ino == sought.st_ino && found.st_dev == sought.st_dev
    }
  }

  /// A store that was dropped is given back a moment later.
  private func opened(_ directory: String) async throws -> FileEngine {
    while true {
      let engine = makeEngine(directory)
      do {
        #expect(try await engine.open() == [])
        return engine
      } catch FileEngineError.locked {
        await Task.yield()
      }
    }
  }

  #if os(Linux) || os(macOS)
    @Test func `A file store is followed by a second process, which can write when the first has ended`() async throws {
      try await withTemporaryPath { directory in
        let first = makeEngine(directory)
        for number in 0..<60 { try await first.write([.create("Book", "\(number)", value(number))]) }
        try await first.compact()
        try await first.write([.delete("Book", "7")])
        await #expect(processExitsWith: .success) { [directory = directory as String, pid = getpid() as Int32] in
          do {
            try await FileEngine(directory: directory).open()
            exit(1)
          } catch FileEngineError.locked(_, let holder) where holder.contains("another process (pid \(pid), since") {
            var options = FileEngineOptions()
            options.isReadOnly = true
            let reader = FileEngine(directory: directory, options: options)
            let count = try await reader.count("Book")
            let issues = try await reader.verify()
            try await reader.close()
            exit(count == 59 && issues == [] ? 0 : 2)
          }
        }
        try await first.close()
        await #expect(processExitsWith: .success) { [directory = directory as String] in
          let second = FileEngine(directory: directory)
          try await second.write([.create("Book", "7", Array("{}".utf8))])
          try await second.close()
        }
        let third = makeEngine(directory)
        #expect(try await third.count("Book") == 60)
        try await third.close()
      }
    }
  #endif
}

extension Chunk {
  fileprivate var numbers: [Int] {
    rows.map { Int(String(decoding: value($0), as: UTF8.self).filter { $0.isNumber || $0 == "-" }) ?? .min }
  }
}
