import ModelKit
import Testing

/// A store with linked models, whose values are compared before and after equivalent operations.
final class LinkedWorld {
  let store: any TransactionalModelStore
  private let makeReader: () -> any ModelStore
  private let seed: UInt64
  private var random: SplitMix
  private(set) var nodes: [LinkedNode] = []
  private var log: [String] = []

  init(_ store: any TransactionalModelStore, _ makeReader: @escaping () -> any ModelStore, seed: UInt64) async throws {
    (self.store, self.makeReader, self.seed) = (store, makeReader, seed)
    random = SplitMix(state: seed &* 7919)
    for _ in 0..<4 { nodes.append(try await store.create(LinkedNode())) }
    for _ in 0..<below(4) {
      for _ in 0..<below(6) { edit() }
      try await save()
    }
  }

  func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  func note(_ text: String) { log.append(text) }

  // MARK: Values

  var stored: [LinkedNode] { nodes.filter(\.isPersisted) }
  var lines: Set<String> { Set(stored.flatMap(\.lines)) }

  /// The fields with unsaved changes. A relation that no record has is dirty together with its inverse.
  var dirtyKeys: Set<String> {
    Set(
      stored.flatMap { node in
        node.fields.filter(\.isDirty).compactMap(\.key).filter { !LinkedNode.unstoredKeys.contains($0) }
          .map { "\(node.identifier ?? "").\($0)" }
      })
  }

  /// The records, as another store instance reads them.
  func records() async throws -> Set<String> { Set(try await makeReader().list(LinkedNode.self).flatMap(\.lines)) }

  func require(_ actual: Set<String>, _ expected: Set<String>, _ what: String) throws {
    if actual == expected { return }
    let (missing, surplus) = (expected.subtracting(actual).sorted(), actual.subtracting(expected).sorted())
    let text = (log + ["=> \(what): expected \(missing), found \(surplus)"]).joined(separator: "\n")
    try #require(actual == expected, "seed \(seed)\n\(text)")
  }

  /// Checks the values of the models and those of the records.
  func requireAll(_ expected: Set<String>, _ what: String) async throws {
    try require(lines, expected, what)
    try require(try await records(), expected, "\(what), in the store")
  }

  // MARK: Edits

  func makeEdit() -> LinkedEdit { LinkedEdit(&random, count: stored.count) }

  func edit() { apply(makeEdit()) }

  func apply(_ edit: LinkedEdit) {
    note("\(edit)")
    edit.apply(to: stored[edit.number], stored[edit.other])
  }

  func save() async throws {
    let order = stored.indices.shuffled(using: &random), nodes = stored
    note("save \(order)")
    for index in order { try await store.save(nodes[index]) }
    try require(dirtyKeys, [], "dirty after all models were saved")
    try await requireAll(lines, "saved values")
  }

  func revert() {
    let order = stored.indices.shuffled(using: &random)
    note("revert \(order)")
    for index in order { stored[index].revert() }
  }

  func refresh() async throws {
    note("refresh")
    for _ in 0..<2 { for node in stored.shuffled(using: &random) { try await store.refresh(node) } }
  }

  func delete() async throws {
    let index = below(stored.count)
    note("delete \(index)")
    try await store.delete(stored[index])
  }

  /// Creates one to three models with links.
  func create() async throws {
    let new = (0...below(3)).map { _ in LinkedNode() }
    note("create \(new.count)")
    let candidates = stored + new
    for _ in 0..<below(6) {
      let edit = LinkedEdit(&random, count: candidates.count)
      note("new \(edit)")
      edit.apply(to: new[edit.number % new.count], candidates[edit.other])
    }
    nodes += new
    for node in new where !node.isPersisted { try await store.save(node, including: .related) }
    try await save()
  }

  /// Edits and saves models, even in transactions inside that commit or fail.
  func act(depth: Int = 0) async throws {
    for _ in 0...below(4) {
      switch below(depth < 2 ? 8 : 6) {
      case 0, 1:
        let node = stored[below(stored.count)]
        note("save \(node.identifier ?? "")")
        try await store.save(node)
      case 6: try await transaction { try await self.act(depth: depth + 1) }
      case 7: try await fail(depth: depth + 1)
      default: edit()
      }
    }
  }

  /// Runs a transaction that fails, and checks that nothing remains of it.
  func fail(depth: Int = 0) async throws {
    struct Refusal: Error {}
    let (lines, dirtyKeys) = (lines, dirtyKeys), records = depth == 0 ? try await records() : []
    do {
      try await transaction {
        try await self.act(depth: depth)
        throw Refusal()
      }
    } catch is Refusal {}
    try require(self.lines, lines, "values after a failed transaction")
    try require(self.dirtyKeys, dirtyKeys, "dirty after a failed transaction")
    if depth == 0 { try require(try await self.records(), records, "records after a failed transaction") }
  }

  func transaction(_ body: () async throws -> Void) async throws {
    func run<Store: TransactionalModelStore>(_ store: Store) async throws {
      note("transaction")
      try await store.transaction { _ in try await body() }
      note("end")
    }
    try await run(store)
  }
}
