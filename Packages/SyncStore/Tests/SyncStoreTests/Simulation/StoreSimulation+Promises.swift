import FieldKit
import MemoryStore
import StoreEngine
import StoreProtocol

@testable import SyncStore

// The promises of a synchronised store, as they are checked in a history and at its end.
extension StoreSimulation {
  /// A record, with the values that all clients and the server must agree about.
  struct Row {
    var name: String
    var title: String
    var values: [String: JSONValue]
    var version: Int
    var text: String { "\(title) \(Self.keys.map { "\(values[$0] ?? .null)" }.joined(separator: " "))" }

    private static let keys = ["a", "b", "c", "isMarked", "grade", "label", "note", "writer"]

    init(_ type: String, _ record: AttributeDictionary) {
      let identifier = record["id"]?.stringValue ?? record["id"]?.intValue.map(String.init) ?? ""
      name = OutboxEntry.recordIdentifier(type, identifier)
      title = record["title"]?.stringValue ?? ""
      version = record["version"]?.intValue ?? 0
      values = record.filter { Self.keys.contains($0.key) && !$0.value.isNull }
    }
  }

  /// The records on the disk of a client.
  func rows(of client: Client) async throws -> [Row] {
    var rows: [Row] = []
    for type in ["Writer", "Volume", "Sticker"] {
      _ = try await client.disk.readRecords(of: type) { records in
        rows += records.compactMap { (try? JSONValue(json: $0.bytes))?.objectValue.map { Row(type, $0) } }
      }
    }
    return rows
  }

  private func serverRows() -> [Row] {
    let database = service.current.database
    return [("Writer", "writers"), ("Volume", "volumes"), ("Sticker", "stickers")].flatMap { type, path in
      (database.rows[path] ?? []).filter { !$0.isRemoved }.map { Row(type, $0.record) }
    }
  }

  /// The titles that were created more than once. Only a server with keys can prevent that.
  private func isDoubled(_ title: String) -> Bool { service.current.creations[title] ?? 0 > 1 }

  private func isNoted(_ notes: [DiscardedValue], _ each: Written, _ value: JSONValue) -> Bool {
    notes.contains { note in
      note.key == each.key && note.value == value || note.key == nil && note.value.objectValue?[each.key] == value
    }
  }

  /// Whether the client deleted the record itself, and with it its writes. Another client may have created it again
  /// under another title before.
  private func isOwnDeletion(_ each: Written) -> Bool {
    deletions.contains { deletion in
      deletion.client == each.client
        && (deletion.title == each.title || formerTitles(of: deletion.title).contains(each.title))
    }
  }

  /// The titles that a record had before it was created again.
  private func formerTitles(of title: String) -> [String] {
    Array(sequence(first: title) { self.formerTitles[$0] }.dropFirst())
  }

  /// Whether a write is visible under an earlier title of its record, or was overwritten there by the same client. The
  /// backup of a server has the record as it was before it was created again, and its title is kept.
  private func isUnderFormerTitle(_ each: Written, _ value: JSONValue, visible: Set<String>) -> Bool {
    guard choices.restoresBackup else { return false }
    return formerTitles(of: each.title).contains { title in
      let other = written[Written(client: each.client, title: title, key: each.key)]?.intValue ?? 0
      return visible.contains(title) || other > value.intValue ?? 0
    }
  }

  // MARK: In the history

  /// P10: a process that was killed anywhere is started again in a legal state.
  func checkRestart(_ client: Client) async {
    do {
      let outbox = try await client.store.handle.outbox()
      if !outbox.damaged.isEmpty { problems.insert("P10: client \(client.number) has damaged \(outbox.damaged)") }
      let rows = try await rows(of: client)
      let dirty = Set(outbox.entries.map { OutboxEntry.recordIdentifier($0.type, $0.identifier) })
      for row in rows {
        if row.name.contains("/-"), !dirty.contains(row.name) {
          problems.insert("P10: client \(client.number) has \(row.name) without an entry")
        }
        guard let writer = row.values["writer"]?.intValue, writer < 0 else { continue }
        let isKnown = try await client.store.handle.read("Writer", String(writer)) != nil
        let isMapped = try await client.store.handle.replacement(of: String(writer), "Writer") != nil
        if !isKnown, !isMapped { problems.insert("P10: client \(client.number) has \(row.name) of no writer") }
      }
    } catch {
      problems.insert("P10: client \(client.number) can't be read: \(error)")
    }
  }

