import Foundation
public import StoreProtocol

extension ModelStoreContract {
  /// Promises of stores whose engine is shared by several store instances.
  ///
  /// ```swift
  /// @Test(arguments: ModelStoreContract.sharedEngineChecks)
  /// func sharesItsEngine(check: ModelStoreContract.SharedEngineCheck) async throws {
  ///   let handle = MemoryModelStore().handle
  ///   try await check.run { MemoryModelStore(handle) }
  /// }
  /// ```
  public static let sharedEngineChecks: [SharedEngineCheck] =
    [
      SharedEngineCheck("store instances in 8 tasks lose none of each other's writes") { makeStore in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<8 {
            group.addTask {
              let instance = try await makeStore()
              for number in 0..<10 {
                let person = ContractPerson.named("Person \(task)-\(number)", age: task)
                try await instance.create(person)
                if number.isMultiple(of: 3) {
                  try await instance.delete(person)
                } else {
                  person.height.value = Double(number)
                  try await instance.update(person)
                }
              }
            }
          }
          try await group.waitForAll()
        }
        let instance = try await makeStore()
        let people = try await instance.list(ContractPerson.self)
        try requireEqual(people.count, 48, "the number of models")
        try requireEqual(Set(people.compactMap(\.identifier)).count, 48, "the number of identifiers")
        let expected = Set((0..<8).flatMap { task in [1, 2, 4, 5, 7, 8].map { "Person \(task)-\($0) \(Double($0))" } })
        let found = Set(people.map { "\($0.name.value ?? "?") \($0.height.value ?? -1)" })
        try requireEqual(found, expected, "what is stored")
      },
      SharedEngineCheck("instances in 8 tasks that change different fields of one model don't undo each other") {
        makeStore in
        let first = try await makeStore()
        let person = ContractPerson.named("Ada", age: 0)
        person.height.value = 0
        let identifier = try await first.create(person).identifier ?? ""
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<8 {
            group.addTask {
              let instance = try await makeStore()
              for round in 1...10 {
                let person = try await instance.lookup(ContractPerson.self, identifier: identifier)
                switch task {
                case 0: person.age.value = round
                case 1: person.height.value = Double(round)
                case 2: person.isActive.value = round.isMultiple(of: 2)
                case 3: person.tags.value = ["\(round)"]
                case 4: person.color.value = ContractColor.allCases[round % 3]
                case 5: person.nickname.value = "\(round)"
                case 6: person.birthday.value = Date(timeIntervalSince1970: 86_400 * Double(round))
                default: person.joined.value = Date(timeIntervalSince1970: Double(round))
                }
                try await instance.update(person)
              }
            }
          }
          try await group.waitForAll()
        }
        let found = try await makeStore().lookup(ContractPerson.self, identifier: identifier)
        try requireEqual(found.age.value, 10, "the age")
        try requireEqual(found.height.value, 10, "the height")
        try requireEqual(found.name.value, "Ada", "the name")
        try requireEqual(found.isActive.value, true, "whether it is active")
        try requireEqual(found.tags.value, ["10"], "the tags")
        try requireEqual(found.color.value, ContractColor.allCases[1], "the color")
        try requireEqual(found.nickname.value, "10", "the nickname")
        try requireEqual(found.birthday.value, Date(timeIntervalSince1970: 864_000), "the birthday")
        try requireEqual(found.joined.value, Date(timeIntervalSince1970: 10), "the date of joining")
      },
      SharedEngineCheck("a write through one store instance is seen by another one when it reads") { makeStore in
        let first = try await makeStore(), second = try await makeStore()
        let person = try await first.create(ContractPerson.named("Ada", age: 36))
        let same = try await second.lookup(ContractPerson.self, identifier: person.identifier ?? "")
        try require(same !== person, "two store instances share an object")
        person.age.value = 37
        try await first.update(person)
        _ = try await second.lookup(ContractPerson.self, identifier: person.identifier ?? "")
        try requireEqual(same.age.value, 37, "the age in the second store instance")
      },
      SharedEngineCheck("another store instance sees a transaction when it is complete, and not before") { makeStore in
        let first = try await makeStore(), second = try await makeStore()
        // Stores that have none promise nothing.
        guard first is any TransactionalModelStore else { return }
        let company = ContractCompany(), person = ContractPerson.named("Ada")
        company.id.value = "acme"
        try await ModelStoreContract.transaction(in: first) { store in
          try await store.create(company)
          try await store.create(person)
          try requireEqual(
            try await second.list(ContractCompany.self).count, 0, "the number of companies before the end")
          try requireEqual(try await second.list(ContractPerson.self).count, 0, "the number of people before the end")
        }
        try requireEqual(try await second.list(ContractCompany.self).count, 1, "the number of companies")
        try requireEqual(try await second.list(ContractPerson.self).count, 1, "the number of people")
      },
      cancellation,
      cancellationTogether,
      cancellingChecks,
      editing, savingDeletedModels, olderValuesDuringSave, revertingDuringSave, refreshingDuringSave,
      linkingDuringCreation,
    ] + transactionsTogether + repeatingTransactions + transactionsBesideTasks + transactionsInTurn
    + outlivingTransactions + readingBesideTransactions + linkingBesideTransactions
    + refreshingBesideTransactions + savingBesideTransactions
    + rollingBackBesideTasks + deletingBesideTasks + savingBesideRollbacks + readingBesideRollbacks + replacingRecords
    + readingOneMoment + embeddedBesideTransactions + isolation + conflicts + deletingElsewhere
    + importingBesideDeletions + readingBesideDeletions + [importingInTransactions] + embeddingTogether
    + transactionIsolation + wholeListsElsewhere + manyToMany
    + oneToOneElsewhere + derivedFields + includingTogether

  /// One promise about several store instances on one engine, as a sentence, and its proof.
  public struct SharedEngineCheck: Sendable, CustomStringConvertible {
    /// The promise.
    public let name: String
    /// The capabilities that a store needs for this.
    public let needs: Set<Capability>
    private let body: @Sendable (@escaping @Sendable () async throws -> any ModelStore) async throws -> Void

    init(
      _ name: String, needs: Set<Capability> = [],
      _ body: @escaping @Sendable (@escaping @Sendable () async throws -> any ModelStore) async throws -> Void
    ) {
      self.name = name
      self.needs = needs
      self.body = body
    }

    /// The promise.
    public var description: String { name }

    /// Puts a store to the check.
    ///
    /// - Parameter makeStore: makes another store instance on the same engine, which is empty at first. It is called in
    ///   several tasks.
    /// - Throws: ``ContractViolation`` if the store breaks the promise, or the errors of the store.
    public func run(_ makeStore: @escaping @Sendable () async throws -> any ModelStore) async throws {
      do {
        try await body(makeStore)
      } catch let violation as ContractViolation {
        throw violation
      } catch {
        throw ContractViolation("\(name): the store threw \(type(of: error)): \(error)")
      }
    }
  }
}
