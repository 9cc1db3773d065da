import Foundation
import Testing

@testable import FileStore

extension LongLife {
  /// Changes, cuts or removes one or two files behind everybody's back.
  private mutating func damage() {
    var image = fileSystem.image
    let paths = image.files.keys.filter { !$0.hasSuffix("lock") && !$0.hasSuffix(".quarantine") }.sorted()
    for _ in 0..<1 + below(2) where !paths.isEmpty {
      let path = paths[below(paths.count)]
      guard var bytes = image.files[path] else { continue }
      let place = below(bytes.count + 1)
      note("damage \(path) at \(place) of \(bytes.count)")
      switch below(5) {
      case 0:
        image.files[path] = nil
        continue
      case 1: bytes.removeLast(bytes.count - place)
      case 2, 3: if place < bytes.count { bytes[place] ^= UInt8(1 << below(8)) }
      default: for index in place..<min(bytes.count, place + below(100)) { bytes[index] = 0 }
      }
      image.files[path] = bytes
    }
    begin(with: image)
  }

  /// Damages the store, goes on in it for a while, and repairs it: what was written after the damage stays.
  mutating func damageAndRepair() {
    damage()
    var notes: [[String: String]] = [[:], [:]]
    attempt("go on with damage") { life in
      for _ in 0...life.below(4) {
        let opened = try ScriptedStore(life.fileSystem, groups: Self.groups, options: life.makeOptions())
        life.store = opened
        for (group, journal) in opened.journals.enumerated() {
          life.check(notes[group], in: try journal.contents.everything().snapshot, "opened")
        }
        for _ in 0..<life.below(4) {
          let group = life.below(2)
          try life.goOn(opened.journals[group], &notes[group])
        }
        switch life.below(4) {
        case 0: for journal in opened.journals { try journal.close() }
        case 1: life.kill()
        case 2: life.losePower()
        default:
          life.store = nil
          if life.below(4) == 0 {
            life.damage()
            notes = [[:], [:]]
          }
        }
        life.store = nil
      }
      let opened = try ScriptedStore(life.fileSystem, groups: Self.groups, options: life.makeOptions())
      for (group, journal) in opened.journals.enumerated() { try life.repair(group, journal, notes[group]) }
      var home = opened.home
      _ = try home.restoreManifest(life.fileSystem)
      (life.store, life.canBeTorn, life.canLackMark) = (opened, false, true)
    }
  }

  private mutating func goOn(_ journal: Journal, _ notes: inout [String: String]) throws {
    switch below(5) {
    case 0:
      note("compact")
      guard let compaction = try beginCompaction(journal) else { return }
      do {
        try journal.finish(compaction, try compaction.run(fileSystem))
      } catch FileEngineError.damaged {
        // There is no other copy of the remaining bytes of a damaged record.
        journal.abandon(compaction)
      }
    case 1: try journal.writeDueCheckpoint()
    default:
      var batch: [Change] = []
      for _ in 0..<1 + below(3) {
        created += 1
        batch.append(.create("Note", "k\(created)", JournalScript.json(String(repeating: "n", count: below(100)))))
      }
      note("write \(batch.map(\.identifier))")
      try journal.write(batch)
      for change in batch { notes[change.identifier] = String(decoding: change.value, as: UTF8.self) }
    }
  }

  /// Nothing is compacted before it is repaired: the rest of a damaged record is only in its old file.
  private mutating func beginCompaction(_ journal: Journal) throws -> Compaction? {
    guard let damage = journal.unrepairedDamage else { return try journal.beginCompaction() }
    #expect(throws: FileEngineError.damaged(damage)) { try journal.beginCompaction() }
    return nil
  }

  private mutating func repair(_ group: Int, _ journal: Journal, _ notes: [String: String]) throws {
    let issues = journal.contents.issues.filter { $0.kind == .missing && $0.file.hasSuffix(".journal") }
    let repair = try journal.repair()
    note("repair \(group), \(repair.losses.count) losses")
    if !issues.isEmpty, repair.losses.isEmpty { fail("repaired nothing, although \(issues)") }
    created += 1
    try journal.write([.create("Other", "k\(created)", JournalScript.json("x"))])
    try journal.compact()
    let wrong = try JournalReader.verify(
      group: journal.group, folder: journal.contents.folder, upTo: journal.extent,
      comparing: journal.contents.withIndex { $0.withoutFieldIndexes }, fileSystem)
    let (found, damages) = try journal.contents.everything()
    if !wrong.isEmpty || !damages.isEmpty { fail("after a repair: \(wrong + damages)") }
    if found.types.values.reduce(0, { $0 + $1.count }) != repair.recoveredCount + 1 {
      fail("kept \(repair.recoveredCount), but holds \(found)")
    }
    check(notes, in: found, "repaired")
    states[group] = [State(snapshot: found)]
    synced[group] = 0
  }

  private mutating func check(_ notes: [String: String], in snapshot: Snapshot, _ place: String) {
    let rows = snapshot.types["Note"] ?? []
    for (identifier, value) in notes where !rows.contains(where: { $0.identifier == identifier && $0.value == value }) {
      fail("\(place): \(identifier) was lost")
    }
  }
}