  /// P5: no client sees its own write undone, but by a later value of the server or a noted decision.
  func checkOwnWrites(_ client: Client) async {
    if service.tier == 0 || choices.restoresBackup || choices.decidesAtRandom { return }
    guard let rows = try? await rows(of: client), let notes = try? await client.store.discardedValues() else { return }
    let values = service.current.values
    let titles = Dictionary(grouping: rows) { $0.title }
    for (each, value) in written where each.client == client.number {
      guard let found = titles[each.title], found.count == 1, !isDoubled(each.title), !revoked.contains(each.title),
        !isOwnDeletion(each)
      else { continue }
      // A creation without a valid answer is here beside the server's record, and stays alone if that is deleted.
      if found[0].name.contains("/-"), service.current.creations[each.title] != nil { continue }
      let seen = found[0].values[each.key] ?? .null
      if seen == value || isNoted(notes, each, value) { continue }
      if let own = values[each.value(value)], let other = values[each.value(seen)], other > own { continue }
      problems.insert("P5: client \(each.client) sees \(each.title).\(each.key) as \(seen) instead of \(value)")
    }
  }

  /// P6: a temporary failure parks nothing.
  func checkParked() async throws {
    for client in clients {
      for entry in try await client.store.failures()
      where entry.error?.contains(SimulatedService.transientMessage) == true {
        problems.insert("P6: client \(client.number) parked \(entry.type) for a temporary failure")
      }
    }
  }

  /// P3 at servers with change times: changes arrive without a comparison of all records.
  func checkFreshness() async throws {
    let server = Dictionary(serverRows().map { ($0.name, $0.text) }) { first, _ in first }
    for client in clients {
      let dirty = Set(try await client.store.outbox().map { "\($0.type)/\($0.identifier)" })
      let own = Dictionary(try await rows(of: client).map { ($0.name, $0.text) }) { first, _ in first }
      for (name, text) in server where !dirty.contains(name) && own[name] != text {
        problems.insert("P3: client \(client.number) missed a change: it has \(own[name] ?? name), the server \(text)")
      }
      for (name, text) in own where service.tier >= 3 && !dirty.contains(name) && server[name] == nil {
        problems.insert("P3: client \(client.number) missed the deletion of \(text)")
      }
    }
  }

  // MARK: At the end

  func checkEnd() async throws {
    for client in clients {
      try await checkOutbox(client)
      try await checkEquality(client)
    }
    try await checkWrites()
    checkServer()
  }

  /// P6: only rejected records, and those that wait for them, are left.
  private func checkOutbox(_ client: Client) async throws {
    let rows = Dictionary(try await rows(of: client).map { ($0.name, $0) }) { first, _ in first }
    let entries = try await client.store.outbox()
    let waiting = Set(
      try await client.store.handle.outbox().entries.map { OutboxEntry.recordIdentifier($0.type, $0.identifier) })
    var held: Set<String> = []
    var groups: Set<String> = []
    for entry in entries where entry.isParked {
      held.insert(OutboxEntry.recordIdentifier(entry.type, entry.identifier))
      groups.formUnion(entry.groups)
      let title = rows[OutboxEntry.recordIdentifier(entry.type, entry.identifier)]?.title ?? ""
      // A server with deletion marks rejects an identifier of a client that is used again. A decision can cause that. A
      // creation whose answer was lost can, too, if its record was hidden, or deleted before the client read it.
      let isUsed =
        (choices.decidesAtRandom || revoked.contains(title) || !entry.unsettled.isEmpty) && service.tier >= 3
        && entry.type == Sticker.typeName && service.current.removedTitles.contains(title)
      if entry.error?.contains("poison") != true, !isUsed {
        problems.insert("P6: client \(client.number) parked \(entry.type) \(entry.identifier): \(entry.error ?? "")")
      }
    }
    var isChanged = true
    while isChanged {
      isChanged = false
      for entry in entries {
        let name = OutboxEntry.recordIdentifier(entry.type, entry.identifier)
        let writer = rows[name]?.values["writer"].flatMap { $0.intValue }.map { "Writer/\($0)" }
        // A deletion waits for the records that reference the deleted one on the server.
        let isReferenced =
          rows[name] == nil
          && entries.contains { other in
            held.contains(OutboxEntry.recordIdentifier(other.type, other.identifier))
              && (other.base?["writer"]?.intValue).map { "Writer/\($0)" } == name
          }
        guard writer.map(held.contains) == true || isReferenced || !groups.isDisjoint(with: entry.groups) else {
          continue
        }
        groups.formUnion(entry.groups)
        if held.insert(name).inserted { isChanged = true }
      }
    }
    for name in waiting.subtracting(held) { problems.insert("P6: client \(client.number) still has \(name)") }
  }

