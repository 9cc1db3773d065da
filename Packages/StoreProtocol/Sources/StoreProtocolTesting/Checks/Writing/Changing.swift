import StoreProtocol

extension ModelStoreContract {
  static let changing: [SharedEngineCheck] = [
    SharedEngineCheck("changes(of:) reports every write of another instance, in order, with identifier and fields") {
      makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let changes = reader.changes(of: ContractPerson.self)
      var iterator = changes.makeAsyncIterator()
      let person = try await writer.create(ContractPerson.named("Ada", age: 36))
      person.age.value = 37
      try await writer.update(person)
      try await writer.create(ContractCompany.named("acme"))
      try await writer.delete(person)
      let identifier = person.identifier ?? "?"
      let created = try await next(&iterator, "changes(of:)")
      try requireEqual(created.map(\.kind), [.created], "the first batch")
      try require(created[0].fields.isSuperset(of: ["name", "age"]), "the fields are \(created[0].fields)")
      try requireEqual(
        Array(try await next(&iterator, "changes(of:)")), [.updated(identifier: identifier, fields: ["age"])],
        "the second batch")
      try requireEqual(
        Array(try await next(&iterator, "changes(of:)")), [.deleted(identifier: identifier)], "the third batch")
    },
    SharedEngineCheck("a batch that is written at once is reported at once", needs: [.batches]) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      var iterator = reader.changes(of: ContractPerson.self).makeAsyncIterator()
      try await writer.createAll(["Ada", "Bob", "Cleo"].map { ContractPerson.named($0) })
      let batch = try await next(&iterator, "changes(of:)")
      try requireEqual(batch.created.count, 3, "the number of models that the batch created")
    },
    SharedEngineCheck(
      "a transaction is reported at once when it is complete, and never if it fails", needs: [.transactions]
    ) {
      makeStore in
      struct Refusal: Error {}
      let reader = try live(await makeStore()), writer = try await makeStore()
      var iterator = reader.changes(of: ContractPerson.self).makeAsyncIterator()
      do {
        try await transaction(in: writer) { store in
          try await store.create(ContractPerson.named("Nobody"))
          throw Refusal()
        }
      } catch is Refusal {}
      try await transaction(in: writer) { store in
        let person = try await store.create(ContractPerson.named("Ada"))
        person.age.value = 36
        try await store.update(person)
        try await store.create(ContractPerson.named("Bob"))
      }
      let batch = try await next(&iterator, "changes(of:)")
      try requireEqual(batch.map(\.kind), [.created, .created], "the batch")
    },
    SharedEngineCheck("live models follow other store instances while changes(of:) is consumed, and keep local changes")
    {
      makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let theirs = try await writer.create(ContractPerson.named("Ada", age: 36))
      let ours = try await reader.lookup(ContractPerson.self, identifier: theirs.identifier ?? "?")
      var iterator = reader.changes(of: ContractPerson.self).makeAsyncIterator()
      var paths = ours.changes.makeAsyncIterator()
      var ages: [Int?] = [], names: [String?] = []
      ours.age.addObserver(updateImmediately: false) { _, new in ages.append(new) }
      ours.name.addObserver(updateImmediately: false) { _, new in names.append(new) }
      ours.height.value = 1.7
      theirs.age.value = 37
      theirs.height.value = 1.8
      try await writer.update(theirs)
      _ = try await next(&iterator, "changes(of:)")
      try requireEqual(ages, [37], "what the observer of the age got")
      try requireEqual(names, [], "what the observer of the name got, which did not change")
      try requireEqual(ours.height.value, 1.7, "the height, which was changed and not saved")
      try requireEqual(try await next(&paths, "person.changes"), ["age", "height"], "the paths of person.changes")
    },
    SharedEngineCheck("a consumer that is too slow is notified that changes were dropped, and continues") { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let person = try await writer.create(ContractPerson.named("Ada", age: 0))
      let ours = try await reader.lookup(ContractPerson.self, identifier: person.identifier ?? "?")
      var iterator = reader.changes(of: ContractPerson.self, buffer: 2).makeAsyncIterator()
      for age in 1...5 {
        person.age.value = age
        try await writer.update(person)
      }
      for _ in 0..<2 { try requireEqual(try await next(&iterator, "changes(of:)").count, 1, "what was kept") }
      let gap = try await next(&iterator, "changes(of:)")
      try require(gap.hasGap && gap.isEmpty, "there is no batch that reports the gap")
      try requireEqual(gap.droppedCount, 3, "the number of dropped changes")
      if reader.canReadRecords { try requireEqual(ours.age.value, 5, "the age after the gap") }
      try await writer.delete(person)
      try requireEqual(try await next(&iterator, "changes(of:)").map(\.kind), [.deleted], "what came after the gap")
    },
  ]
}

extension ContractCompany {
  static func named(_ name: String) -> ContractCompany {
    let company = ContractCompany()
    company.id.value = name
    company.name.value = name
    return company
  }
}
