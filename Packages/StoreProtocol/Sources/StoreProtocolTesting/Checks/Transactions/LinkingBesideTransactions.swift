@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Changes of lists and links by other tasks beside an open transaction of the same store instance that edits them.
  static let linkingBesideTransactions: [SharedEngineCheck] = [
    SharedEngineCheck("a new member of a failed transaction leaves a list that another task changed meanwhile") {
      makeStore in
      for isHeld in [false, true] {
        for editsAgain in [false, true] {
          for hasHistory in [false, true] {
            try await changingListOfNewMember(
              makeStore, isHeld: isHeld, editsAgain: editsAgain, hasHistory: hasHistory)
          }
        }
      }
    },
    SharedEngineCheck(
      "a new member of a failed nested transaction leaves a list that another task changed meanwhile"
    ) { makeStore in
      for outerFails in [false, true] {
        for creates in [false, true] {
          for hasHistory in [false, true] {
            try await changingListOfNestedMember(
              makeStore, outerFails: outerFails, creates: creates, hasHistory: hasHistory)
          }
        }
      }
    },
    SharedEngineCheck(
      "a new member of a failed transaction leaves a list that it read, and to which another task added one"
    ) { makeStore in
      for isHeld in [false, true] {
        for hasHistory in [false, true] {
          try await creatingInReadList(makeStore, isHeld: isHeld, hasHistory: hasHistory)
        }
      }
    },
    SharedEngineCheck("a new member of a failed nested transaction leaves a history that another task's edit divided") {
      makeStore in
      try await dividingStepOfNestedMember(makeStore)
    },
    SharedEngineCheck(
      "a save beside a transaction that links the model to a new one leaves the link to it", needs: [.anyModels]
    ) { makeStore in
      for hasFormer in [false, true] {
        for edits in [false, true] {
          for hasHistory in [false, true] {
            try await savingLinkedModel(makeStore, hasFormer: hasFormer, edits: edits, hasHistory: hasHistory)
          }
        }
      }
    },
  ]

  private struct Refusal: Error {}

  /// - Parameters:
  ///   - hasFormer: whether the link replaces another one.
  ///   - edits: whether the other task edits the model before it saves it.
  ///   - hasHistory: whether a history records the edits.
  @MainActor private static func savingLinkedModel(
    _ makeStore: () async throws -> any ModelStore, hasFormer: Bool, edits: Bool, hasHistory: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "replaces: \(hasFormer), edits: \(edits), history: \(hasHistory)"
    let pilot = ContractPilot.named("Amelia"), former = ContractLicense()
    try await store.create(pilot)
    if hasFormer {
      former.pilot.value = pilot
      try await store.create(former)
    }
    let undo = hasHistory ? ModelUndo(store.scope) : nil
    do {
      try await transaction(in: store) { store in
        let license = ContractLicense()
        license.pilot.value = pilot
        try await beside(store) { store in
          if edits { pilot.name.value = "Bessie" }
          try await store.save(pilot)
        }
        try require(pilot.license.value === license, "\(place): the save cut the link")
        try await store.create(license)
        throw Refusal()
      }
    } catch is Refusal {}
    try require(pilot.license.value === (hasFormer ? former : nil), "\(place): the license")
    try require(former.pilot.value === (hasFormer ? pilot : nil), "\(place): the pilot of the previous license")
    try require(!pilot.isDirty && !(hasFormer && former.isDirty), "\(place): a model is dirty")
    withExtendedLifetime(undo) {}
  }

  /// - Parameters:
  ///   - isHeld: whether the caller holds the new member, so that it keeps its links.
  ///   - editsAgain: whether the transaction edits the list once more.
  ///   - hasHistory: whether a history records the edits.
  @MainActor private static func changingListOfNewMember(
    _ makeStore: () async throws -> any ModelStore, isHeld: Bool, editsAgain: Bool, hasHistory: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let company = ContractCompany(), person = ContractPerson.named("Ada")
    company.id.value = "acme \(isHeld) \(editsAgain) \(hasHistory)"
    let name = "New \(editsAgain) \(hasHistory)"
    try await store.create(company)
    try await store.create(person)
    let undo = hasHistory ? ModelUndo(store.scope) : nil
    var held: ContractPerson?
    do {
      try await transaction(in: store) { store in
        let new = ContractPerson.named(name)
        company.employees.add(new)
        if isHeld { held = new }
        try await beside(store) { _ in person.company.value = company }
        if editsAgain { company.employees.add(ContractPerson.named("Other")) }
        throw Refusal()
      }
    } catch is Refusal {}
    let expected = [person] + (held.map { [$0] } ?? [])
    try requireEqual(
      Set(company.employees.value ?? []), Set(expected),
      "held: \(isHeld), edited again: \(editsAgain), history: \(hasHistory): the employees")
    if let held, !editsAgain {
      try requireEqual(company.employees.value ?? [], [held, person], "history: \(hasHistory): the order")
    }
    if let undo, !isHeld, !editsAgain {
      _ = try undo.undo()
      try require(company.employees.value?.isEmpty != false && !undo.canUndo, "the step of the other task remains")
      _ = try undo.redo()
      try requireEqual(company.employees.value ?? [], [person], "the employees after a redo")
    }
    try await store.save(company, including: .related)
    try await store.save(person)
    let other = try await makeStore()
    let found = try await other.list(ContractPerson.self) { $0.company == company }
    try requireEqual(
      found.compactMap(\.name.value).sorted(), isHeld ? ["Ada", name] : ["Ada"],
      "held: \(isHeld): who is stored")
    try requireEqual(
      try await other.count(ContractPerson.self) { $0.name == name }, isHeld ? 1 : 0,
      "held: \(isHeld): the stored new models")
  }

  @MainActor private static func dividingStepOfNestedMember(
    _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (old, acme) = (ContractCompany(), ContractCompany())
    (old.id.value, acme.id.value) = ("old", "acme")
    for company in [old, acme] { try await store.create(company) }
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = old
    try await store.create(person)
    let undo = ModelUndo(store.scope)
    try await transaction(in: store) { store in
      person.company.value = acme
      person.age.value = 2
      try await failing(in: store) { store in
        let new = ContractPerson.named("New")
        new.company.value = old
        person.age.value = 3
        try await store.create(new)
        // The edits of the transaction until here are a step.
        try await beside(store) { _ in old.name.value = "Old" }
      }
    }
    try requireEqual(old.employees.value ?? [], [], "the employees")
    _ = try undo.undo()
    _ = try undo.undo()
    try requireEqual(person.age.value, 1, "the undone age")
    try require(person.company.value === old, "the undone company")
    try requireEqual(old.employees.value ?? [], [person], "the employees after an undo")
  }

  /// A list that was read retains its members.
  ///
  /// - Parameters:
  ///   - isHeld: whether the caller holds the new member, so that it keeps its links.
  ///   - hasHistory: whether a history records the edits.
  @MainActor private static func creatingInReadList(
    _ makeStore: () async throws -> any ModelStore, isHeld: Bool, hasHistory: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "held: \(isHeld), history: \(hasHistory)"
    let company = ContractCompany(), person = ContractPerson.named("Ada")
    company.id.value = place
    try await store.create(company)
    let undo = hasHistory ? ModelUndo(store.scope) : nil
    var held: ContractPerson?
    do {
      try await transaction(in: store) { store in
        let new = ContractPerson.named("New")
        new.company.value = company
        if isHeld { held = new }
        try await store.create(new)
        _ = try await store.list(ContractCompany.self, including: [\.employees])
        try await beside(store) { store in
          person.company.value = company
          try await store.create(person)
        }
        throw Refusal()
      }
    } catch is Refusal {}
    let expected = [person] + (held.map { [$0] } ?? [])
    try requireEqual(Set(company.employees.value ?? []), Set(expected), "\(place): the employees")
    if !isHeld { try require(!company.isDirty, "\(place): the company is dirty") }
    withExtendedLifetime(undo) {}
    try await store.save(company, including: .related)
    let found = try await (try await makeStore()).list(ContractPerson.self) { $0.company == company }
    try requireEqual(
      found.compactMap(\.name.value).sorted(), isHeld ? ["Ada", "New"] : ["Ada"], "\(place): who is stored")
  }

  /// - Parameters:
  ///   - outerFails: whether the outer transaction fails, too.
  ///   - creates: whether the nested transaction creates the new member after the other task's change.
  ///   - hasHistory: whether a history records the edits.
  @MainActor private static func changingListOfNestedMember(
    _ makeStore: () async throws -> any ModelStore, outerFails: Bool, creates: Bool, hasHistory: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "the outer one fails: \(outerFails), creates: \(creates), history: \(hasHistory)"
    let company = ContractCompany(), person = ContractPerson.named("Ada")
    company.id.value = place
    try await store.create(company)
    try await store.create(person)
    let undo = hasHistory ? ModelUndo(store.scope) : nil
    do {
      try await transaction(in: store) { store in
        try await failing(in: store) { store in
          let new = ContractPerson.named("New")
          company.employees.add(new)
          try await beside(store) { _ in person.company.value = company }
          if creates { try await store.create(new) }
        }
        try requireEqual(company.employees.value ?? [], [person], "the employees in the outer one, \(place)")
        if outerFails { throw Refusal() }
      }
    } catch is Refusal {}
    try requireEqual(company.employees.value ?? [], [person], "the employees, \(place)")
    withExtendedLifetime(undo) {}
    try await store.save(company, including: .related)
    try await store.save(person)
    try requireEqual(
      try await (try await makeStore()).count(ContractPerson.self) { $0.name == "New" }, 0, "the stored new models")
  }
}