  /// P3 and P7: each client has what the server has, its live models too, and no reference to nothing.
  private func checkEquality(_ client: Client) async throws {
    let dirty = Set(
      try await client.store.handle.outbox().entries.map { OutboxEntry.recordIdentifier($0.type, $0.identifier) })
    let rows = try await rows(of: client)
    let names = Set(rows.map(\.name))
    let own = Set(rows.filter { !dirty.contains($0.name) }.map { "\($0.name) \($0.text)" })
    let server = Set(serverRows().filter { !dirty.contains($0.name) }.map { "\($0.name) \($0.text)" })
    if own != server {
      problems.insert(
        "P3: client \(client.number) has \(own.subtracting(server).sorted()), the server \(server.subtracting(own).sorted())"
      )
    }
    for row in rows {
      guard let writer = row.values["writer"]?.intValue else { continue }
      // A reference of another client to a record whose deletion is not sent yet is cut by the server.
      if !names.contains("Writer/\(writer)"), !dirty.contains("Writer/\(writer)") {
        problems.insert("P7: client \(client.number) has \(row.name) of Writer \(writer), which is not there")
      }
    }
    let live =
      try await live(client.store, Writer.self) + live(client.store, Volume.self) + live(client.store, Sticker.self)
    let stored = rows.map { row in
      "\(row.name) \(["a", "b", "c", "isMarked"].map { key in "\(row.values[key] ?? .null)" })"
    }
    if live.sorted() != stored.sorted() {
      problems.insert("P7: the live models of client \(client.number) are not as stored")
    }
  }

  private func live<M: SimulatedModel>(_ store: Store, _ type: M.Type) async throws -> [String] {
    try await store.list(type).map { model in
      let numbers = [model.a.value, model.b.value, model.c.value].map { $0.map(JSONValue.int) ?? .null }
      let values = (numbers + [model.isMarked.value.map(JSONValue.bool) ?? .null]).map { "\($0)" }
      return "\(M.typeName)/\(model.identifier ?? "") \(values)"
    }
  }

  /// P1, P4 and P5: each acknowledged write is on the server, noted, or visible in the outbox.
  private func checkWrites() async throws {
    let state = service.current
    let titles = Set(serverRows().map(\.title))
    for client in clients {
      let notes = try await client.store.discardedValues()
      let entries = try await client.store.outbox()
      let rows = try await rows(of: client)
      // Another client may have created the record again under another title.
      let visible = Set(
        rows.filter { row in entries.contains { "\($0.type)/\($0.identifier)" == row.name } }
          .flatMap { [$0.title] + formerTitles(of: $0.title) })
      for (each, value) in written where each.client == client.number {
        if state.values[each.value(value)] != nil || isNoted(notes, each, value) || visible.contains(each.title) {
          continue
        }
        // The client itself deleted the record.
        if isOwnDeletion(each) || isUnderFormerTitle(each, value, visible: visible) { continue }
        // Another client created the record again under another title. No value is written twice.
        if state.values.keys.contains(where: { $0.hasSuffix(".\(each.key)=\(value)") }) { continue }
        problems.insert("P1: client \(each.client) lost \(each.title).\(each.key) = \(value)")
      }
      for each in deleted where each.client == client.number && titles.contains(each.title) {
        // A creation that was sent twice has two records, and one that is hidden can't be deleted.
        if isDoubled(each.title) || revoked.contains(each.title) || choices.decidesAtRandom { continue }
        if notes.contains(where: { $0.key == nil && $0.value.isNull }) || !entries.isEmpty { continue }
        if service.tier < 4, state.createdLate.contains(each.title) { continue }
        // Without keys a creation whose answer was lost is found by its values, which others may have changed.
        let isUnknown = deletedUnanswered.contains(each.title) && state.changedTitles.contains(each.title)
        // The server gave the record another identifier, and no value of it identifies the request.
        if service.tier < 4, isUnknown || deletedAgain.contains(each.title) { continue }
        problems.insert("P1: client \(each.client) lost the deletion of \(each.title)")
      }
      if choices.decidesAtRandom || choices.restoresBackup || service.tier == 0 { continue }
      for note in notes {
        guard let key = note.key, ["a", "b", "c"].contains(key),
          let row = rows.first(where: { $0.name == "\(note.type)/\(note.identifier)" })
        else { continue }
        if isDoubled(row.title) || revoked.contains(row.title) { continue }
        if authors(of: row.title, key).subtracting([client.number]).isEmpty {
          problems.insert(
            "P4: client \(client.number) lost \(row.title).\(key) = \(note.value), which no other client wrote")
        }
      }
    }
  }

  /// P2, P7 and P8 at the server.
  private func checkServer() {
    let state = service.current
    for line in state.requestsWithTemporaryIdentifiers { problems.insert("P7: a temporary identifier in \(line)") }
    if choices.restoresBackup { return }
    if service.tier >= 4, !choices.decidesAtRandom {
      for (title, count) in state.creations where count > 1 {
        problems.insert("P2: \(title) was created \(count) times")
      }
      let titles = Set(serverRows().map(\.title))
      for title in state.removedTitles.intersection(titles) {
        problems.insert("P8: \(title) was deleted and is there again")
      }
    }
    if service.tier >= 1, !choices.decidesAtRandom {
      for (value, count) in state.effects where count > 1 && !isDoubled(String(value.prefix { $0 != "." })) {
        problems.insert("P2: \(value) took effect \(count) times")
      }
    }
  }
}
