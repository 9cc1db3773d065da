import StoreProtocol

extension ModelStoreContract {
  static let deleting: [Check] = [
    Check("delete removes the model and returns it") { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      let other = try await store.create(ContractPerson.named("Grace"))
      let identifier = person.identifier ?? ""
      let deleted = try await store.delete(person)
      try require(deleted === person, "delete returned another object")
      try await requireError(.notFound, "lookup of a deleted model") {
        _ = try await store.lookup(ContractPerson.self, identifier: identifier)
      }
      try require(try await store.list(ContractPerson.self) == [other], "the other model is not what is left")
    },
    Check("delete of an unknown identifier throws notFound") { store in
      let person = ContractPerson.named("Ada")
      person.id.value = 4711
      let error = try await requireError(.notFound, "delete") { try await store.delete(person) }
      try requireEqual(error.identifier, "4711", "the identifier of the error")
    },
    Check("delete of a model without identifier throws noIdentifier") { store in
      try await requireError(.noIdentifier, "delete") { try await store.delete(ContractPerson.named("Ada")) }
    },
    Check("delete of a model whose identifier was changed throws invalid, and deletes no other model") { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      let other = try await store.create(ContractPerson.named("Grace"))
      let identifier = person.identifier
      person.id.value = other.id.value
      let error = try await requireError(.invalid, "delete") { try await store.delete(person) }
      try requireEqual(error.identifier, identifier, "the identifier of the error")
      person.revert()
      try await store.delete(person)
      try requireEqual(try await store.list(ContractPerson.self), [other], "what is left")
    },
    Check("delete runs afterDelete") { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      try await store.delete(person)
      try requireEqual(person.calls.last, "afterDelete", "the last call")
    },
    Check("a deleted model keeps its identifier and its values, and is not persisted") { store in
      let identifier = try await store.createAndForget("Ada", age: 36)
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try require(person.isPersisted, "a model that was read is not persisted")
      try await store.delete(person)
      try require(!person.isPersisted, "a deleted model is persisted")
      try requireEqual(person.identifier, identifier, "the identifier of the deleted model")
      try requireEqual(person.name.value, "Ada", "the name of the deleted model")
    },
    Check("a deleted model can be created again under its identifier") { store in
      let person = ContractPerson.named("Ada")
      person.id.value = 5
      try await store.create(person)
      try await store.delete(person)
      try await store.create(person)
      try require(person.isPersisted, "a model that was created again is not persisted")
      let found = try await store.lookup(ContractPerson.self, identifier: "5")
      try require(found === person, "lookup made a second object")
    },
  ]
}
