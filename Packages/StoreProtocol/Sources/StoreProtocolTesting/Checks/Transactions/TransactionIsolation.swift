import StoreProtocol

extension ModelStoreContract {
  /// The isolation of transactions while others write.
  static let transactionIsolation: [SharedEngineCheck] = [
    SharedEngineCheck("a transaction that checked a model before it wrote another one prevents write skew") {
      makeStore in
      let first = try await makeStore(), second = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let ada = try await first.createAndForget("Ada", age: 1), bob = try await first.createAndForget("Bob", age: 1)
      func leave(_ leaving: String, if staying: String, _ store: any ModelStore) async throws {
        let other = try await store.lookup(ContractPerson.self, identifier: staying)
        guard other.age.value == 1 else { return }
        let person = try await store.lookup(ContractPerson.self, identifier: leaving)
        person.age.value = 0
        try await store.save(person)
      }
      try await requireError(.conflict, "a transaction whose check holds no longer") {
        try await transaction(in: first) { store in
          try await leave(ada, if: bob, store)
          try await transaction(in: second) { try await leave(bob, if: ada, $0) }
        }
      }
      let ages = try await makeStore().list(ContractPerson.self).map(\.age.value)
      try requireEqual(ages, [1, 0], "the ages")
    },
    SharedEngineCheck("a transaction never reads two values of one field, or of one list") { makeStore in
      let first = try await makeStore(), second = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let identifier = try await first.createAndForget("Ada", age: 1)
      try await requireError(.conflict, "the second lookup of a model that changed") {
        try await transaction(in: first) { store in
          _ = try await store.lookup(ContractPerson.self, identifier: identifier)
          let same = try await second.lookup(ContractPerson.self, identifier: identifier)
          same.age.value = 2
          try await second.save(same)
          let error = try await requireError(.conflict, "the second lookup") {
            _ = try await store.lookup(ContractPerson.self, identifier: identifier)
          }
          throw error
        }
      }
      try await requireError(.conflict, "the second count of a type that changed") {
        try await transaction(in: first) { store in
          _ = try await store.count(ContractPerson.self)
          try await second.create(ContractPerson.named("Bob"))
          _ = try await store.count(ContractPerson.self)
        }
      }
    },
    SharedEngineCheck("a transaction that counted models is not written if one was added or deleted since") {
      makeStore in
      let first = try await makeStore(), second = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let fresh = ContractPerson.named("Ada")
      try await requireError(.conflict, "a transaction whose count holds no longer") {
        try await transaction(in: first) { store in
          guard try await store.list(ContractPerson.self).isEmpty else { return }
          try await second.create(ContractPerson.named("Bob"))
          try await store.create(fresh)
        }
      }
      try require(fresh.identifier == nil && fresh.isDirty, "a model that was not written is not new")
      try await requireError(.conflict, "a transaction that looked for a model which was created since") {
        try await transaction(in: first) { store in
          try await requireError(.notFound, "a lookup") {
            _ = try await store.lookup(ContractPerson.self, identifier: "77")
          }
          let other = ContractPerson.named("Cleo")
          other.id.value = 77
          try await second.create(other)
          try await store.create(fresh)
        }
      }
      try requireEqual(try await makeStore().list(ContractPerson.self).count, 2, "the number of people")
    },
    SharedEngineCheck("a transaction is not rejected for writes to models that it did not read") { makeStore in
      let first = try await makeStore(), second = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let identifier = try await first.createAndForget("Ada", age: 1)
      let other = try await second.create(ContractPerson.named("Bob"))
      try await transaction(in: first) { store in
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        person.age.value = 2
        try await store.save(person)
        other.age.value = 5
        try await second.save(other)
        _ = try await store.lookup(ContractPerson.self, identifier: identifier)
      }
      let ages = try await makeStore().list(ContractPerson.self).map(\.age.value)
      try requireEqual(ages, [2, 5], "the ages")
    },
  ]
}
