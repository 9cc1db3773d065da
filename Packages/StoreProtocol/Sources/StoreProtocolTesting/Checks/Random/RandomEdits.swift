import StoreProtocol

extension ModelStoreContract {
  /// Returns a check in which several store instances count in the same records and change other fields of them,
  /// interleaved at random.
  ///
  /// ```swift
  /// @Test(arguments: [1, 2] as [UInt64])
  /// func losesNoIncrement(seed: UInt64) async throws {
  ///   let handle = MemoryModelStore().handle
  ///   try await ModelStoreContract.randomEdits(200, seed: seed).run {
  ///     MemoryModelStore(handle)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: the number of histories.
  ///   - seed: the start of the random numbers. The same seed gives the same histories; a violation names it and lists
  ///     the steps.
  public static func randomEdits(_ count: Int, seed: UInt64) -> SharedEngineCheck {
    SharedEngineCheck("random edits through several store instances lose no increment unless a conflict is reported") {
      makeStore in
      var random = RandomSource(seed: seed)
      for number in 1...max(count, 1) {
        let history = EditHistory(random)
        do {
          try await history.run(makeStore)
        } catch {
          throw ContractViolation(
            "history \(number) of seed \(seed): \(error)\n" + history.steps.joined(separator: "\n"))
        }
        random = history.random
      }
    }
  }
}

/// Three store instances, two records, and an account of the stored values.
private final class EditHistory {
  /// The values of a person that are edited, as text by field.
  typealias Values = [String: String]

  /// A store instance with its models, and the values that these were last read or saved with.
  final class Editor {
    let number: Int
    let store: any ModelStore
    var people: [ContractPerson] = []
    var baselines: [Values] = []

    init(_ number: Int, _ store: any ModelStore) { (self.number, self.store) = (number, store) }
  }

  private struct Refusal: Error {}

  var random: RandomSource
  private(set) var steps: [String] = []
  private var stored: [Values] = []
  private var editors: [Editor] = []
  /// The number of writes of each record.
  private var writes = [0, 0]

  init(_ random: RandomSource) { self.random = random }

  private func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  func run(_ makeStore: () async throws -> any ModelStore) async throws {
    for number in 0..<3 { editors.append(Editor(number, try await makeStore())) }
    for name in ["Ada", "Bob"] {
      let person = try await editors[0].store.create(ContractPerson.named(name, age: 0))
      stored.append(Self.values(of: person))
      for editor in editors {
        let person = try await editor.store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
        editor.people.append(person)
        editor.baselines.append(Self.values(of: person))
      }
    }
    for _ in 0..<30 {
      let editor = editors[below(3)]
      if editor.store is any TransactionalModelStore, below(5) == 0 {
        try await runTransaction(editor)
      } else {
        try await step(editor)
      }
    }
    let last = try await makeStore()
    for number in stored.indices {
      let person = try await last.lookup(ContractPerson.self, identifier: editors[0].people[number].identifier ?? "")
      try requireEqual(Self.values(of: person), stored[number], "what is stored of \(number)")
      try await last.delete(person)
    }
  }

  // MARK: Steps

  private func step(_ editor: Editor) async throws {
    let number = below(2)
    switch below(8) {
    case 0: try await look(editor, number)
    case 1: try await refresh(editor, number)
    case 2, 3: edit(editor, number)
    default:
      edit(editor, number)
      try await save(editor, number)
    }
  }

  private func look(_ editor: Editor, _ number: Int) async throws {
    steps.append("\(editor.number) looks \(number) up")
    let person = editor.people[number]
    let dirty = Self.dirtyKeys(of: person)
    let found = try await editor.store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try require(found === person, "a lookup makes another instance")
    for (key, value) in stored[number] where !dirty.contains(key) { editor.baselines[number][key] = value }
    try requireLocal(editor, number, dirty)
  }

  private func refresh(_ editor: Editor, _ number: Int) async throws {
    steps.append("\(editor.number) refreshes \(number)")
    try await editor.store.refresh(editor.people[number])
    editor.baselines[number] = stored[number]
    try requireLocal(editor, number, [])
  }

  /// Checks that a model has the values that were read, but for local changes.
  private func requireLocal(_ editor: Editor, _ number: Int, _ dirty: Set<String>) throws {
    let person = editor.people[number]
    try requireEqual(Self.dirtyKeys(of: person), dirty, "the dirty fields")
    let values = Self.values(of: person).filter { !dirty.contains($0.key) }
    try requireEqual(values, editor.baselines[number].filter { !dirty.contains($0.key) }, "the values that were read")
  }

  private func edit(_ editor: Editor, _ number: Int) {
    let person = editor.people[number]
    switch below(5) {
    case 0: person.height.value = below(6) == 0 ? nil : Double(below(4))
    case 1: person.tags.value = (0...below(3)).map { "tag \($0)" }
    case 2: person.nickname.value = below(3) == 0 ? nil : "nick \(below(3))"
    default: person.age.value = (person.age.value ?? 0) + 1
    }
    steps.append("\(editor.number) edits \(number): \(Self.dirtyKeys(of: person).sorted()), \(person.age.value ?? -1)")
  }

