@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Reads and reverts while another task deletes one of the models.
  static let readingBesideDeletions: [SharedEngineCheck] = [
    SharedEngineCheck("a read beside a deletion makes no other object of the deleted record") { makeStore in
      for reading in Reading.allCases {
        for delay in 0..<30 { try await read(reading, besideDeletionAfter: delay, makeStore) }
      }
    },
    SharedEngineCheck("an object that a read beside a deletion in a transaction made is deleted by the commit") {
      makeStore in
      for fails in [false, true] { try await readingBeforeCommit(fails: fails, makeStore) }
    },
    SharedEngineCheck("a model that is reverted or refreshed during its deletion is in no list") { makeStore in
      for isRefresh in [false, true] {
        for delay in 0..<30 { try await reverting(isRefresh: isRefresh, besideDeletionAfter: delay, makeStore) }
      }
    },
    SharedEngineCheck("a read beside a deletion restores no link to the deleted model") { makeStore in
      for reading in Reading.allCases where reading != .members {
        for delay in 0..<30 { try await read(reading, besideDeletionOfCompanyAfter: delay, makeStore) }
      }
    },
    SharedEngineCheck("a stream that has begun before a deletion has no values of the deleted record") { makeStore in
      for inTransaction in [false, true] {
        for createsAgain in [false, true] { try await streaming(makeStore, inTransaction, createsAgain) }
      }
    },
    SharedEngineCheck(
      "a stream that has begun before a deletion reads the record of an unloaded reference again",
      needs: [.queries, .anyModels]
    ) { makeStore in
      for isEarlier in [true, false] { try await streamingReference(makeStore, isEarlier) }
    },
    SharedEngineCheck("a model whose creation is undone beside a refresh of it can be created again by a redo") {
      makeStore in
      for delay in 0..<20 { try await undoingCreation(besideRefreshAfter: delay, makeStore) }
    },
  ]

  private enum Reading: CaseIterable {
    case list, lookup, page, members, stream
  }

  private struct Refusal: Error {}

  /// - Parameter delay: the suspensions of the task that deletes.
  @MainActor private static func read(
    _ reading: Reading, besideDeletionAfter delay: Int, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    let company = ContractCompany.named("Acme")
    company.id.value = "acme"
    try await store.create(company)
    let person = ContractPerson.named("Ada", age: 1), other = ContractPerson.named("Bob", age: 2)
    for each in [person, other] {
      each.company.value = company
      try await store.create(each)
    }
    let identifier = person.identifier ?? ""
    let deletion = task {
      for _ in 0..<delay { await Task.yield() }
      try await store.delete(person)
    }
    let found = try await people(reading, of: company, identifier, in: store)
    try await deletion.value
    let what = "(\(reading), deleted after \(delay) suspensions)"
    for each in found where each.identifier == identifier {
      try require(!each.isPersisted, "an object of the deleted record is persisted \(what)")
    }
    try require(!person.isPersisted, "the deleted person is persisted \(what)")
    let live = store.scope.liveModel(ContractPerson.self, identifier: identifier)
    try require(live?.isPersisted != true, "a live object of the deleted record is persisted \(what)")
    try requireEqual(
      company.employees.value.map { $0.contains { $0.identifier == identifier } } ?? false, false,
      "whether the employees have an object of the deleted record \(what)")
    try require(!company.isDirty && !other.isDirty, "the others are dirty \(what)")
    try await store.delete(other)
    try await store.delete(company)
  }

  @MainActor private static func people(
    _ reading: Reading, of company: ContractCompany, _ identifier: String, in store: any ModelStore
  ) async throws -> [ContractPerson] {
    switch reading {
    case .list: return try await store.list(ContractPerson.self)
    case .lookup:
      do {
        return [try await store.lookup(ContractPerson.self, identifier: identifier)]
      } catch let error as ModelStoreError where error.code == .notFound {
        return []
      }
    case .page: return try await store.page(ModelQuery(ContractPerson.self), after: nil).models
    case .members: return try await store.list(in: company.employees)
    case .stream:
      var found: [ContractPerson] = []
      for try await person in store.stream(ContractPerson.self) { found.append(person) }
      return found
    }
  }

  @MainActor private static func readingBeforeCommit(
    fails: Bool, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let company = ContractCompany.named("Acme")
    company.id.value = "acme \(fails)"
    try await store.create(company)
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = company
    try await store.create(person)
    let identifier = person.identifier ?? ""
    var found: [ContractPerson] = []
    do {
      try await transaction(in: store) { store in
        try await store.delete(person)
        try await beside(store) { found = try await $0.list(ContractPerson.self) }
        if fails { throw Refusal() }
      }
    } catch is Refusal {}
    let persisted = Set([person] + found).filter(\.isPersisted)
    try requireEqual(persisted, fails ? [person] : [], "the objects of the record that are persisted")
    let live = store.scope.liveModel(ContractPerson.self, identifier: identifier)
    try require(live == (fails ? person : nil), "the live object of the record is another one")
    try requireEqual(company.employees.value ?? [], fails ? [person] : [], "the employees, fails: \(fails)")
    try requireEqual(company.isDirty, false, "whether the company is dirty, fails: \(fails)")
    let employees = try await store.list(in: company.employees)
    try requireEqual(employees, fails ? [person] : [], "the employees that are read, fails: \(fails)")
    if fails { try await store.delete(person) }
    try await store.delete(company)
  }

  /// - Parameter delay: the suspensions of the task that deletes.
  @MainActor private static func reverting(
    isRefresh: Bool, besideDeletionAfter delay: Int, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    let (old, new) = (ContractCompany.named("Old"), ContractCompany.named("New"))
    (old.id.value, new.id.value) = ("old", "new")
    for company in [old, new] { try await store.create(company) }
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = old
    try await store.create(person)
    _ = try await store.list(in: old.employees)
    person.company.value = new
    let revert = task {
      for _ in 0..<delay { await Task.yield() }
      // Later it is a new model, whose links are edits.
      if !person.isPersisted { return }
      if isRefresh { _ = try? await store.refresh(person) } else { person.revert() }
    }
    try await store.delete(person)
    try await revert.value
    let what = "(refresh: \(isRefresh), after \(delay) suspensions)"
    try require(!person.isPersisted, "the deleted person is persisted \(what)")
    for company in [old, new] {
      let isMember = company.employees.value?.contains(person) == true
      try require(!isMember, "the employees of \(company.identifier ?? "") have the deleted person \(what)")
      try require(!company.isDirty, "\(company.identifier ?? "") is dirty \(what)")
    }
    for company in [old, new] { try await store.delete(company) }
  }

  /// - Parameter delay: the suspensions of the task that deletes the company.
  @MainActor private static func read(
    _ reading: Reading, besideDeletionOfCompanyAfter delay: Int, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    let company = ContractCompany.named("Acme")
    company.id.value = "acme"
    try await store.create(company)
    let person = ContractPerson.named("Ada", age: 1), other = ContractPerson.named("Bob", age: 2)
    for each in [person, other] {
      each.company.value = company
      try await store.create(each)
    }
    let deletion = task {
      for _ in 0..<delay { await Task.yield() }
      try await store.delete(company)
    }
    var found = try await people(reading, of: company, person.identifier ?? "", in: store)
    try await deletion.value
    found += [person, other]
    let what = "(\(reading), deleted after \(delay) suspensions)"
    for each in found {
      try require(each.company.value == nil && !each.company.isDirty, "a person has the deleted company \(what)")
    }
    for each in [person, other] { try await store.delete(each) }
  }

  @MainActor private static func streaming(
    _ makeStore: () async throws -> any ModelStore, _ inTransaction: Bool, _ createsAgain: Bool
  ) async throws {
    let store = try await makeStore()
    let people = ["Ada", "Bob"].map { ContractPerson.named($0, age: 1) }
    for (index, person) in people.enumerated() {
      person.id.value = 100 + index
      try await store.create(person)
    }
    let new = ContractPerson.named("Bob", age: 2)
    new.id.value = 101
    var found: [ContractPerson] = []
    let body: @MainActor @Sendable (any ModelStore) async throws -> Void = { store in
      for try await person in store.stream(ContractPerson.self) {
        found.append(person)
        guard person === people[0] else { continue }
        try await store.delete(people[1])
        if createsAgain { try await store.create(new) }
      }
    }
    if inTransaction {
      guard store is any TransactionalModelStore else { return }
      try await transaction(in: store) { store in try await body(store) }
    } else {
      try await body(store)
    }
    let what = "(in a transaction: \(inTransaction), created again: \(createsAgain))"
    try require(!people[1].isPersisted, "the deleted model is persisted \(what)")
    for each in found where each !== people[0] && each !== people[1] {
      try require(createsAgain && each === new, "the stream has made another object of the deleted record \(what)")
    }
    let live = store.scope.liveModel(ContractPerson.self, identifier: "101")
    try require(live === (createsAgain ? new : nil), "the live model of the identifier is another one \(what)")
    if createsAgain {
      try require(new.age.value == 2 && !new.isDirty, "the new model has values of the deleted record \(what)")
      try await store.delete(new)
    }
    try await store.delete(people[0])
  }

  /// - Parameter isEarlier: whether the reference is read before the deletion.
  @MainActor private static func streamingReference(
    _ makeStore: () async throws -> any ModelStore, _ isEarlier: Bool
  ) async throws {
    let other = try await makeStore()
    let friends = ["Ada", "Bob", "Cleo", "Dora"].map { name in
      let friend = ContractFriend()
      friend.name.value = name
      return friend
    }
    for friend in friends { try await other.create(friend) }
    // The record of Bob has a link to Cleo, who is deleted, and that of Dora one to Bob.
    friends[1].friends.value = [friends[2]]
    friends[3].friends.value = [friends[1]]
    for friend in friends { try await other.save(friend) }
    let identifiers = friends.compactMap(\.identifier)
    let store = try await makeStore()
    let deleted = try await store.lookup(ContractFriend.self, identifier: identifiers[2])
    var dora: ContractFriend?
    if isEarlier { dora = try await store.lookup(ContractFriend.self, identifier: identifiers[3]) }
    var found: [ContractFriend] = []
    for try await friend in store.stream(ContractFriend.self) {
      found.append(friend)
      guard found.count == 1 else { continue }
      try await store.delete(deleted)
      if !isEarlier { dora = try await store.lookup(ContractFriend.self, identifier: identifiers[3]) }
    }
    let what = "(the reference is read before the deletion: \(isEarlier))"
    let bob = found.first { $0.identifier == identifiers[1] }
    try require(bob != nil && bob === dora?.friends.value?.first, "the stream has another object of Bob \(what)")
    try requireEqual(bob?.name.value, "Bob", "the name \(what)")
    try requireEqual(bob?.friends.value?.count, 0, "the friends of Bob \(what)")
    try requireEqual(bob?.isDirty, false, "whether Bob is dirty \(what)")
    for friend in found where friend.isPersisted { try await store.delete(friend) }
  }

  /// - Parameter delay: the suspensions of the task that refreshes.
  @MainActor private static func undoingCreation(
    besideRefreshAfter delay: Int, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    let company = ContractCompany.named("Acme")
    company.id.value = "acme-\(delay)"
    try await store.create(company)
    let undo = ModelUndo(store.scope)
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = company
    try await store.create(person)
    let changes = try undo.undo()
    let refresh = task {
      for _ in 0..<delay { await Task.yield() }
      // It may find no record any more.
      _ = try? await store.refresh(person)
    }
    try await store.save(changes)
    try await refresh.value
    let what = "(refreshed after \(delay) suspensions)"
    try require(!person.isPersisted, "the person is persisted \(what)")
    try require(!(company.employees.value ?? []).contains(person), "the person is an employee \(what)")
    try require(!undo.canUndo && undo.canRedo, "the cut of the link is a step of its own \(what)")
    try await store.save(undo.redo())
    try require(person.isPersisted && person.company.value === company, "the redo creates no employee \(what)")
    try requireEqual(
      try await store.count(ContractPerson.self, where: { $0.company == company }), 1, "the employees \(what)")
  }

  @MainActor private static func task(
    _ body: @escaping @MainActor () async throws -> Void
  ) -> Task<Void, any Error> { Task { try await body() } }
}
