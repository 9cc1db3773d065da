import Foundation
import Testing

@testable import FileStore

extension LongLife {
  /// Performs a step, and compares the state after it.
  mutating func step() {
    if store == nil {
      open()
      compare()
    }
    let group = below(2)
    guard let journal = store?.journals[group] else { return }
    guard isWritable(journal) else { return kill() }
    let fails = hasFaults && below(4) == 0
    if fails {
      let code = [ENOSPC, EMFILE, EIO][below(3)]
      let call = fileSystem.callCount + below(14)
      fileSystem.setFault(.init(kind: .error(code), calls: call..<call + 1 + below(3)))
      note("errno \(code) in \(call - fileSystem.callCount) calls")
    }
    act(group, journal)
    if let store, below(3) > 0 { attempt("checkpoint") { _ in try store.journals[group].writeDueCheckpoint() } }
    fileSystem.setFault(nil)
    compare()
  }

  private mutating func act(_ group: Int, _ journal: Journal) {
    switch below(24) {
    case 0..<6: write(makeBatches(group), to: group, journal, isDurable: below(3) > 0)
    case 6, 7:
      let all = current(group).snapshot.types.flatMap { type, rows in rows.map { Change.delete(type, $0.identifier) } }
      if !all.isEmpty { write([all], to: group, journal, isDurable: below(2) == 0) }
    case 8..<11: attempt("compact \(group)") { try $0.compact(group, journal) }
    case 11:
      if attempt("sync \(group)", { _ in try journal.sync() }) { noteSynced(group) }
    case 12:
      attempt("repair \(group)") { life in
        let losses = try journal.repair().losses
        if !losses.isEmpty { life.fail("repaired \(losses)") }
      }
    case 13:
      attempt("verify \(group)") { life in
        try journal.sync()
        life.noteSynced(group)
        let issues = try JournalReader.verify(
          group: journal.group, folder: journal.contents.folder, upTo: journal.extent,
          comparing: journal.contents.withIndex { $0.withoutFieldIndexes }, life.fileSystem)
        if !issues.isEmpty { life.fail("verified \(issues)") }
      }
    case 14, 15: close()
    case 16: kill()
    case 17, 18:
      fileSystem.setFault(nil)
      losePower()
    case 19, 20:
      note("rest \(group)")
      journal.rest()
      if isWritable(journal), !journal.hasOpenFile { noteSynced(group) }
      readers[group]?.rest()
    default:
      for group in 0..<2 where readers[group] == nil {
        attempt("follow \(group)") { life in
          life.readers[group] = try JournalReader(
            group: Self.groups[group], in: "\(ScriptedStore.directory)/groups", fileSystem: life.fileSystem)
        }
      }
    }
  }

  private mutating func compact(_ group: Int, _ journal: Journal) throws {
    guard var compaction = try journal.beginCompaction() else { return }
    noteSynced(group)
    let files = compaction.files.prefix { !$0.segment.isCompacted || $0 != compaction.files.last }
    if below(3) == 0, let count = files.indices.filter({ !files[$0].segment.isCompacted }).randomElement(using: &random)
    {
      note("of \(count + 1) of \(compaction.files.count) files")
      compaction = try compaction.step(over: Array(files[...count]), fileSystem)
    }
    do {
      let outcome = try compaction.run(fileSystem)
      if below(2) == 0 { write(makeBatches(group), to: group, journal, isDurable: below(2) == 0) }
      if below(6) == 0 { return note("not finished") }
      try journal.finish(compaction, outcome)
      noteSynced(group)
    } catch {
      journal.abandon(compaction)
      throw error
    }
  }

  mutating func write(_ batches: [[Change]], to group: Int, _ journal: Journal, isDurable: Bool) {
    note("write \(group), \(batches.map(\.count)), \(isDurable ? "durably" : "not durably")")
    let before = states[group].count
    for batch in batches {
      var next = current(group)
      for change in batch { next.apply(change) }
      states[group].append(next)
    }
    var error: (any Error)?
    for case .failure(let failure) in journal.commit(batches, isDurable: isDurable) { error = failure }
    guard let error else {
      if isDurable { noteSynced(group) }
      return
    }
    if !hasFaults { fail("writing: \(error)") }
    // A refused batch is not there, unless its outcome is unknown.
    if isWritable(journal) { states[group].removeLast(states[group].count - before) }
  }

  private mutating func makeBatches(_ group: Int) -> [[Change]] {
    var state = current(group)
    return (0..<1 + below(3)).map { _ in
      (0..<1 + below(4)).map { _ in
        let change = makeChange(state.snapshot)
        state.apply(change)
        return change
      }
    }
  }

  private mutating func makeChange(_ snapshot: Snapshot) -> Change {
    let type = ["Book", "Author"][below(2)]
    let value = JournalScript.json(String(repeating: "v", count: below(60)))
    if let rows = snapshot.types[type], !rows.isEmpty, below(5) > 1 {
      let identifier = rows[below(rows.count)].identifier
      return below(2) == 0 ? .update(type, identifier, value) : .delete(type, identifier)
    }
    created += 1
    let identifiers = ["n\(created % 5)", "\(created % 7 + 1)", "\(created)"]
    let free = identifiers.first { identifier in
      snapshot.types[type]?.contains { $0.identifier == identifier } != true
    }
    return .create(type, free ?? "more\(created)", value)
  }
}
