import StoreProtocol

extension ModelStoreContract {
  static let asynchronousRules: [Check] = [
    Check("create waits for asynchronous rules, and writes nothing if one is violated") { store in
      let person = ContractPerson.named("root", age: 36)
      person.name.require(code: "reserved", message: "is reserved") { name in
        await Task.yield()
        return name != "root"
      }
      let error = try await requireError(.invalid, "create") { _ = try await store.create(person) }
      try requireEqual(error.fields["name"], ["is reserved"], "the errors of the name")
      try requireEqual(person.name.violations.map(\.code), ["reserved"], "the violations of the name")
      person.name.value = "Ada"
      try await store.create(person)
      try requireEqual(try await store.list(ContractPerson.self).map(\.name.value), ["Ada"], "the stored names")
      try require(!person.isDirty, "the model is still dirty")
    },
    Check("update waits for asynchronous rules, and writes nothing if one is violated") { store in
      let identifier = try await store.createAndForget("Ada", age: 36)
      do {
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        person.name.require(code: "reserved", message: "is reserved") { name in
          await Task.yield()
          return name != "root"
        }
        person.name.value = "root"
        let error = try await requireError(.invalid, "save") { try await store.save(person) }
        try requireEqual(error.fields["name"], ["is reserved"], "the errors of the name")
        try require(person.name.isDirty, "the rejected change is no longer dirty")
        store.scope.remove(person)
      }
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.name.value, "Ada", "the name")
    },
    Check("a save that waits for asynchronous rules runs beforeSave once") { store in
      let person = ContractPerson.named("Ada", age: 36)
      person.name.require(code: "taken", message: "is taken") { name in
        await Task.yield()
        return name != "root"
      }
      try await store.create(person)
      person.name.value = "Grace"
      try await store.save(person)
      try requireEqual(
        person.calls, ["beforeSave", "afterCreate", "beforeSave", "afterUpdate"], "the calls")
    },
    Check("update does not check the asynchronous rules of clean fields") { store in
      let person = try await store.lookup(
        ContractPerson.self, identifier: try await store.createAndForget("Ada", age: 36))
      person.name.require(code: "taken", message: "is taken") { _ in
        await Task.yield()
        return false
      }
      person.age.value = 37
      try await store.save(person)
      try require(!person.isDirty, "the model is still dirty")
    },
  ]

  static let cancellingChecks = SharedEngineCheck(
    "a save that is cancelled during an asynchronous rule can be repeated"
  ) { makeStore in
    try await cancellingChecks(makeStore)
  }

  @MainActor private static func cancellingChecks(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    for turns in 0..<12 {
      let person = ContractPerson.named("a", age: 1)
      person.name.require(code: "reserved", message: "is reserved") { name in
        for _ in 0..<5 { await Task.yield() }
        return name != "root"
      }
      for name in ["b", "c"] {
        person.name.value = name
        let save = Task { @MainActor in try await store.save(person) }
        for _ in 0..<turns { await Task.yield() }
        save.cancel()
        do {
          try await save.value
        } catch let error as ModelStoreError {
          try requireEqual(error.code, .cancelled, "the error of a save that was cancelled after \(turns) turns")
        }
        try await store.save(person)
        try require(!person.isDirty, "the model is still dirty")
      }
    }
  }
}
