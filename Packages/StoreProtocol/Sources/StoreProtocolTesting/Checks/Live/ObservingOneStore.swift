import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

// One store instance whose models are observed and written at once, in every order of the steps.
extension ModelStoreContract {
  static let observingOneStore: [SharedEngineCheck] = [
    besideObservers("create and update") { stage in
      let person = stage.person()
      try await stage.store.create(person)
      try await stage.edit(person)
    },
    besideObservers("createAll and update") { stage in
      let people = (0..<3).map { _ in stage.person() }
      try await stage.store.createAll(people)
      for person in people { try await stage.edit(person) }
    },
    besideObservers("updates and lists") { stage in
      let person = stage.person()
      try await stage.store.create(person)
      let reader = Task(priority: .high) { try await stage.read(person) }
      for age in [11, 21, 31] {
        try await stage.edit(person)
        try requireEqual(person.age.value, age, "the age after an update, beside lists that began before")
      }
      try await reader.value
      try requireEqual(person.age.value, 31, "the age after lists that began before an update ended")
    },
    besideObservers("lists at once, and updates by another store instance,", needs: [.orderedReads]) { stage in
      let person = stage.person()
      try await stage.store.create(person)
      let theirs = try await stage.other.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      var ages = [person.age.value ?? 0]
      let observation = person.age --> { ages.append($0 ?? 0) }
      let readers = (0..<2).map { _ in Task(priority: .high) { try await stage.read(person) } }
      for age in [11, 21, 31] {
        theirs.age.value = age
        try await stage.other.update(theirs)
      }
      for reader in readers { try await reader.value }
      observation.cancel()
      try requireEqual(ages, ages.sorted(), "the ages of a person who gets older, as lists bring them")
    },
    besideObservers("save of a new model, and of the same again") { stage in
      let person = stage.person()
      try await stage.store.save(person)
      person.age.value = 2
      try await stage.store.save(person)
    },
    besideObservers("save with related models", needs: [.anyModels]) { stage in
      let person = stage.person()
      person.company.value = stage.company()
      try await stage.store.save(person, including: .related)
      try await stage.edit(person)
    },
    besideObservers("a transaction", needs: [.transactions]) { stage in
      let person = stage.person(), company = stage.company()
      try await transaction(in: stage.store) { store in
        try await store.create(company)
        person.company.value = company
        try await store.create(person)
        person.age.value = 2
        try await store.update(person)
      }
      try await stage.edit(person)
    },
    besideObservers("a transaction that fails", needs: [.transactions]) { stage in
      struct Refusal: Error {}
      let person = stage.person(named: "Refused")
      do {
        try await transaction(in: stage.store) { store in
          try await store.create(person)
          throw Refusal()
        }
      } catch is Refusal {}
      try require(person.identifier == nil, "a person that was rolled back has an identifier")
      person.name.value = stage.nextName()
      stage.people.append(person)
      try await stage.store.create(person)
    },
    besideObservers("delete, and create of the same object again") { stage in
      stage.usesHeardModels = false
      let person = stage.person()
      try await stage.store.create(person)
      try await stage.store.delete(person)
      person.age.value = 2
      try await stage.store.create(person)
      try await stage.edit(person)
    },
    besideObservers("delete, and create of another object with the identifier") { stage in
      stage.usesHeardModels = false
      let person = stage.person(named: nil), next = stage.person()
      person.name.value = "Nobody"
      try await stage.store.create(person)
      next.id.value = person.id.value
      try await stage.store.delete(person)
      try await stage.store.create(next)
      try await stage.edit(next)
    },
    besideObservers("create of an identifier that another instance has stored") { stage in
      let theirs = try await stage.other.create(ContractPerson.named("Theirs"))
      let person = stage.person(named: nil)
      (person.id.value, person.name.value, person.age.value) = (theirs.id.value, "Ours", 3)
      try await requireError(.conflict, "create of a taken identifier") { try await stage.store.create(person) }
      try requireEqual(person.name.value, "Ours", "the name of the model that was rejected")
      try require(person.height.value == nil, "the model that was rejected has a value of the stored one")
      let stored = try await stage.store.lookup(ContractPerson.self, identifier: theirs.identifier ?? "")
      try require(stored !== person, "the model that was rejected stands for the stored one")
      try requireEqual(stored.name.value, "Theirs", "the name of the stored model")
      stage.people.append(stored)
    },
    besideObservers("two creations of one identifier at once") { stage in
      let identifier = try await stage.store.create(stage.person()).id.value ?? 0
      let people = (0..<2).map { _ in stage.person(named: nil) }
      for (number, person) in people.enumerated() {
        (person.id.value, person.name.value) = (identifier + 1_000, "Twin \(number)")
      }
      let results = await stage.atOnce(people) { store, person in try await store.create(person) }
      try requireEqual(results.compactMap(\.self).count, 1, "the number of creations that are rejected")
      for (person, error) in zip(people, results) {
        if let error { try requireEqual(error.code, .conflict, "the error") } else { stage.people.append(person) }
      }
    },
    besideObservers("two saves of one new model at once") { stage in
      let person = stage.person()
      let results = await stage.atOnce([person, person]) { store, person in try await store.save(person) }
      if let error = results.compactMap(\.self).first { throw error }
    },
    besideObservers("two saves of one new model with an asynchronous rule at once") { stage in
      let person = stage.person()
      person.name.require(code: "taken", message: "is taken") { _ in
        await Task.yield()
        return true
      }
      let results = await stage.atOnce([person, person]) { store, person in try await store.save(person) }
      if let error = results.compactMap(\.self).first { throw error }
    },
    SharedEngineCheck("two saves of a new model at once in a transaction write one record") { makeStore in
      try await savingAtOnce(makeStore)
    },
    SharedEngineCheck("a refresh overwrites nothing of other models, even if an observer lists them in a task") {
      makeStore in
      try await listingInObserver(makeStore)
    },
    SharedEngineCheck("create of a deleted model whose record was read before leaves one object for its identifier") {
      makeStore in
      let store = try await makeStore()
      let conflicts = Lock<[String]>([])
      store.scope.conflictHandler = { conflict in conflicts.withLock { $0.append("\(conflict)") } }
      let person = try await store.create(ContractPerson.named("Ada", age: 1))
      let (identifier, record) = (person.identifier ?? "", try Array(person.jsonData()))
      try await store.delete(person)
      // A reader that was suspended between reading the record and making its model.
      let stale = try store.models(ContractPerson.self, fromBytes: [record]) { _ in identifier }[0]
      try require(stale !== person, "the deleted model stands for its record again")
      person.age.value = 2
      try await store.create(person)
      try requireEqual(conflicts.withLock { $0 }, [], "the identifiers with two live models")
      try require(person.canonicalInstance(in: store.scope) === person, "the created model is not the object")
      let found = try await store.lookup(ContractPerson.self, identifier: identifier)
      try require(found === person, "a lookup finds another object")
      try await requireError(.conflict, "create of the model of the previous record") { try await store.create(stale) }
    },
  ]

