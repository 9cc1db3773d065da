import StoreProtocol

extension ModelStoreContract {
  static let observing: [SharedEngineCheck] = [
    SharedEngineCheck("observe gives the present result, and a new one with differences after a write") { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let ada = try await writer.create(ContractPerson.named("Ada"))
      var iterator = reader.observe(ContractPerson.self).makeAsyncIterator()
      let first = try await next(&iterator, "observe")
      try requireEqual(first.models.map(\.name.value), ["Ada"], "the first result")
      try requireEqual(first.differences.inserted.map(\.index), [0], "what was inserted at first")
      try await writer.create(ContractPerson.named("Bob"))
      let second = try await next(&iterator, "observe")
      try requireEqual(second.models.map(\.name.value), ["Ada", "Bob"], "the second result")
      try require(second.models[0] === first.models[0], "the object is another one")
      try requireEqual(second.differences.applied(to: first.models), second.models, "the differences applied")
      ada.name.value = "Ada L."
      try await writer.update(ada)
      let third = try await next(&iterator, "observe")
      try requireEqual(third.differences.updated.map(\.index), [0], "what was updated")
      try requireEqual(first.models[0].name.value, "Ada L.", "the name of the live instance")
      try await writer.delete(ada)
      let fourth = try await next(&iterator, "observe")
      try requireEqual(fourth.models.map(\.name.value), ["Bob"], "the result after a deletion")
      try requireEqual(fourth.differences.removed.map(\.index), [0], "what was removed")
    },
    SharedEngineCheck("a live result has the stored values of models that were unloaded") { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      for name in ["Ada", "Cleo"] { try await writer.create(ContractPerson.named(name, age: 36)) }
      var iterator = reader.observe(ContractPerson.self).makeAsyncIterator()
      let people = try await next(&iterator, "observe").models
      people[0].unload()
      try await writer.create(ContractPerson.named("Bob", age: 20))
      let second = try await next(&iterator, "observe")
      try requireEqual(second.models.map(\.name.value), ["Ada", "Cleo", "Bob"], "the names")
      try require(second.models[0] === people[0] && !people[0].isDirty, "the unloaded model is another one, or dirty")
      try requireEqual(second.differences.updated.map(\.index), [0], "what was updated")
      try requireEqual(second.differences.inserted.map(\.index), [2], "what was inserted")
    },
    SharedEngineCheck("a live query with an order loads models again that were unloaded", needs: [.queries]) {
      makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let people = [("Ada", 10), ("Bob", 20), ("Cleo", 30), ("Dan", 40)].map { ContractPerson.named($0, age: $1) }
      for person in people { try await writer.create(person) }
      var iterator = reader.observe(
        ContractPerson.self, where: { $0.age > 5 }, sort: [.descending(\.age)], limit: 3
      ).makeAsyncIterator()
      for model in try await next(&iterator, "observe").models { model.unload() }
      people[0].age.value = 35
      try await writer.update(people[0])
      let second = try await next(&iterator, "observe").models
      try requireEqual(second.map(\.name.value), ["Dan", "Ada", "Cleo"], "the result after one entered")
      second[0].unload()
      try await writer.delete(people[3])
      try requireEqual(
        try await next(&iterator, "observe").models.map(\.name.value), ["Ada", "Cleo", "Bob"],
        "the result after an unloaded one was deleted")
    },
    SharedEngineCheck("a live query follows its condition, order and limit", needs: [.queries]) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let people = [("Ada", 36), ("Bob", 20), ("Cleo", 50), ("Dan", 40)].map { ContractPerson.named($0, age: $1) }
      for person in people { try await writer.create(person) }
      var iterator = reader.observe(
        ContractPerson.self, where: { $0.age > 30 }, sort: [.ascending(\.age)], limit: 2
      ).makeAsyncIterator()
      func names() async throws -> [String?] { try await next(&iterator, "observe").models.map(\.name.value) }
      try requireEqual(try await names(), ["Ada", "Dan"], "the first result")
      people[0].age.value = 10
      try await writer.update(people[0])
      try requireEqual(try await names(), ["Dan", "Cleo"], "the result after one left")
      people[1].age.value = 31
      try await writer.update(people[1])
      try requireEqual(try await names(), ["Bob", "Dan"], "the result after one came")
      people[1].age.value = 45
      try await writer.update(people[1])
      try requireEqual(try await names(), ["Dan", "Bob"], "the result after one moved")
    },
    SharedEngineCheck("a live query follows related models", needs: [.queries]) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let acme = try await writer.create(ContractCompany.named("Acme"))
      let ada = ContractPerson.named("Ada"), bob = ContractPerson.named("Bob")
      ada.company.value = acme
      try await writer.create(ada)
      try await writer.create(bob)
      var iterator = reader.observe(
        ContractPerson.self, where: { $0.company.name.hasPrefix("B") }
      ).makeAsyncIterator()
      try requireEqual(try await next(&iterator, "observe").models.count, 0, "the number of models at first")
      acme.name.value = "Bacme"
      try await writer.update(acme)
      try requireEqual(
        try await next(&iterator, "observe").models.map(\.name.value), ["Ada"], "the result after the company changed")
      bob.company.value = acme
      try await writer.update(bob)
      try requireEqual(
        try await next(&iterator, "observe").models.map(\.name.value), ["Ada", "Bob"],
        "the result after one joined the company")
    },
    SharedEngineCheck("an error does not end a live query") { makeStore in
      let reader = try live(await makeStore())
      var iterator = reader.observe(ContractPerson.self, limit: -1).makeAsyncIterator()
      let result = try await next(&iterator, "observe")
      try requireEqual(result.error?.code, .invalid, "the error of a limit below 0")
      try require(result.models.isEmpty, "there are models")
    },
    SharedEngineCheck("no consumer observes any more after it is released or cancelled") { makeStore in
      let reader = try live(await makeStore())
      do {
        var iterator = reader.observe(ContractPerson.self).makeAsyncIterator()
        _ = try await next(&iterator, "observe")
        let changes = reader.changes(of: ContractPerson.self)
        try require(reader.changeFeed.isObserved, "the feed has no observer")
        withExtendedLifetime((iterator, changes)) {}
      }
      try require(!reader.changeFeed.isObserved, "a released consumer still observes")
      let task = Task {
        let reader = try live(await makeStore())
        for await _ in reader.changes(of: ContractPerson.self) {}
        for await _ in reader.observe(ContractPerson.self) {}
      }
      task.cancel()
      try await task.value
      try require(!reader.changeFeed.isObserved, "a cancelled consumer still observes")
    },
    SharedEngineCheck("a live query ends with the stored models when 8 tasks write and observe", needs: [.queries]) {
      makeStore in
      try await withThrowingTaskGroup(of: Void.self) { group in
        let store = try live(await makeStore())
        let query = ModelQuery(ContractPerson.self, where: { $0.age < 6 }, sort: [.descending(\.height)], limit: 20)
        var iterator = store.observe(query).makeAsyncIterator()
        var models = try await next(&iterator, "observe").models
        for task in 0..<8 {
          group.addTask {
            let instance = try live(await makeStore())
            var results = instance.observe(ContractPerson.self).makeAsyncIterator()
            var changes = instance.changes(of: ContractPerson.self).makeAsyncIterator()
            _ = try await next(&results, "observe")
            for number in 0..<12 {
              let person = try await instance.create(ContractPerson.named("\(task)-\(number)", age: task))
              // Its own, or one of another task.
              _ = try await next(&changes, "changes(of:)")
              _ = try await next(&results, "observe")
              person.height.value = Double(task * 100 + number)
              try await instance.update(person)
              if number.isMultiple(of: 3) { try await instance.delete(person) }
            }
          }
        }
        try await group.waitForAll()
        try await makeStore().create(ContractPerson.named("last", age: 1))
        let expected = try await store.list(query)
        while models != expected {
          let result = try await next(&iterator, "observe")
          try requireEqual(result.differences.applied(to: models), result.models, "the differences applied")
          models = result.models
        }
      }
    },
  ]
}
