@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  static let cancellation = SharedEngineCheck("a task that is cancelled at any suspension point leaves the store valid")
  {
    makeStore in
    var step = 0
    while true {
      let name = "\(step)"
      let acknowledged = Lock(0)
      let wasCancelled = try await SteppingExecutor.run(cancellingBefore: step) {
        try await work(makeStore(), name) { acknowledged.withLock { $0 += 1 } }
      }
      let done = acknowledged.withLock { $0 }
      let instance = try await makeStore()
      let people = try await instance.list(ContractPerson.self).filter { $0.name.value?.hasPrefix("\(name)-") == true }
      let found = people.map { "\($0.name.value ?? "?") \($0.age.value ?? -1)" }
      // A write in progress may be done or not, but not partially.
      let possible = outcomes(name)[done...].prefix(2)
      try require(
        possible.contains(found), "cancelled before piece \(step), after \(done) steps, the store has \(found)")
      try requireEqual(
        try await instance.identifiers(ModelQuery(ContractPerson.self)),
        try await instance.list(ContractPerson.self).compactMap(\.identifier), "the identifiers")
      for person in people { try await instance.delete(person) }
      if !wasCancelled {
        try requireEqual(done, 4, "the number of steps without cancellation")
        return
      }
      step += 1
      try require(step < 1_000, "the task has more than 1,000 suspension points")
    }
  }

  private static func work(_ instance: any ModelStore, _ name: String, _ acknowledge: () -> Void) async throws {
    let first = ContractPerson.named("\(name)-a", age: 1)
    try await instance.create(first)
    acknowledge()
    first.age.value = 2
    try await instance.update(first)
    acknowledge()
    try await instance.create(ContractPerson.named("\(name)-b", age: 3))
    acknowledge()
    try await instance.delete(first)
    acknowledge()
  }

  /// Returns the stored names after each step.
  private static func outcomes(_ name: String) -> [[String]] {
    [[], ["\(name)-a 1"], ["\(name)-a 2"], ["\(name)-a 2", "\(name)-b 3"], ["\(name)-b 3"]]
  }

  static let cancellationTogether = SharedEngineCheck(
    "a batch and a transaction that are cancelled at any suspension point are written completely or not at all"
  ) { makeStore in
    var step = 0
    while true {
      let name = "\(step)"
      let acknowledged = Lock(0)
      let wasCancelled = try await SteppingExecutor.run(cancellingBefore: step) {
        try await workTogether(makeStore(), name) { acknowledged.withLock { $0 += 1 } }
      }
      let done = acknowledged.withLock { $0 }
      let instance = try await makeStore()
      let people = try await instance.list(ContractPerson.self).filter { $0.name.value?.hasPrefix("\(name)-") == true }
      let found = people.map { "\($0.name.value ?? "?") \($0.age.value ?? -1)" }
      let hasTransactions = instance is any TransactionalModelStore
      let possible = outcomesTogether(name)[done...].prefix(2)
      try require(
        possible.contains(found), "cancelled before piece \(step), after \(done) steps, the store has \(found)")
      if hasTransactions {
        let companies = try await instance.list(ContractCompany.self).compactMap(\.id.value).contains(name)
        try requireEqual(companies, found == outcomesTogether(name).last, "whether the company was written")
      }
      for person in people { try await instance.delete(person) }
      if !wasCancelled {
        try requireEqual(done, hasTransactions ? 2 : 1, "the number of steps without cancellation")
        return
      }
      step += 1
      try require(step < 1_000, "the task has more than 1,000 suspension points")
    }
  }

  private static func workTogether(_ instance: any ModelStore, _ name: String, _ acknowledge: () -> Void) async throws {
    let people = ["a", "b", "c"].map { ContractPerson.named("\(name)-\($0)", age: 1) }
    try await instance.createAll(people)
    acknowledge()
    guard instance is any TransactionalModelStore else { return }
    try await transaction(in: instance) { store in
      let company = ContractCompany()
      company.id.value = name
      try await store.create(company)
      people[0].age.value = 2
      people[0].company.value = company
      try await store.update(people[0])
      try await store.delete(people[1])
      try await store.create(ContractPerson.named("\(name)-d", age: 3))
    }
    acknowledge()
  }

  private static func outcomesTogether(_ name: String) -> [[String]] {
    [
      [], ["\(name)-a 1", "\(name)-b 1", "\(name)-c 1"], ["\(name)-a 2", "\(name)-c 1", "\(name)-d 3"],
    ]
  }
}
