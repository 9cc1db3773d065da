import FieldKit

@testable import SyncStore

/// A random history of some clients and one server, and the promises that hold after its faults have ended.
struct Simulation {
  private struct Written: Hashable {
    var client: Int
    var name: String
    var key: String
  }

  private(set) var network: SimulatedNetwork
  private var clients: [SimulatedClient]
  /// The last value that a client wrote to a member, and that was acknowledged.
  private var written: [Written: JSONValue] = [:]
  private var deleted: Set<Written> = []
  private var count = 0
  private var backup: SimulatedServer.State?
  private var wasRestored = false
  /// The sentences that are not true.
  private(set) var problems: [String] = []

  init(tier: Int, seed: UInt64, skew: Int = 0, mutant: Mutant? = nil) {
    network = SimulatedNetwork(tier: tier, seed: seed &* 7 &+ UInt64(tier))
    let number = 2 + network.random.below(3)
    clients = (0..<number).map { SimulatedClient(number: $0, skew: ($0 % 2 == 0 ? skew : -skew)) }
    for index in clients.indices { clients[index].mutant = mutant }
  }

  /// The records of the server at the end, for comparisons.
  var outcome: [String: AttributeDictionary] { network.server.state.records }

  mutating func run(operations: Int, restoresBackup: Bool = false) {
    for step in 0..<operations {
      network.time += network.random.below(30)
      let index = network.random.below(clients.count)
      switch network.random.below(10) {
      case 0...5: edit(index)
      case 6...8: try? clients[index].sync(&network)
      default: network.deliver()
      }
      if restoresBackup, step == operations / 3 { backup = network.server.state }
      if restoresBackup, step == operations * 2 / 3, let backup {
        network.server.restore(backup)
        wasRestored = true
        // What the server had acknowledged is gone with the backup.
        (written, deleted) = ([:], [])
      }
    }
    network.deliverAll()
    network.hasFaults = false
    for index in clients.indices { clients[index].unpark() }
    for _ in 0..<20 {
      network.time += 400_000
      for index in clients.indices { try? clients[index].sync(&network) }
    }
    check()
  }

  private mutating func edit(_ index: Int) {
    let records = clients[index].durable.records
    let names = records.keys.sorted()
    var writes: [(name: String, record: AttributeDictionary?)] = []
    for _ in 0..<(network.random.below(4) == 0 ? 3 : 1) {
      count += 1
      let isUsed = { (name: String) in writes.contains { $0.name == name } }
      if names.isEmpty || network.random.below(3) == 0 {
        var record: AttributeDictionary = ["a": .int(count), "b": .int(count)]
        if !names.isEmpty, network.random.below(2) == 0 {
          let parent = names[network.random.below(names.count)]
          if !isUsed(parent) { record["parent"] = .string(parent) }
        }
        if let last = writes.last, last.record != nil, network.random.below(2) == 0 {
          record["parent"] = .string(last.name)
        }
        if network.random.below(40) == 0 { record["note"] = "poison" }
        writes.append(("\(index)-\(count)", record))
      } else {
        let name = names[network.random.below(names.count)]
        if isUsed(name) { continue }
        if network.random.below(8) == 0 {
          writes.append((name, nil))
          // As delete rules do: the references to a deleted record are cut with it.
          for (child, record) in records.sorted(by: { $0.key < $1.key })
          where record["parent"] == .string(name) && !isUsed(child) {
            writes.insert((child, record.filter { $0.key != "parent" }), at: 0)
          }
        } else if var record = records[name] {
          record[["a", "b", "c"][network.random.below(3)]] = .int(count)
          writes.append((name, record))
        }
      }
    }
    do {
      try clients[index].write(writes, &network)
    } catch {
      // The process was killed before or after the commit. Only the state tells.
      if writes.contains(where: { clients[index].durable.records[$0.name] != $0.record }) { return }
    }
    for (name, record) in writes {
      if let record {
        for key in RecordMerge.changes(from: records[name] ?? [:], to: record) where key != "parent" {
          written[Written(client: index, name: name, key: key)] = record[key]
        }
      } else {
        deleted.insert(Written(client: index, name: name, key: ""))
      }
    }
  }

  // MARK: The promises

  private mutating func check() {
    let server = network.server
    for client in clients {
      let durable = client.durable
      if !durable.schedule.ready.isEmpty {
        problems.append("P6: client \(client.number) still has \(durable.schedule.ready)")
      }
      for name in Set(durable.records.keys).union(server.state.records.keys).sorted() {
        if durable.entry(name) != nil { continue }
        if !RecordMerge.areEqual(durable.records[name], server.state.records[name]) {
          problems.append(
            """
            P3: client \(client.number) has \(name) as \(durable.records[name] ?? [:]), \
            the server as \(server.state.records[name] ?? [:])
            """)
        }
      }
    }
    checkWrites()
    for (key, effects) in server.effects where server.hasKeys && effects > 1 && !wasRestored {
      problems.append("P2: request \(key) took effect \(effects) times")
    }
    for name in server.state.records.keys
    where server.hasTombstones && !wasRestored && server.state.tombstones.contains(name) {
      problems.append("P8: \(name) was deleted and is there again")
    }
    problems.sort()
  }

  private mutating func checkWrites() {
    for (each, value) in written {
      let durable = clients[each.client].durable
      let name = each.name
      let isDeleted = deleted.contains(Written(client: each.client, name: name, key: ""))
      let isNoted = durable.discarded.contains { noted in
        noted.name == name
          && (noted.value.key == each.key && noted.value.value == value
            || noted.value.key == nil && noted.value.value.objectValue?[each.key] == value)
      }
      if isDeleted || isNoted || durable.entry(name) != nil || network.server.had(value, each.key, of: name) {
        continue
      }
      problems.append("P1: client \(each.client) lost \(name).\(each.key) = \(value)")
    }
    // A backup has no tombstone of a record that came after it, so a resent creation brings it back.
    for each in deleted where !wasRestored {
      // A server without tombstones lets a record be created again, and one without keys lets a late request do so.
      if !network.server.hasTombstones, network.server.recreated.contains(each.name) { continue }
      if !network.server.hasKeys, network.createdLate.contains(each.name) { continue }
      let durable = clients[each.client].durable
      let isNoted = durable.discarded.contains { $0.name == each.name && $0.value.key == nil }
      if isNoted || durable.entry(each.name) != nil || network.server.state.records[each.name] == nil { continue }
      problems.append("P1: client \(each.client) lost the deletion of \(each.name)")
    }
  }
}
