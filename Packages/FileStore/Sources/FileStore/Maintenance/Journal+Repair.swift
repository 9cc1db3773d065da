import Foundation
@_spi(ModelKitInternals) import StoreEngine

extension Writer {
  /// Repairs a locked group, and the manifest.
  ///
  /// - Throws: `CancellationError` if it should stop before its first change.
  mutating func repair(_ group: String, shouldStop: () -> Bool) throws -> FileStoreRepair {
    wake(group)
    var repair = try journal(group).repair(shouldStop: shouldStop)
    if !repair.losses.isEmpty { options.followReporter?(group, nil) }
    let manifest = try restoreManifest()
    for issue in manifest.issues {
      repair.losses.append(.init(issue: issue, typeName: nil, identifier: nil, keptRevision: nil))
    }
    if repair.quarantine == nil { repair.quarantine = manifest.quarantine.map { URL(filePath: $0) } }
    return repair
  }
}

extension Journal {
  /// Keeps all readable records, and moves the rest to a quarantine file.
  ///
  /// Readable records are copied to a compacted file, which replaces all other files when it is renamed. Before that
  /// only the quarantine file is written.
  ///
  /// - Parameter shouldStop: Called at intervals until the whole journal was read. After that the repair completes.
  /// - Throws: `CancellationError` if it should stop, and errors of the disk.
  func repair(shouldStop: () -> Bool = { false }) throws -> FileStoreRepair {
    if shouldStop() { throw CancellationError() }
    try sync()
    try refuseWithoutLock()
    let (before, fields) = contents.withIndex { ($0.withoutFieldIndexes, $0.fields) }
    var (index, issues) = try JournalReader.scan(
      group: group, folder: contents.folder, upTo: extent, into: before.withoutModels, fileSystem,
      shouldStop: shouldStop)
    // A damaged line that was followed by others when the store was opened can be the last one now. A scan takes it for
    // a line that is being written.
    if let damage = unrepairedDamage, damage.kind == .damage, !issues.contains(where: { $0.file == damage.file }) {
      issues.append(damage)
    }
    var repair = FileStoreRepair()
    repair.recoveredCount = index.liveCount - (index.versions?.liveCount ?? 0)
    let mismatches = before.mismatches(with: index, besides: issues, in: contents.folder)
    guard !issues.isEmpty || !mismatches.isEmpty else { return repair }
    index.losses = []
    let parts = try DamagedParts(issues, before: before, after: index, contents.folder, fileSystem)
    repair.losses =
      parts.losses
      + mismatches.map { mismatch in
        .init(
          issue: mismatch.issue, typeName: mismatch.type, identifier: mismatch.identifier,
          keptRevision: index.revision(mismatch.type, mismatch.identifier))
      }
    if shouldStop() { throw CancellationError() }
    if let name = try parts.quarantine(in: contents.folder, fileSystem) {
      repair.quarantine = URL(filePath: "\(contents.folder)/\(name)")
    }
    // A new segment, so that the new file can't have the name of one that it replaces.
    try beginSegment()
    guard let last = sealed.last else { return repair }
    let compaction = Compaction(
      group: group, folder: contents.folder, index: index, number: last.segment.number, batch: lastBatch)
    do {
      // Everything that can fail, for lack of space or unreadable bytes, comes before the new state is visible.
      let outcome = try compaction.run(fileSystem)
      try finish(compaction, outcome, replacing: try contents.indexing(fields, of: index))
    } catch {
      abandon(compaction)
      throw error
    }
    try endRepair()
    return repair
  }
}

extension JournalIndex {
  fileprivate func revision(_ type: String, _ identifier: String) -> UInt64? {
    number(of: type).flatMap { entry(type: $0, Array(identifier.utf8))?.revision }
  }
}

/// The damaged bytes of a journal.
private struct DamagedParts {
  private struct Part {
    let issue: IntegrityIssue
    let bytes: [UInt8]
  }

  private var parts: [Part] = []
  private(set) var losses: [FileStoreRepair.Loss] = []

  /// The largest number of damaged bytes in a row that is searched for a record. An overwritten file could be damaged
  /// as a whole.
  private static let longestLine: UInt64 = 1 << 26

