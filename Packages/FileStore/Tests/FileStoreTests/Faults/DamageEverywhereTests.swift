import Foundation
import Testing

@testable import FileStore
@testable import StoreProtocolTesting

/// Damages every byte of every file of a small store with several segments, a compacted file, a checkpoint and two
/// groups.
@Suite struct `A store that is damaged anywhere` {
  private struct Model: Hashable {
    var group: Int
    var type: [UInt8]
    var identifier: [UInt8]
  }

  private struct Value: Equatable {
    var revision: UInt64
    var value: String
  }

  /// Returns the issues found by opening, reading or checking, and the readable content.
  private func look(
    at image: DiskImage, _ options: Journal.Options
  ) throws -> (issues: [IntegrityIssue], models: [Model: Value]) {
    let fileSystem = TracingFileSystem(image)
    let store = try ScriptedStore(fileSystem, groups: CrashWorkload.groups, options: options)
    var issues: [IntegrityIssue] = []
    var models: [Model: Value] = [:]
    for (group, journal) in store.journals.enumerated() {
      let (snapshot, damages) = try journal.contents.everything()
      issues += journal.contents.issues + damages
      issues += try JournalReader.verify(
        group: journal.group, folder: journal.contents.folder, upTo: journal.extent, fileSystem)
      for (type, rows) in snapshot.types {
        for row in rows {
          let model = Model(group: group, type: Array(type.utf8), identifier: Array(row.identifier.utf8))
          models[model] = Value(revision: row.revision, value: row.value)
        }
      }
    }
    return (issues, models)
  }

  /// A closed store and what is in it.
  private func makeStore(_ seed: UInt64, rounds: Int) throws -> (image: DiskImage, options: Journal.Options) {
    var workload = try CrashWorkload(seed: seed)
    var options = Journal.Options()
    options.segmentSize = rounds > 100 ? 64 << 10 : 700
    options.preallocation = 256
    options.checkpointInterval = 1
    let fileSystem = TracingFileSystem(workload.start)
    let store = try ScriptedStore(fileSystem, groups: CrashWorkload.groups, options: options)
    var snapshots = workload.histories.map(\.current)
    for round in 0..<rounds {
      for (group, journal) in store.journals.enumerated() {
        for batch in workload.makeBatches(snapshots[group]) {
          try journal.write(batch)
          for change in batch { snapshots[group].apply(change) }
        }
        if round == rounds / 2 { try journal.compact() }
        try journal.writeDueCheckpoint()
      }
    }
    for journal in store.journals { try journal.close() }
    return (fileSystem.image, options)
  }

  /// The models whose records stand in the lines that bytes are part of.
  private func models(in bytes: [UInt8], _ range: Range<Int>, group: Int) -> Set<Model> {
    var models: Set<Model> = []
    var start = 0
    for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      let lineRange = start..<start + line.count + 1
      start = lineRange.upperBound
      guard lineRange.overlaps(range), !line.isEmpty else { continue }
      Array(line).withUnsafeBytes { line in
        guard case .record(let record) = LineParser.parse(line) else { return }
        let type = record.type.withBytes(in: line) { Array($0) }
        let identifier = record.identifier.withBytes(in: line) { Array($0) }
        models.insert(Model(group: group, type: type, identifier: identifier))
      }
    }
    return models
  }

  private func check(
    _ path: String, _ damage: Range<Int>, _ damaged: [UInt8], _ image: DiskImage, _ options: Journal.Options,
    _ expected: [Model: Value]
  ) throws {
    let place = "\(path), \(damage)"
    let bytes = try #require(image.files[path])
    var image = image
    image.files[path] = damaged
    let (issues, found) = try look(at: image, options)
    if path.hasSuffix(".checkpoint") {
      // It only repeats the journal, and is ignored.
      #expect(found == expected, "\(place)")
      return
    }
    let isReported = issues.contains {
      $0.file == path && $0.offset <= damage.lowerBound
        && ($0.kind != .damage || $0.offset + $0.length >= damage.lowerBound)
    }
    #expect(isReported, "\(place): \(issues)")
    let group = path.contains("rare%20books") ? 1 : 0
    let hit = path.hasSuffix(".journal") ? models(in: bytes, damage, group: group) : []
    for (model, value) in expected where !hit.contains(model) {
      #expect(found[model] == value, "\(place): '\(String(decoding: model.identifier, as: UTF8.self))'")
    }
    for model in found.keys where expected[model] == nil {
      #expect(hit.contains(model), "\(place): '\(String(decoding: model.identifier, as: UTF8.self))' came back")
    }
  }

  private func isLookedAt(_ path: String) -> Bool {
    !path.hasSuffix("/lock") && !path.hasSuffix(".quarantine") && !path.hasSuffix(".new")
  }

  @Test func `A damaged store reports every damaged byte with its file and offset, and keeps the rest`() throws {
    let (image, options) = try makeStore(4, rounds: 6)
    let expected = try look(at: image, options)
    #expect(expected.issues == [])
    var count = 0
    for (path, bytes) in image.files where isLookedAt(path) {
      // One bit less than a byte, so that each is another one in the course of a line.
      let step = path.hasSuffix(".checkpoint") ? 29 : 1
      for offset in stride(from: 0, to: bytes.count, by: step) {
        var damaged = bytes
        damaged[offset] ^= 1 << UInt8(offset % 8)
        try check(path, offset..<offset + 1, damaged, image, options, expected.models)
        count += 1
      }
    }
    print("Damage: \(count) flipped bits in \(image.files.count) files.")
  }

  @Test func `A damaged store reports every truncated file, and keeps the records before the end`() throws {
    let (image, options) = try makeStore(4, rounds: 6)
    let expected = try look(at: image, options)
    var count = 0
    for (path, bytes) in image.files where isLookedAt(path) {
      let step = path.hasSuffix(".checkpoint") ? 29 : 1
      for length in stride(from: 0, to: bytes.count, by: step) {
        try check(path, length..<bytes.count, Array(bytes.prefix(length)), image, options, expected.models)
        count += 1
      }
    }
    print("Damage: \(count) cuts.")
  }

  @Test func `A large store reports random damage`() throws {
    let (image, options) = try makeStore(8, rounds: 400)
    let expected = try look(at: image, options)
    #expect(expected.issues == [])
    var random = RandomSource(seed: 8)
    let journals = image.files.filter { $0.key.hasSuffix(".journal") }.sorted { $0.key < $1.key }
    for round in 0..<60 {
      let (path, bytes) = journals[round % journals.count]
      let offset = Int.random(in: 0..<bytes.count, using: &random)
      var damaged = bytes
      damaged[offset] ^= 1 << UInt8(round % 8)
      try check(path, offset..<offset + 1, damaged, image, options, expected.models)
      if round % 3 == 0 {
        try check(path, offset..<bytes.count, Array(bytes.prefix(offset)), image, options, expected.models)
      }
    }
  }
}
