import StoreProtocol

extension ModelStoreContract {
  static let importingInTransactions = SharedEngineCheck(
    "a failed transaction restores both sides of the links that it imported"
  ) { makeStore in
    for isReference in [true, false] {
      for isSaved in [true, false] {
        for isNew in [true, false] {
          for isRead in [true, false] {
            try await importing(isReference: isReference, isSaved: isSaved, isNew: isNew, isRead: isRead, makeStore)
          }
        }
      }
    }
  }

  private struct Refusal: Error {}

  /// A transaction imports a link to a company, which another task creates, cuts the link, and fails.
  ///
  /// - Parameters:
  ///   - isReference: whether the document refers to the company by its identifier, or has it inside.
  ///   - isSaved: whether the cut link is saved.
  ///   - isNew: whether the other task creates the company after the transaction began.
  ///   - isRead: whether the other task reads the person before the end.
  @MainActor private static func importing(
    isReference: Bool, isSaved: Bool, isNew: Bool, isRead: Bool, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let what = "(reference \(isReference), saved \(isSaved), new \(isNew), read \(isRead))"
    let old = ContractCompany.named("Old"), new = ContractCompany.named("New")
    (old.id.value, new.id.value) = ("old \(what)", "new \(what)")
    try await store.create(old)
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = old
    try await store.create(person)
    if !isNew { try await store.create(new) }
    let company: JSONValue = isReference ? .string(new.id.value!) : ["id": .string(new.id.value!), "name": "Newer"]
    let entry: JSONValue = ["id": .int(person.id.value ?? 0), "age": 2, "company": company]
    do {
      try await transaction(in: store) { store in
        if isNew { try await beside(store) { try await $0.create(new) } }
        let json = try JSONValue.array([entry]).jsonData()
        let report = try await store.importModels(ContractPerson.self, fromJSON: json)
        try requireEqual(report.updated, [person], "the updated people \(what)")
        try require(person.company.value === new, "the link was not imported \(what)")
        if isRead { try await beside(store) { _ = try await $0.list(ContractPerson.self) } }
        person.company.value = nil
        if isSaved { try await store.save(person) }
        if isRead { try await beside(store) { _ = try await $0.list(ContractPerson.self, including: [\.company]) } }
        throw Refusal()
      }
    } catch is Refusal {}
    try require(person.company.value === old && !person.isDirty, "the link is not restored \(what)")
    try requireEqual(new.employees.value ?? [], [], "the employees of the new company \(what)")
    try requireEqual(old.employees.value ?? [], [person], "the employees of the old company \(what)")
    try requireEqual(new.name.value, "New", "the name of the new company \(what)")
    try require(!old.isDirty && !new.isDirty, "a company is dirty \(what)")
  }
}