  /// - Parameters:
  ///   - before: the index of the store before the repair.
  ///   - after: the index of the readable records.
  init(
    _ issues: [IntegrityIssue], before: JournalIndex, after: JournalIndex, _ folder: String,
    _ fileSystem: any FileSystem
  ) throws {
    let known = Self.records(of: before, in: issues, folder)
    for (number, issue) in issues.enumerated() {
      var names = known[number] ?? []
      if issue.length > 0 {
        let bytes = try Self.bytes(of: issue, fileSystem)
        if names.isEmpty { names = Self.names(in: bytes) }
        parts.append(Part(issue: issue, bytes: bytes))
      }
      if names.isEmpty {
        losses.append(.init(issue: issue, typeName: nil, identifier: nil, keptRevision: nil))
      }
      for (type, identifier) in names {
        losses.append(
          .init(
            issue: issue, typeName: type, identifier: identifier, keptRevision: after.revision(type, identifier)))
      }
    }
  }

  /// Writes the bytes to a quarantine file, each piece preceded by a line with its offset and length.
  ///
  /// - Returns: The name of the file; nil if there are no bytes.
  func quarantine(in folder: String, _ fileSystem: any FileSystem) throws -> String? {
    if parts.isEmpty { return nil }
    let names = try fileSystem.list(folder)
    var number = 1
    while names.contains("repair-\(number).quarantine") { number += 1 }
    let name = "repair-\(number).quarantine"
    let file = try fileSystem.open("\(folder)/\(name)", .create)
    do {
      try write(to: file)
    } catch {
      try? fileSystem.remove("\(folder)/\(name)")
      throw error
    }
    try fileSystem.synchronizeDirectory(folder)
    return name
  }

  private func write(to file: any StoreFile) throws {
    var end: UInt64 = 0
    for part in parts {
      let line = Line(
        file: URL(filePath: part.issue.file).lastPathComponent, offset: part.issue.offset,
        length: part.bytes.count, reason: part.issue.reason)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let bytes = Array(try encoder.encode(line)) + [0x0a] + part.bytes + [0x0a]
      try file.writeFully(bytes, at: end)
      end += UInt64(bytes.count)
    }
    try file.synchronize()
  }

  private struct Line: Encodable {
    let file: String
    let offset: UInt64
    let length: Int
    let reason: String
  }

  private static func bytes(of issue: IntegrityIssue, _ fileSystem: any FileSystem) throws -> [UInt8] {
    try fileSystem.open(issue.file, .read).bytes(from: issue.offset, count: Int(issue.length))
  }

  /// Returns the models of damaged lines, of those whose damage is after the identifier.
  private static func names(in bytes: [UInt8]) -> [(type: String, identifier: String)] {
    guard UInt64(bytes.count) < longestLine else { return [] }
    var seen: Set<[String]> = []
    return bytes.split(separator: 0x0a).compactMap { line in
      line.withUnsafeBytes { line in
        guard line.count > LineLayout.prefixLength, case .record(let record) = LineParser.parse(line) else {
          return nil
        }
        let name = (type: record.type.string(in: line), identifier: record.identifier.string(in: line))
        return seen.insert([name.type, name.identifier]).inserted ? name : nil
      }
    }
  }

  /// Returns the models whose records are at damaged offsets, by the number of the issue.
  private static func records(
    of index: JournalIndex, in issues: [IntegrityIssue], _ folder: String
  ) -> [Int: [(type: String, identifier: String)]] {
    var byFile: [String: [(range: Range<UInt64>, number: Int)]] = [:]
    for (number, issue) in issues.enumerated() where issue.length > 0 {
      byFile[issue.file, default: []].append((issue.offset..<issue.offset + issue.length, number))
    }
    var found: [Int: [(type: String, identifier: String)]] = [:]
    var ranges: [SegmentNumber: [(range: Range<UInt64>, number: Int)]] = [:]
    for (name, type) in zip(index.names, index.types) {
      for entry in type.entries where entry.isLive {
        let segment = entry.place.segment
        if ranges[segment] == nil {
          ranges[segment] = (byFile["\(folder)/\(StoreFormat.segment(segment))"] ?? []).sorted {
            $0.range.lowerBound < $1.range.lowerBound
          }
        }
        guard let parts = ranges[segment], !parts.isEmpty else { continue }
        let place = entry.place.offset..<entry.place.offset + UInt64(entry.place.length)
        // Parts don't overlap.
        var (first, end) = (0, parts.count)
        while first < end {
          let middle = (first + end) / 2
          if parts[middle].range.upperBound <= place.lowerBound { first = middle + 1 } else { end = middle }
        }
        for part in parts[first...].prefix(while: { $0.range.lowerBound < place.upperBound }) {
          found[part.number, default: []].append((String(decoding: name, as: UTF8.self), type.identifier(of: entry)))
        }
      }
    }
    return found
  }
}