  @MainActor private static func savingAtOnce(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = ContractPerson.named("Ada")
    try await transaction(in: store) { store in
      let save: @MainActor @Sendable () async throws -> Void = { try await store.save(person) }
      let tasks = [Task { try await save() }, Task { try await save() }]
      for task in tasks { try await task.value }
    }
    try requireEqual(try await store.count(ContractPerson.self), 1, "the number of records")
    try require(!person.isDirty, "the person is dirty")
  }

  @MainActor private static func listingInObserver(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    let person = try await store.create(ContractPerson.named("Ada", age: 36))
    let other = try await store.create(ContractPerson.named("Bob", age: 1))
    (person.age.value, other.age.value) = (40, 2)
    let list: @MainActor @Sendable () async throws -> Void = { _ = try await store.list(ContractPerson.self) }
    var work: Task<Void, any Error>?
    let observation = person.age.addObserver(updateImmediately: false) { _ in work = Task { try await list() } }
    try await store.refresh(person)
    try await work?.value
    observation.cancel()
    try require(work != nil && person.age.value == 36, "the refresh changed nothing")
    try requireEqual(other.age.value, 2, "the edited age")
    try require(other.age.isDirty, "the edit is clean")
  }

  private static func besideObservers(
    _ what: String, needs: Set<Capability> = [], _ body: @escaping Stage.Work
  ) -> SharedEngineCheck {
    SharedEngineCheck(
      "\(what) beside observers of the same store instance leaves one object for one identifier", needs: needs
    ) {
      makeStore in
      for hold in [TurnExecutor.Held.writer, TurnExecutor.Held.observer] {
        var number = 0
        while try await Stage(holding: hold(number)).play(body, makeStore) {
          number += 1
          try require(number < 1_000, "there are more than 1,000 suspension points")
        }
      }
    }
  }
}
