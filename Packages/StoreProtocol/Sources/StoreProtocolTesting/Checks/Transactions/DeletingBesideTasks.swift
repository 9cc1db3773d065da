@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Deletions by transactions, some of which fail, beside other tasks and store instances.
  static let deletingBesideTasks: [SharedEngineCheck] = [
    SharedEngineCheck("a model that an open transaction deleted stays the object of its identifier") { makeStore in
      for isRolledBack in [true, false] {
        for reading in DeletedReading.allCases { try await readingDeletedModel(makeStore, reading, isRolledBack) }
      }
    },
    SharedEngineCheck("a transaction that fails keeps the edits by another task of a model that it deleted") {
      makeStore in
      for isNested in [true, false] { try await editingDeletedModel(makeStore, isNested) }
    },
    SharedEngineCheck(
      "a transaction that fails keeps the edits by another task inside a model that it deleted", needs: [.anyModels]
    ) { makeStore in
      try await editingInsideDeletedModel(makeStore)
    },
    SharedEngineCheck("a model is saved by another task after the nested transaction failed that deleted it") {
      makeStore in
      try await savingAfterNestedDeletion(makeStore)
    },
    SharedEngineCheck("a transaction that fails leaves a model stored that was created in place of one it deleted") {
      makeStore in
      try await creatingInPlaceOfDeleted(makeStore)
    },
    SharedEngineCheck("a deletion by another task follows no links of an open transaction") { makeStore in
      try await deletingBesideMoves(makeStore)
    },
  ]

  private struct Refusal: Error {}

  private enum DeletedReading: CaseIterable {
    case list, lookup, stream
  }

  @MainActor private static func readingDeletedModel(
    _ makeStore: () async throws -> any ModelStore, _ reading: DeletedReading, _ isRolledBack: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "\(reading), rolled back: \(isRolledBack)"
    let company = ContractCompany.named("Acme"), person = ContractPerson.named(place, age: 1)
    company.id.value = place
    person.company.value = company
    try await store.create(company)
    try await store.create(person)
    let identifier = person.identifier ?? ""
    var found: ContractPerson?
    do {
      try await transaction(in: store) { store in
        try await store.delete(person)
        try await beside(store) { store in
          switch reading {
          case .list: found = try await store.list(ContractPerson.self).first { $0.identifier == identifier }
          case .lookup: found = try await store.lookup(ContractPerson.self, identifier: identifier)
          case .stream:
            for try await read in store.stream(ContractPerson.self) where read.identifier == identifier { found = read }
          }
        }
        try require(!person.isPersisted, "\(place): the person counts as stored inside the transaction")
        try await requireError(.notFound, "\(place): of a lookup inside the transaction") {
          _ = try await store.lookup(ContractPerson.self, identifier: identifier)
        }
        if isRolledBack { throw Refusal() }
      }
    } catch is Refusal {}
    try require(found === person, "\(place): another object was read")
    try requireEqual(person.isPersisted, isRolledBack, "\(place): whether the person counts as stored")
    guard isRolledBack else {
      try requireEqual(try await store.count(ContractPerson.self, where: { $0.name == .some(place) }), 0, place)
      return
    }
    try require(!person.isDirty, "\(place): the person is dirty")
    try require(person.company.value === company, "\(place): the company of the person is another one")
    try require(company.employees.value?.contains(person) == true, "\(place): the company lacks the person")
    person.age.value = 2
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: identifier)
    try requireEqual(stored.age.value, 2, "\(place): the stored age")
    try await store.delete(person)
    try await store.delete(company)
  }

  /// A task edits a person that an open transaction deletes and edits.
  @MainActor private static func editingDeletedModel(
    _ makeStore: () async throws -> any ModelStore, _ isNested: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (old, new) = (ContractCompany(), ContractCompany())
    (old.id.value, new.id.value) = ("old \(isNested)", "new \(isNested)")
    for company in [old, new] { try await store.create(company) }
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = old
    try await store.create(person)
    let undo = ModelUndo(store.scope)
    do {
      try await transaction(in: store) { store in
        person.height.value = 2
        if isNested {
          try await transaction(in: store) { try await $0.delete(person) }
        } else {
          try await store.delete(person)
        }
        person.name.value = "rolled back"
        try await beside(store) { _ in
          person.age.value = 2
          person.tags.value = ["theirs"]
          person.company.value = new
          person.age.value = 3
        }
        person.age.value = 4
        throw Refusal()
      }
    } catch is Refusal {}
    let place = "nested: \(isNested)"
    try requireEqual(person.age.value, 3, "\(place): the age that another task set")
    try requireEqual(person.name.value, "Ada", "\(place): the name")
    try requireEqual(person.height.value, nil, "\(place): the height")
    try require(person.isPersisted, "\(place): the person counts as deleted")
    try requireEqual(
      Set(person.dirtyFields.compactMap(\.key)), ["age", "tags", "company"], "\(place): the unsaved fields")
    try require(person.company.value === new, "\(place): the company is not that of the other task")
    try requireEqual(old.employees.value ?? [], [], "\(place): the previous colleagues")
    try requireEqual(new.employees.value ?? [], [person], "\(place): the employees")
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 3, "\(place): the stored age")
    try requireEqual(stored.tags.value, ["theirs"], "\(place): the stored tags")
    try requireEqual(stored.company.value?.identifier, new.identifier, "\(place): the stored company")
    while undo.canUndo { try await store.save(undo.undo()) }
    try requireEqual(person.age.value, 1, "\(place): the undone age")
    try requireEqual(person.tags.value ?? [], [], "\(place): the undone tags")
    try require(person.company.value === old, "\(place): the company is not undone")
    try require(person.isPersisted && !person.isDirty, "\(place): the person is dirty or deleted after an undo")
  }

  @MainActor private static func editingInsideDeletedModel(
    _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let album = ContractAlbum(), track = ContractTrack()
    album.tracks.value = [track]
    try await store.create(album)
    do {
      try await transaction(in: store) { store in
        try await store.delete(album)
        try await beside(store) { _ in track.title.value = "theirs" }
        throw Refusal()
      }
    } catch is Refusal {}
    try require(track.title.value == "theirs" && track.isDirty && album.isDirty, "the title is clean, or gone")
    try await store.save(album)
    let stored = try await (try await makeStore()).lookup(ContractAlbum.self, identifier: album.identifier ?? "")
    try requireEqual(stored.tracks.value?.map(\.title.value), ["theirs"], "the stored titles")
  }

  @MainActor private static func savingAfterNestedDeletion(
    _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    try await transaction(in: store) { store in
      do {
        try await transaction(in: store) { store in
          try await store.delete(person)
          throw Refusal()
        }
      } catch is Refusal {}
      try await beside(store) { store in
        person.age.value = 2
        try await store.save(person)
      }
    }
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 2, "the stored age")
  }

  @MainActor private static func creatingInPlaceOfDeleted(
    _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore(), other = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (former, created) = (ContractCompany(), ContractCompany())
    for (company, name) in [(former, "former"), (created, "created")] {
      company.id.value = "acme"
      company.name.value = name
    }
    try await store.create(former)
    do {
      try await transaction(in: store) { store in
        try await store.delete(former)
        try await other.delete(try await other.lookup(ContractCompany.self, identifier: "acme"))
        try await beside(store) { store in try await store.create(created) }
        throw Refusal()
      }
    } catch is Refusal {}
    try require(created.isPersisted, "the created company is not persisted")
    try require(!former.isPersisted, "the company is persisted whose record was deleted")
    created.name.value = "saved"
    try await store.save(created)
    let stored = try await (try await makeStore()).lookup(ContractCompany.self, identifier: "acme")
    try requireEqual(stored.name.value, "saved", "the stored name")
  }

  @MainActor private static func deletingBesideMoves(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let teams = try await withNames(["reds", "blues"]) { name in
      let team = ContractTeam()
      team.id.value = name
      return try await store.create(team)
    }
    let member = ContractMember()
    member.team.value = teams[0]
    try await store.create(member)
    var deletion: Task<Void, any Error>?
    do {
      try await transaction(in: store) { store in
        member.team.value = teams[1]
        try await store.save(member)
        let work: @MainActor @Sendable () async throws -> Void = { try await store.delete(teams[1]) }
        deletion = Task.detached { try await work() }
        for _ in 0..<100 { await Task.yield() }
        throw Refusal()
      }
    } catch is Refusal {}
    try await deletion?.value
    try require(member.isPersisted && member.team.value === teams[0], "the member left its team")
    try require(!member.wasDeleted && !member.isDirty, "the member was deleted, or is dirty")
    let other = try await makeStore()
    let stored = try await other.lookup(ContractMember.self, identifier: member.identifier ?? "")
    try requireEqual(stored.team.value?.identifier, "reds", "the stored team")
    try requireEqual(try await other.list(ContractTeam.self).map(\.identifier), ["reds"], "the stored teams")
  }

  @MainActor private static func withNames<Result>(
    _ names: [String], _ make: (String) async throws -> Result
  ) async throws -> [Result] {
    var results: [Result] = []
    for name in names { results.append(try await make(name)) }
    return results
  }
}
