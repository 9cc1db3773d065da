import StoreProtocol

extension ModelStoreContract {
  static let creating: [Check] = [
    Check("create returns the same model, with an identifier") { store in
      let person = ContractPerson.named("Ada")
      let created = try await store.create(person)
      try require(created === person, "create returned another object")
      try require(person.identifier?.isEmpty == false, "the identifier is still missing")
    },
    Check("create keeps an identifier that the model has") { store in
      let person = ContractPerson.named("Ada")
      person.id.value = 42
      try await store.create(person)
      try requireEqual(person.id.value, 42, "the identifier")
    },
    Check("create gives different models different identifiers") { store in
      let first = try await store.create(ContractPerson.named("Ada"))
      let second = try await store.create(ContractPerson.named("Grace"))
      try require(first.identifier != second.identifier, "both have the identifier \(first.identifier ?? "nil")")
    },
    Check("create of an identifier that is taken throws conflict and keeps the stored model") { store in
      let first = ContractPerson.named("Ada")
      first.id.value = 7
      try await store.create(first)
      let second = ContractPerson.named("Grace")
      second.id.value = 7
      let error = try await requireError(.conflict, "a second create of 7") { try await store.create(second) }
      try requireEqual(error.identifier, "7", "the identifier of the error")
      try requireEqual(try await store.list(ContractPerson.self).map(\.name.value), ["Ada"], "what is stored")
    },
    Check("create of an invalid model throws invalid, names the field and stores nothing") { store in
      let person = ContractPerson.named("", age: 131)
      let error = try await requireError(.invalid, "create of an invalid model") { try await store.create(person) }
      try requireEqual(error.fields["name"], ["cannot be blank"], "the messages of the field name")
      try requireEqual(error.fields["age"], ["must be less than or equal to 130"], "the messages of the field age")
      try require(person.identifier == nil, "the model got an identifier")
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of stored models")
    },
    Check("create runs beforeSave, then afterCreate") { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      try requireEqual(person.calls, ["beforeSave", "afterCreate"], "the calls")
    },
    Check("create checks the rules after beforeSave, and runs no other hook if one is broken") { store in
      let person = ContractPerson.named("")
      try await requireError(.invalid, "create of an invalid model") { try await store.create(person) }
      try requireEqual(person.calls, ["beforeSave"], "the calls")
      person.name.value = "Ada"
      try await store.create(person)
      try requireEqual(person.calls, ["beforeSave", "beforeSave", "afterCreate"], "the calls of the second time")
    },
    Check("create leaves nothing dirty") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      try require(!person.isDirty, "the model is dirty")
    },
    Check("a model is persisted once it is created, and one that the store rejected is not") { store in
      let person = ContractPerson.named("")
      try await requireError(.invalid, "create of an invalid model") { try await store.create(person) }
      try require(!person.isPersisted, "a model that was not created is persisted")
      person.name.value = "Ada"
      try await store.create(person)
      try require(person.isPersisted, "a created model is not persisted")
    },
    Check("createAll adds every model, in order") { store in
      let people = ["Ada", "Grace", "Edsger"].map { ContractPerson.named($0) }
      try await store.createAll(people)
      try requireEqual(
        try await store.list(ContractPerson.self).map(\.name.value), ["Ada", "Grace", "Edsger"], "what is stored")
    },
  ]
}
