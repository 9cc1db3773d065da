@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Transactions of several tasks that wait for each other.
  static let transactionsInTurn: [SharedEngineCheck] = [
    SharedEngineCheck("a loop of transactions lets the other tasks of its store instance begin theirs") { makeStore in
      try await lettingOthersBegin(makeStore) { store in
        try await transaction(in: store) { store in try await store.create(ContractPerson.named("Grace")) }
      }
      try await lettingOthersBegin(makeStore) { store in
        for company in try await store.list(ContractCompany.self) { try await store.delete(company) }
      }
    },
    SharedEngineCheck("a task that is cancelled while it waits for a transaction ends before it, and begins none") {
      makeStore in
      try await cancellingWaitingTask(makeStore)
    },
    SharedEngineCheck("one of several deadlocked transactions of store instances reports a conflict") {
      makeStore in
      for count in 2...4 {
        try await waitingInRing(of: count, makeStore) { store, name in
          try await transaction(in: store) { store in try await store.create(ContractPerson.named(name)) }
        }
      }
    },
    SharedEngineCheck("transactions inside another one run one after the other") { makeStore in
      for saves in [false, true] {
        for failing in [[1], [2], [1, 2]] { try await nestingInTurn(makeStore, saves, failing) }
      }
    },
    SharedEngineCheck("a deletion inside a transaction does not wait for one that waits for the transaction") {
      makeStore in
      try await waitingInRing(of: 2, makeStore) { store, name in
        let person = try await store.create(ContractPerson.named("gone"))
        try await store.delete(person)
        try await store.create(ContractPerson.named(name))
      }
    },
  ]

  /// Runs one transaction after the other until another task has done something.
  @MainActor private static func lettingOthersBegin(
    _ makeStore: () async throws -> any ModelStore,
    _ other: @escaping @MainActor @Sendable (any ModelStore) async throws -> Void
  ) async throws {
    let store = try await makeStore()
    // Stores that have none promise nothing.
    guard store is any TransactionalModelStore else { return }
    let company = ContractCompany(), person = ContractPerson.named("Ada", age: 0)
    company.id.value = "acme"
    try await store.create(company)
    try await store.create(person)
    var count = 0
    var isDone = false
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task { @MainActor in
      defer { isDone = true }
      for await _ in begun {}
      try await other(store)
    }
    while !isDone, count < 200 {
      try await transaction(in: store) { store in
        begin.finish()
        await Task.yield()
        person.age.value = count
        try await store.save(person)
      }
      count += 1
    }
    try await task.value
    try require(count < 100, "\(count) transactions ended before another task had its turn")
    for person in try await store.list(ContractPerson.self) { try await store.delete(person) }
    for company in try await store.list(ContractCompany.self) { try await store.delete(company) }
  }

  /// Edits one field in transactions of two tasks inside another one.
  ///
  /// - Parameters:
  ///   - saves: whether they save their edits.
  ///   - failing: those that fail.
  @MainActor private static func nestingInTurn(
    _ makeStore: () async throws -> any ModelStore, _ saves: Bool, _ failing: [Int]
  ) async throws {
    struct Refusal: Error {}
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "saves: \(saves), failing: \(failing)"
    let person = try await store.create(ContractPerson.named("Ada", age: 0))
    let expected = [2, 1, 0].first { !failing.contains($0) }
    try await transaction(in: store) { store in
      var isInside = false
      let tasks = (1...2).map { number in
        Task { @MainActor in
          try await transaction(in: store) { store in
            try require(!isInside, "two nested transactions run at once, \(place)")
            isInside = true
            defer { isInside = false }
            person.age.value = number
            if saves { try await store.save(person) }
            for _ in 0..<3 { await Task.yield() }
            if failing.contains(number) { throw Refusal() }
          }
        }
      }
      for task in tasks {
        do { try await task.value } catch is Refusal {}
      }
      try requireEqual(person.age.value, expected, "the age after the nested transactions, \(place)")
      try await store.save(person)
    }
    try require(!person.isDirty, "the person is dirty, \(place)")
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, expected, "the stored age, \(place)")
  }

  /// Cancels a task that waits for a transaction, while another one waits behind it.
  @MainActor private static func cancellingWaitingTask(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    var isInside = false
    let (waiting, wait) = AsyncStream.makeStream(of: Void.self)
    let gates = ["Bob", "Cleo"].map { ($0, AsyncStream.makeStream(of: Void.self)) }
    let tasks = gates.map { name, gate in
      Task { @MainActor in
        for await _ in gate.stream {}
        wait.yield()
        try await transaction(in: store) { store in
          try require(!isInside, "two transactions run at once")
          try await store.create(ContractPerson.named(name))
        }
      }
    }
    try await transaction(in: store) { store in
      isInside = true
      for (_, gate) in gates {
        gate.continuation.finish()
        for await _ in waiting { break }
      }
      tasks[0].cancel()
      do {
        try await tasks[0].value
        throw ContractViolation("a task that was cancelled while it waited throws nothing")
      } catch let error as ModelStoreError where error.code == .cancelled {}
      for _ in 0..<10 { await Task.yield() }
      try await store.create(ContractPerson.named("Ada"))
      isInside = false
    }
    try await tasks[1].value
    try requireEqual(try await store.list(ContractPerson.self).map(\.name.value), ["Ada", "Cleo"], "what is stored")
  }

  /// Begins a transaction in each of several store instances, and in each something in the next instance once all have
  /// begun. A transaction that reports a conflict is repeated.
  @MainActor private static func waitingInRing(
    of count: Int, _ makeStore: () async throws -> any ModelStore,
    _ inside: @escaping @MainActor @Sendable (any ModelStore, String) async throws -> Void
  ) async throws {
    var stores: [any ModelStore] = []
    for _ in 0..<count { stores.append(try await makeStore()) }
    guard stores[0] is any TransactionalModelStore else { return }
    let names = (0..<count).map { "ring \(count) person \($0)" }
    var begun = 0
    var conflicts = 0
    let gates = (0..<count).map { _ in AsyncStream.makeStream(of: Void.self) }
    let tasks = (0..<count).map { number in
      let (store, next) = (stores[number], stores[(number + 1) % count])
      return Task { @MainActor in
        while true {
          do {
            return try await transaction(in: store) { _ in
              begun += 1
              if begun == count { for gate in gates { gate.continuation.finish() } }
              for await _ in gates[number].stream {}
              try await inside(next, names[number])
            }
          } catch let error as ModelStoreError where error.code == .conflict {
            conflicts += 1
            try require(conflicts < 10, "the repetition of a transaction reports a conflict again")
          }
        }
      }
    }
    for task in tasks { try await task.value }
    try require(conflicts < 2, "\(conflicts) transactions report a conflict")
    let stored = try await makeStore().list(ContractPerson.self).compactMap(\.name.value)
    try requireEqual(stored.filter(names.contains).sorted(), names, "what is stored")
  }
}
