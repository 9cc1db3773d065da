import StoreProtocol

extension ModelStoreContract {
  static let together: [Check] = [
    Check("createAll with one bad model adds none", needs: [.batches]) { store in
      let first = ContractPerson.named("Ada"), second = ContractPerson.named("")
      try await requireError(.invalid, "createAll with an invalid model") {
        try await store.createAll([first, second])
      }
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of stored models")
      let taken = ContractPerson.named("Grace"), other = ContractPerson.named("Edsger")
      taken.id.value = 7
      other.id.value = 7
      try await requireError(.conflict, "createAll with an identifier twice") {
        try await store.createAll([taken, other])
      }
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of stored models")
      try require(taken.isDirty, "a model that was not written is not dirty")
      let twice = ContractPerson.named("Barbara")
      try await requireError(.conflict, "createAll with the same new model twice") {
        try await store.createAll([twice, twice])
      }
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of stored models")
      try require(twice.identifier == nil, "a model that was not written has an identifier")
    },
    Check("an error of a batch names the model and the fields") { store in
      let second = ContractPerson.named("", age: 200)
      second.id.value = 2
      let error = try await requireError(.invalid, "createAll with an invalid model") {
        try await store.createAll([ContractPerson.named("Ada"), second])
      }
      try requireEqual(error.identifier, "2", "the identifier of the error")
      try requireEqual(error.fields.keys.sorted(), ["age", "name"], "the fields of the error")
      try require(
        error.message.hasPrefix(#"The ContractPerson "2" was not written: "#), "the message is: \(error.message)")
      let unnamed = try await requireError(.invalid, "createAll with an invalid model without identifier") {
        try await store.createAll([ContractPerson.named("Ada"), ContractPerson.named("Bob"), ContractPerson.named("")])
      }
      try require(
        unnamed.message.hasPrefix("The ContractPerson at index 2 was not written: "),
        "the message is: \(unnamed.message)")
      let only = try await requireError(.invalid, "createAll with one invalid model") {
        try await store.createAll([ContractPerson.named("")])
      }
      try require(only.message.hasPrefix("This ContractPerson was not written: "), "the message is: \(only.message)")
    },
    Check("an error of updateAll names the model", needs: [.queries]) { store in
      let people = try await store.createAll([
        ContractPerson.named("Ada", age: 1), ContractPerson.named("Bob", age: 100),
      ])
      let error = try await requireError(.invalid, "updateAll that makes one model invalid") {
        try await store.updateAll(ContractPerson.self) { $0.age.value = ($0.age.value ?? 0) + 50 }
      }
      let identifier = people[1].identifier ?? ""
      try requireEqual(error.identifier, identifier, "the identifier of the error")
      try require(
        error.message.hasPrefix("The ContractPerson \"\(identifier)\" was not written: "),
        "the message is: \(error.message)")
    },
    Check("a transaction writes models of several types together", needs: [.transactions]) { store in
      let company = ContractCompany(), person = ContractPerson.named("Ada")
      company.id.value = "acme"
      try await transaction(in: store) { store in
        try await store.create(company)
        person.company.value = company
        try await store.create(person)
        person.age.value = 36
        try await store.save(person)
        let seen = try await store.list(ContractPerson.self, where: { $0.company == company })
        try require(seen == [person], "the transaction does not see what it wrote")
      }
      try require(!person.isDirty && !company.id.isDirty, "something is still dirty")
      try requireEqual(person.calls.last, "afterUpdate", "the last call")
      try requireEqual(try await store.count(ContractPerson.self), 1, "the number of people")
      try requireEqual(try await store.count(ContractCompany.self), 1, "the number of companies")
    },
    Check("a model that is changed and then deleted in a transaction is released", needs: [.transactions]) { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      let identifier = person.identifier ?? ""
      try await transaction(in: store) { store in
        person.age.value = 36
        try await store.update(person)
        try await store.delete(person)
      }
      try require(person.scope !== store.scope, "a deleted model is still in the store's scope")
      try requireEqual(person.calls.last, "afterDelete", "the last call")
      try await requireError(.notFound, "lookup of a deleted model") {
        _ = try await store.lookup(ContractPerson.self, identifier: identifier)
      }
    },
    Check("another model can take the identifier of one that is deleted in a transaction", needs: [.transactions]) {
      store in
      struct Refusal: Error {}
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      let identifier = person.identifier ?? ""
      let other = ContractPerson.named("Bob")
      other.id.value = person.id.value
      do {
        try await transaction(in: store) { store in
          try await store.delete(person)
          try await store.create(other)
          throw Refusal()
        }
      } catch is Refusal {}
      let back = try await store.lookup(ContractPerson.self, identifier: identifier)
      try require(back === person, "a model whose deletion was undone is not the one object")
      try await transaction(in: store) { store in
        person.age.value = 37
        try await store.update(person)
        try await store.delete(person)
        try await store.create(other)
        let seen = try await store.lookup(ContractPerson.self, identifier: identifier)
        try require(seen === other, "the new model is not the one object in the transaction")
      }
      let found = try await store.lookup(ContractPerson.self, identifier: identifier)
      try require(found === other && !other.isDirty, "the new model is not the one object, or dirty")
      try requireEqual(found.name.value, "Bob", "its name")
    },
    Check("a transaction that throws writes nothing, and the models are as they were", needs: [.transactions]) {
      store in
      struct Refusal: Error {}
      let kept = try await store.create(ContractPerson.named("Ada", age: 36))
      let gone = try await store.create(ContractPerson.named("Bob"))
      let fresh = ContractPerson.named("Cleo")
      let company = ContractCompany()
      company.id.value = "acme"
      do {
        try await transaction(in: store) { store in
          try await store.create(company)
          try await store.create(fresh)
          kept.age.value = 37
          try await store.update(kept)
          try await store.delete(gone)
          throw Refusal()
        }
        throw ContractViolation("the transaction does not throw what its body throws")
      } catch is Refusal {}
      try requireEqual(try await store.identifiers(ModelQuery(ContractPerson.self)).count, 2, "the number of people")
      try requireEqual(
        try await store.identifiers(ModelQuery(ContractCompany.self)).count, 0, "the number of companies")
      try require(fresh.identifier == nil, "a model that was not written has the identifier it got")
      try require(fresh.isDirty && company.isDirty, "a model that was not written is not dirty")
      try require(!kept.isDirty && kept.age.value == 36, "an edit was not rolled back")
      try require(!kept.calls.contains("afterUpdate") && !gone.calls.contains("afterDelete"), "hooks were called")
      try await store.save(kept)
      try await store.save(fresh)
      try await store.delete(gone)
      let names = try await store.list(ContractPerson.self).map(\.name.value)
      try requireEqual(names, ["Ada", "Cleo"], "what is stored afterwards")
    },
    Check("deleteAll is all or nothing", needs: [.transactions, .queries]) { store in
      try await store.createAll((1...4).map { (number: Int) in ContractPerson.named("p\(number)", age: number) })
      try requireEqual(try await store.deleteAll(ContractPerson.self, where: { $0.age.isIn(2...3) }), 2, "the number")
      try requireEqual(try await store.list(ContractPerson.self).map(\.age.value), [1, 4], "what is left")
    },
  ]

  static func transaction(
    in store: any ModelStore, _ body: (any ModelStore) async throws -> Void
  ) async throws {
    guard let store = store as? any TransactionalModelStore else {
      throw ContractViolation("the store promises transactions, and is no TransactionalModelStore")
    }
    try await run(store, body)
  }

  private static func run(
    _ store: some TransactionalModelStore, _ body: (any ModelStore) async throws -> Void
  ) async throws {
    try await store.transaction { try await body($0) }
  }
}
