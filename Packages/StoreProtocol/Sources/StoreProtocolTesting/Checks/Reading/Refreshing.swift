import StoreProtocol

extension ModelStoreContract {
  static let refreshing: [Check] = [
    Check("refresh overwrites local changes") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      person.name.value = "Augusta"
      person.age.value = 37
      try await store.refresh(person)
      try requireEqual(person.name.value, "Ada", "the name")
      try requireEqual(person.age.value, 36, "the age")
      try require(!person.isDirty, "the model is still dirty")
    },
    Check("refresh overwrites local changes of fields that were never stored") { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      person.age.value = 37
      person.tags.value = ["new"]
      try await store.refresh(person)
      try requireEqual(person.age.value, nil, "the age")
      try requireEqual(person.tags.value ?? [], [], "the tags")
      try require(!person.isDirty, "the model is still dirty")
    },
    Check("refresh of a missing model throws and keeps local changes") { store in
      let person = ContractPerson.named("Ada")
      person.id.value = 4711
      try await requireError(.notFound, "refresh") { try await store.refresh(person) }
      try requireEqual(person.name.value, "Ada", "the name")
      try await requireError(.noIdentifier, "refresh") { try await store.refresh(ContractPerson.named("Ada")) }
    },
    Check("list keeps local changes") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      person.age.value = 40
      try require(try await store.list(ContractPerson.self) == [person], "list made a second object")
      try requireEqual(person.age.value, 40, "the age")
      try require(person.age.isDirty, "the age is not dirty any more")
    },
    Check("a stream has every model, in the order of a list") { store in
      let names = (1...12).map { "Person \($0)" }
      for name in names { _ = try await store.createAndForget(name) }
      var found: [String?] = []
      for try await person in store.stream(ContractPerson.self) { found.append(person.name.value) }
      try requireEqual(found, names, "the stream")
    },
    Check("a stream continues if a model is deleted meanwhile") { store in
      for name in ["a", "b", "c"] { _ = try await store.createAndForget(name) }
      var found: [String?] = []
      for try await person in store.stream(ContractPerson.self) {
        found.append(person.name.value)
        if found.count == 1 { _ = try await store.deleteFirst(named: "b") }
      }
      // Whether the deleted one is left out depends on the store: see the promises about streams of one moment.
      try requireEqual(found.filter { $0 != "b" }, ["a", "c"], "the stream")
    },
    Check("save including related creates new models first") { store in
      let company = ContractCompany()
      company.id.value = "acme"
      let person = ContractPerson.named("Ada")
      person.company.value = company
      try await store.save(person, including: .related)
      try require(try await store.lookup(ContractCompany.self, identifier: "acme") === company, "no company")
      try require(!person.isDirty && !company.isDirty, "something is still dirty")
      let found = try await store.list(ContractPerson.self)
      try require(found == [person] && found[0].company.value === company, "the person lost its company")
    },
    Check("an error names the model and the fields") { store in
      let person = ContractPerson.named("", age: 200)
      person.id.value = 8
      let error = try await requireError(.invalid, "create of an invalid model") { try await store.create(person) }
      try requireEqual(error.identifier, "8", "the identifier of the error")
      try requireEqual(error.fields.keys.sorted(), ["age", "name"], "the fields of the error")
    },
  ]
}

extension ModelStore {
  fileprivate func deleteFirst(named name: String) async throws -> Bool {
    for person in try await list(ContractPerson.self) where person.name.value == name {
      try await delete(person)
      return true
    }
    return false
  }
}
