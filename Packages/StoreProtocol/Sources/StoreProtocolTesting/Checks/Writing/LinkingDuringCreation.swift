import StoreProtocol

extension ModelStoreContract {
  static let linkingDuringCreation = SharedEngineCheck(
    "a link that changes while its new model is created is clean only if it is stored, at any suspension point"
  ) { makeStore in
    for isInverse in [false, true] { try await movingDuringCreation(makeStore, isInverse: isInverse) }
  }

  /// Creates a person in one task, and moves it before each job of it.
  private static func movingDuringCreation(
    _ makeStore: @escaping @Sendable () async throws -> any ModelStore, isInverse: Bool
  ) async throws {
    for step in 0..<1_000 {
      let moved = Moved(isInverse: isInverse)
      let name = "step \(step), inverse \(isInverse)"
      let wasMoved = try await SteppingExecutor.run(doing: { moved.move() }, before: step) {
        let instance = try await makeStore()
        let (old, new) = (ContractCompany(), ContractCompany())
        (old.id.value, new.id.value) = ("old, \(name)", "new, \(name)")
        for company in [old, new] { try await instance.create(company) }
        let person = ContractPerson.named(name)
        person.company.value = old
        moved.begin(with: person, to: new)
        try await instance.create(person)
        moved.instance = instance
      }
      try await moved.check(makeStore(), name)
      if !wasMoved { return }
    }
    throw ContractViolation("the task has more than 1,000 suspension points")
  }

  /// The model that is created in one task and moved between two jobs of it.
  private final class Moved: @unchecked Sendable {
    // Sendable is proven by the order: the task and the move are jobs on one serial queue, and the check comes after
    // both have ended.
    private var person: ContractPerson?
    private var company: ContractCompany?
    private let isInverse: Bool
    var instance: (any ModelStore)?

    init(isInverse: Bool) { self.isInverse = isInverse }

    func begin(with person: ContractPerson, to company: ContractCompany) {
      (self.person, self.company) = (person, company)
    }

    func move() {
      guard let person, let company else { return }
      if isInverse { company.employees.add(person) } else { person.company.value = company }
    }

    func check(_ other: any ModelStore, _ name: String) async throws {
      guard let person, let instance else { throw ContractViolation("\(name): the task did not come to its end") }
      let stored = try await other.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      for moment in ["after the creation", "after a revert"] {
        let isStored = person.company.value?.identifier == stored.company.value?.identifier
        try require(person.company.isDirty || isStored, "\(name): the company is clean, and not stored, \(moment)")
        person.revert()
      }
      try await instance.save(person)
      _ = try await other.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(
        stored.company.value?.identifier, person.company.value?.identifier, "\(name): the stored company after a save")
      try require(!person.isDirty, "\(name): the person is still dirty")
    }
  }
}