  private func save(_ editor: Editor, _ number: Int) async throws {
    let person = editor.people[number]
    let dirty = Self.dirtyKeys(of: person)
    if dirty.isEmpty { return }
    let policy = random.pick([ConflictPolicy.merge, .merge, .merge, .fail, .overwrite])
    try await save(editor, number, policy, in: editor.store)
    // A transaction releases its saved models when it ends.
    let written = Self.values(of: person).filter { dirty.contains($0.key) }
    if person.isDirty { return }
    stored[number].merge(written) { $1 }
    editor.baselines[number].merge(written) { $1 }
    writes[number] += 1
  }

  /// Saves, and compares the conflicts with those of the account.
  private func save(
    _ editor: Editor, _ number: Int, _ policy: ConflictPolicy, in store: any ModelStore
  ) async throws {
    let person = editor.people[number]
    let dirty = Self.dirtyKeys(of: person)
    let changed = stored[number].filter { editor.baselines[number][$0.key] != $0.value }
    var expected: Set<String> = []
    if policy != .overwrite {
      expected = Set(changed.keys.filter { policy == .fail || dirty.contains($0) })
    }
    steps.append("\(editor.number) saves \(number) with \(policy): \(dirty.sorted()), conflicts \(expected.sorted())")
    let before = Self.values(of: person)
    do {
      try await store.save(person, onConflict: policy)
      try requireEqual(expected, [], "the conflicts that were not reported")
    } catch let error as ModelStoreError where error.code == .conflict && !error.conflicts.isEmpty {
      try requireEqual(Set(error.conflicts.map(\.key)), expected, "the conflicts")
      try requireEqual(Self.values(of: person), before, "the values after a conflict")
      try requireEqual(Self.dirtyKeys(of: person), dirty, "the dirty fields after a conflict")
    }
  }

  // MARK: Transactions

  private func runTransaction(_ editor: Editor) async throws {
    let (begun, number, other) = (writes, below(2), below(2))
    var readWrites: [Int: Int] = [:]
    let fails = below(5) == 0
    steps.append("\(editor.number) begins a transaction")
    func othersWork() async throws {
      for _ in 0..<below(3) { try await step(editors[(editor.number + 1 + below(2)) % 3]) }
    }
    let person = editor.people[number]
    var saved: Values = [:]
    // A model that a failed transaction edited or saved is read again if others wrote it meanwhile.
    func readAgain() throws {
      let dirty = Self.dirtyKeys(of: person), values = Self.values(of: person)
      if begun[number] != writes[number], stored[number].allSatisfy({ dirty.contains($0) || values[$0] == $1 }) {
        for (key, value) in stored[number] where !dirty.contains(key) { editor.baselines[number][key] = value }
      }
      try requireLocal(editor, number, dirty)
    }
    do {
      try await ModelStoreContract.transaction(in: editor.store) { store in
        try await othersWork()
        for read in Set([number, other]).sorted() {
          try await look(editor, read)
          readWrites[read] = writes[read]
        }
        try await othersWork()
        edit(editor, number)
        let dirty = Self.dirtyKeys(of: person)
        let expected = dirty.filter { editor.baselines[number][$0] != stored[number][$0] }
        try await save(editor, number, .merge, in: store)
        if expected.isEmpty { saved = Self.values(of: person).filter { dirty.contains($0.key) } }
        try await othersWork()
        if fails { throw Refusal() }
      }
    } catch is Refusal {
      steps.append("\(editor.number) rolls it back")
      return try readAgain()
    } catch let error as ModelStoreError where error.code == .conflict {
      steps.append("\(editor.number) has a conflict: \(error.message)")
      // A written record must not have been changed since the transaction began.
      let isStale = readWrites.contains { writes[$0] != $1 } || begun[number] != writes[number]
      try require(isStale, "a transaction conflicts with nothing: \(error)")
      return try readAgain()
    }
    steps.append("\(editor.number) ends it")
    try require(!readWrites.contains { writes[$0] != $1 }, "a transaction is written though what it read was changed")
    if saved.isEmpty { return }
    stored[number].merge(saved) { $1 }
    editor.baselines[number].merge(saved) { $1 }
    writes[number] += 1
    try requireLocal(editor, number, [])
  }

  // MARK: Values

  private static func values(of person: ContractPerson) -> Values {
    [
      "age": "\(person.age.value ?? -1)", "height": "\(person.height.value ?? -1)",
      "tags": "\(person.tags.value ?? [])",
      "names.nick": person.nickname.value ?? "-",
    ]
  }

  private static func dirtyKeys(of person: ContractPerson) -> Set<String> {
    let fields: [AnyField] = [person.age, person.height, person.tags, person.nickname]
    return Set(fields.filter(\.isDirty).compactMap(\.key))
  }
}
