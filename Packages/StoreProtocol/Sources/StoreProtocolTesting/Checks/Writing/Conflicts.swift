import Foundation
import StoreProtocol

extension ModelStoreContract {
  /// Changes of one model through several store instances.
  static let conflicts: [SharedEngineCheck] = [
    SharedEngineCheck("8 tasks that count in one model lose nothing if they save again after a conflict") { makeStore in
      let identifier = try await makeStore().createAndForget("Ada", age: 0)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let instance = try await makeStore()
            for _ in 0..<10 {
              let person = try await instance.lookup(ContractPerson.self, identifier: identifier)
              while true {
                await Task.yield()
                person.age.value = (person.age.value ?? 0) + 1
                do {
                  try await instance.save(person)
                  break
                } catch let error as ModelStoreError where error.code == .conflict {
                  try await instance.refresh(person)
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let found = try await makeStore().lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(found.age.value, 80, "the count")
    },
    SharedEngineCheck("a field that another store instance changed is not overwritten, and the error has both values") {
      makeStore in
      let (first, person, second, same) = try await twice(makeStore)
      same.age.value = 50
      try await second.save(same)
      person.age.value = 40
      let error = try await requireError(.conflict, "a save over a change of another writer") {
        try await first.save(person)
      }
      try requireEqual(
        error.conflicts, [FieldConflict(key: "age", baseline: 36, local: 40, stored: 50)], "the conflicts")
      try requireEqual(error.identifier, person.identifier, "the identifier of the error")
      try require(person.age.value == 40 && person.age.isDirty, "the local change is lost")
      try requireEqual(try await stored(person, makeStore).age.value, 50, "the stored age")
      // A lookup keeps the local change, and so it does not settle the conflict.
      _ = try await first.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try await requireError(.conflict, "another save") { try await first.save(person) }
      try await first.refresh(person)
      try requireEqual(person.age.value, 50, "the age after a refresh")
      person.age.value = 51
      try await first.save(person)
      try requireEqual(try await stored(person, makeStore).age.value, 51, "the stored age at last")
    },
    SharedEngineCheck("overwrite lets the last writer win, and leaves other fields as they are") { makeStore in
      let (first, person, second, same) = try await twice(makeStore)
      same.age.value = 50
      same.height.value = 2
      try await second.save(same)
      person.age.value = 40
      try await first.save(person, onConflict: .overwrite)
      let found = try await stored(person, makeStore)
      try requireEqual(found.age.value, 40, "the stored age")
      try requireEqual(found.height.value, 2, "the stored height")
      try require(!person.isDirty, "a saved model is dirty")
    },
    SharedEngineCheck("fail rejects a save after any change of the record, and merge joins different fields") {
      makeStore in
      let (first, person, second, same) = try await twice(makeStore)
      same.height.value = 2
      try await second.save(same)
      person.age.value = 40
      let error = try await requireError(.conflict, "a save over a change of another field") {
        try await first.update(person, onConflict: .fail)
      }
      try requireEqual(error.conflicts.map(\.key), ["height"], "the fields of the conflict")
      try await first.save(person)
      let found = try await stored(person, makeStore)
      try requireEqual(found.age.value, 40, "the stored age")
      try requireEqual(found.height.value, 2, "the stored height")
      try await first.refresh(person)
      person.age.value = 41
      try await first.save(person, onConflict: .fail)
      person.age.value = 42
      try await first.save(person, onConflict: .fail)
    },
    SharedEngineCheck("an equal change by another writer is a conflict too, since a count would lose it") { makeStore in
      let (first, person, second, same) = try await twice(makeStore)
      same.age.value = 40
      try await second.save(same)
      person.age.value = 40
      try await requireError(.conflict, "a save of an equal value") { try await first.save(person) }
    },
    SharedEngineCheck("lists, relations, nested keys and values that were nil are compared as one field each") {
      makeStore in
      let (first, person, second, same) = try await twice(makeStore)
      for (identifier, store) in [("acme", first), ("beta", first), ("gamma", second)] {
        let company = ContractCompany()
        company.id.value = identifier
        try await store.create(company)
      }
      func company(_ identifier: String, _ store: any ModelStore) async throws -> ContractCompany {
        try await store.lookup(ContractCompany.self, identifier: identifier)
      }
      same.tags.value = ["a", "b"]
      same.nickname.value = "Addie"
      same.company.value = try await company("gamma", second)
      same.color.value = .red
      try await second.save(same)
      person.tags.value = ["c"]
      person.nickname.value = "Augusta"
      person.company.value = try await company("acme", first)
      person.color.value = .green
      let error = try await requireError(.conflict, "a save") { try await first.save(person) }
      try requireEqual(
        error.conflicts.map(\.key).sorted(), ["color", "company", "names.nick", "tags"], "the fields of the conflict")
      try requireEqual(
        error.conflicts.first { $0.key == "names.nick" }?.stored, "Addie", "what is stored under nested keys")
      try await first.save(person, onConflict: .overwrite)
      person.company.value = try await company("beta", first)
      person.tags.value = ["d"]
      try await first.save(person)
      let found = try await stored(person, makeStore)
      try requireEqual(found.tags.value, ["d"], "the tags")
      try requireEqual(found.company.value?.identifier, "beta", "the company")
    },
    SharedEngineCheck("a model does not conflict with its own saves, in and outside of transactions") { makeStore in
      let (first, person, _, _) = try await twice(makeStore)
      for age in 1...3 {
        person.age.value = age
        try await first.save(person, onConflict: .fail)
      }
      guard first is any TransactionalModelStore else { return }
      let fresh = ContractPerson.named("Bob", age: 1)
      try await transaction(in: first) { store in
        try await store.create(fresh)
        for age in 4...6 {
          person.age.value = age
          fresh.age.value = age
          try await store.save(person, onConflict: .fail)
          try await store.save(fresh, onConflict: .fail)
        }
      }
      person.age.value = 7
      fresh.age.value = 7
      try await first.save(person, onConflict: .fail)
      try await first.save(fresh, onConflict: .fail)
      try requireEqual(try await stored(person, makeStore).age.value, 7, "the stored age")
    },
    SharedEngineCheck("a transaction can catch a conflict, and writes the rest") { makeStore in
      let (first, person, second, same) = try await twice(makeStore)
      guard first is any TransactionalModelStore else { return }
      same.age.value = 50
      try await second.save(same)
      person.age.value = 40
      try await transaction(in: first) { store in
        try await requireError(.conflict, "a save inside a transaction") { try await store.save(person) }
        try await store.create(ContractPerson.named("Bob"))
      }
      try require(person.age.value == 40 && person.age.isDirty, "the local change is lost")
      let ages = try await makeStore().list(ContractPerson.self).map(\.age.value)
      try requireEqual(ages, [50, nil], "the stored ages")
    },
    SharedEngineCheck("no policy writes a model that was deleted meanwhile, or replaces another model by a new one") {
      makeStore in
      let (first, person, second, same) = try await twice(makeStore)
      try await second.delete(same)
      person.age.value = 40
      for policy in [ConflictPolicy.merge, .fail, .overwrite] {
        try await requireError(.notFound, "a save of what was deleted") {
          try await first.save(person, onConflict: policy)
        }
      }
      let taken = try await second.create(ContractPerson.named("Bob"))
      let other = ContractPerson.named("Cleo")
      other.id.value = taken.id.value
      try await requireError(.conflict, "a create of an identifier that is taken") {
        try await first.save(other, onConflict: .overwrite)
      }
    },
    SharedEngineCheck("a model that is a member of its own list is saved again and again") { makeStore in
      let store = try await makeStore()
      let people = ["Ada", "Bob"].map { name in
        let friend = ContractFriend()
        friend.name.value = name
        return friend
      }
      for friend in people { try await store.create(friend) }
      for members in [[1, 0], [1], [0, 1], [0], [], [0]] {
        people[0].friends.value = members.map { people[$0] }
        try await store.save(people[0])
        let stored = try await (try await makeStore()).lookup(
          ContractFriend.self, identifier: people[0].identifier ?? "")
        try requireEqual(
          stored.friends.value?.map(\.id.value), members.map { people[$0].id.value }, "the stored members")
      }
    },
    SharedEngineCheck("a model whose edit was reverted after a read is read again") { makeStore in
      let store = try await makeStore(), writer = try await makeStore()
      let person = try await store.create(ContractPerson.named("old", age: 1)), identifier = person.identifier ?? ""
      let written = try await writer.lookup(ContractPerson.self, identifier: identifier)
      written.name.value = "new"
      try await writer.save(written)
      person.name.value = "edited"
      _ = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.name.value, "edited", "the edit after a lookup")
      person.revert()
      _ = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.name.value, "new", "the name that is read")
      person.name.value = "last"
      try await store.save(person)
    },
    SharedEngineCheck("an edit of a value that was read as the initial one is compared and reverted as any other") {
      makeStore in
      let (first, second) = (try await makeStore(), try await makeStore())
      let meter = try await first.create(ContractMeter())
      (meter.count, meter.state, meter.share, meter.isOn) = (1, "shut", 1, true)
      (meter.tags, meter.readings) = (["old"], [2])
      let same = try await second.lookup(ContractMeter.self, identifier: meter.identifier ?? "")
      try await first.save(meter)
      (same.count, same.state, same.share, same.isOn) = (2, "half", 2, true)
      (same.tags, same.readings) = ([], [])
      let keys = ["count", "isOn", "readings", "share", "state", "tags"]
      let error = try await requireError(.conflict, "a save over changes of another writer") {
        try await second.save(same)
      }
      try requireEqual(error.conflicts.map(\.key).sorted(), keys, "the fields in conflict")
      same.revert()
      try require(!same.isDirty, "a reverted model is dirty")
      let initial = ContractMeter()
      initial.id = same.id
      try requireEqual(same.dictionaryValue, initial.dictionaryValue, "the reverted values")
    },
    SharedEngineCheck("a value that is written in another form than it is read is not a change of another writer") {
      makeStore in
      let (first, second) = (try await makeStore(), try await makeStore())
      let meter = ContractMeter()
      (meter.count, meter.tags, meter.readings) = (15, ["c", "b", "d", "a"], [2, 2])
      try await first.create(meter)
      let same = try await second.lookup(BoundedMeter.self, identifier: meter.identifier ?? "")
      try requireEqual(same.count, 10, "the count that is read")
      same.count = 7
      same.tags.insert("e")
      same.readings = [3]
      try await second.save(same, onConflict: .fail)
      try await first.refresh(meter)
      try requireEqual(meter.count, 7, "the stored count")
      try requireEqual(meter.tags, ["a", "b", "c", "d", "e"], "the stored tags")
      try requireEqual(meter.readings, [3], "the stored readings")
      meter.tags = ["e", "d"]
      try await first.save(meter)
      same.tags.insert("f")
      try await requireError(.conflict, "a save over a change of another writer") { try await second.save(same) }
    },
    SharedEngineCheck("a field of an unloaded reference is written without knowing what is stored") { makeStore in
      let company = ContractCompany()
      (company.id.value, company.name.value) = ("acme", "Acme")
      try await makeStore().create(company)
      let store = try await makeStore()
      let same = ContractCompany.with(identifier: "acme", in: store.scope)
      same.name.value = "A"
      try await store.update(same, fields: [same.name])
      let found = try await makeStore().lookup(ContractCompany.self, identifier: "acme")
      try requireEqual(found.name.value, "A", "the name")
      let other = try await makeStore()
      let reference = ContractCompany.with(identifier: "acme", in: other.scope)
      reference.name.value = "B"
      try await other.save(reference)
      let last = try await makeStore().lookup(ContractCompany.self, identifier: "acme")
      try requireEqual(last.name.value, "B", "the name at last")
    },
    SharedEngineCheck("a list with an observed model that changed keeps what others wrote to the next ones") {
      makeStore in
      let (store, other) = (try await makeStore(), try await makeStore())
      for name in ["acme", "beta"] {
        let company = ContractCompany()
        company.id.value = name
        try await other.create(company)
        for number in 0..<2 {
          let person = ContractPerson.named("\(name) \(number)", age: 1)
          person.company.value = company
          try await other.create(person)
        }
      }
      let people = try await store.list(ContractPerson.self), theirs = try await other.list(ContractPerson.self)
      try requireEqual(people.count, 4, "the number of people")
      let token = people[0].name.addObserver(updateImmediately: false) { _ in }
      theirs[0].name.value = "New"
      try await other.save(theirs[0])
      _ = try await store.list(ContractPerson.self)
      for index in 2..<4 {
        theirs[index].age.value = 50
        try await other.save(theirs[index])
        people[index].name.value = "X\(index)"
        try await store.save(people[index])
        let stored = try await (try await makeStore()).lookup(
          ContractPerson.self, identifier: people[index].identifier ?? "")
        try requireEqual(stored.age.value, 50, "the age that the other one wrote")
        try requireEqual(stored.name.value, "X\(index)", "the name")
      }
      token.cancel()
    },
    SharedEngineCheck("a field of an unloaded model is written although another one is required") { makeStore in
      let person = try await makeStore().create(ContractPerson.named("Ada", age: 1))
      let store = try await makeStore()
      let same = ContractPerson.with(identifier: person.identifier ?? "", in: store.scope)
      same.age.value = 5
      try await store.update(same, fields: [same.age])
      try requireEqual(same.name.validationState, .unknown, "the state of the name, which is not loaded")
      let found = try await makeStore().lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(found.name.value, "Ada", "the stored name")
      try requireEqual(found.age.value, 5, "the stored age")
    },
  ]

  /// Returns one stored person, read by two store instances.
  private static func twice(
    _ makeStore: () async throws -> any ModelStore
  ) async throws -> (any ModelStore, ContractPerson, any ModelStore, ContractPerson) {
    let (first, second) = (try await makeStore(), try await makeStore())
    let person = ContractPerson.named("Ada", age: 36)
    person.height.value = 1.5
    try await first.create(person)
    let same = try await second.lookup(ContractPerson.self, identifier: person.identifier ?? "")
    return (first, person, second, same)
  }

  /// Returns a person as another store instance reads it.
  private static func stored(
    _ person: ContractPerson, _ makeStore: () async throws -> any ModelStore
  ) async throws -> ContractPerson {
    try await makeStore().lookup(ContractPerson.self, identifier: person.identifier ?? "")
  }
}

/// A meter of which some values are read as others.
private final class BoundedMeter: Model {
  @Field var id: Int?
  @Required(configure: { $0.constrain(to: 0...10) }) var count = 0
  @Required var tags: Set<String> = []
  @ArrayField(Field<Int>(), allowsDuplicates: false) var readings: [Int]?

  override var identifierField: AnyField? { $id }
  override class var typeName: String { ContractMeter.typeName }
}
