@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// The live models of a transaction that fails.
  static let rollingBack: [Check] = [
    Check("a transaction that throws restores what it edited, saved or not", needs: [.transactions]) { store in
      let saved = try await store.create(ContractPerson.named("Ada", age: 100))
      let unsaved = try await store.create(ContractPerson.named("Bob", age: 50))
      let identifier = saved.identifier ?? ""
      var reports: [Int?] = []
      let token = saved.age.addObserver(updateImmediately: false) { reports.append($0) }
      try await failing(in: store) { store in
        let found = try await store.lookup(ContractPerson.self, identifier: identifier)
        for _ in 0..<2 {
          found.age.value = (found.age.value ?? 0) - 10
          try await store.save(found)
        }
        unsaved.age.value = 70
        unsaved.tags.value = ["rich"]
      }
      withExtendedLifetime(token) {}
      try requireEqual([saved.age.value, unsaved.age.value], [100, 50], "the ages")
      try require(unsaved.tags.value?.isEmpty != false, "the tags are not as they were")
      try require(!saved.isDirty && !unsaved.isDirty, "a restored model is dirty")
      try requireEqual(reports, [90, 80, 100], "the values that an observer received")
      try await transaction(in: store) { store in
        let found = try await store.lookup(ContractPerson.self, identifier: identifier)
        try requireEqual(found.age.value, 100, "the age in the next transaction")
        found.name.value = "Augusta"
        try await store.save(found)
      }
      try requireEqual(
        try await store.count(ContractPerson.self, where: { $0.age == 100 && $0.name == "Augusta" }), 1,
        "the number of people with the previous age")
    },
    Check("a transaction that throws restores what it loaded from a document", needs: [.transactions]) { store in
      for isSaved in [false, true] {
        let person = try await store.create(ContractPerson.named("Ada", age: 36))
        try await failing(in: store) { store in
          try person.read(["name": "Augusta", "age": 37, "tags": ["rich"]])
          if isSaved { try await store.save(person) }
        }
        try requireEqual(person.name.value, "Ada", "the name, saved: \(isSaved)")
        try require(!person.isDirty, "the person is dirty, saved: \(isSaved)")
        try await store.save(person)
        try requireEqual(try await storedAgain(person, in: store).age.value, 36, "the stored age, saved: \(isSaved)")
      }
    },
    Check("a transaction that throws does not retain what it imported", needs: [.transactions]) { store in
      let json: JSONValue = [["id": "acme", "name": "Acme"]]
      try await failing(in: store) { store in
        try await store.importModels(ContractCompany.self, fromJSON: try json.jsonData())
      }
      try requireEqual(store.scope.unsavedModels.count, 0, "the number of unsaved models")
      let document: JSONValue = [["id": "acme"]]
      let report = try await store.importModels(ContractCompany.self, fromJSON: try document.jsonData())
      try requireEqual(report.created.map(\.name.value), [nil], "the names of the second import")
    },
    Check("a transaction that throws keeps the edits from before it", needs: [.transactions]) { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      person.age.value = 37
      person.name.value = "Augusta"
      try await failing(in: store) { store in
        try await store.save(person)
        person.age.value = 38
        try await store.save(person)
      }
      try requireEqual(person.age.value, 37, "the age")
      try requireEqual(person.name.value, "Augusta", "the name")
      try require(person.age.isDirty && person.name.isDirty && !person.tags.isDirty, "the wrong fields are dirty")
      person.revert()
      try requireEqual(person.age.value, 36, "the reverted age")
      person.age.value = 39
      try await store.save(person)
      try requireEqual(try await store.count(ContractPerson.self, where: { $0.age == 39 }), 1, "the stored number")
    },
    Check("a transaction that throws restores relations and their inverses", needs: [.transactions]) { store in
      let (acme, other) = (ContractCompany(), ContractCompany())
      acme.id.value = "acme"
      other.id.value = "other"
      try await store.createAll([acme, other])
      let person = ContractPerson.named("Ada"), free = ContractPerson.named("Bob")
      person.company.value = acme
      try await store.createAll([person, free])
      let fresh = ContractPerson.named("Cleo")
      try await failing(in: store) { store in
        person.company.value = other
        free.company.value = other
        try await store.save(person)
        try await store.save(free)
        fresh.company.value = acme
        try await store.create(fresh)
      }
      try require(person.company.value === acme && free.company.value == nil, "a reference was not restored")
      try require(!person.isDirty && !free.isDirty, "a restored model is dirty")
      try require(other.employees.value?.isEmpty != false, "an inverse was not restored")
      try require(acme.employees.value?.contains(person) == true, "an inverse lacks a restored reference")
      try require(fresh.company.value === acme, "a new model lost its reference")
      try require(fresh.identifier == nil, "a new model has an identifier")
      try await store.create(fresh)
      try requireEqual(
        try await store.count(ContractPerson.self, where: { $0.company == acme }), 2, "the number of employees")
    },
    Check(
      "a transaction that throws keeps the edits of a new model and of those inside",
      needs: [.transactions, .anyModels]
    ) { store in
      let album = ContractAlbum(), track = ContractTrack()
      track.title.value = "old"
      album.tracks.value = [track]
      try await failing(in: store) { store in
        try await store.save(album)
        track.title.value = "new"
        let added = ContractTrack()
        added.title.value = "added"
        album.tracks.add(added)
      }
      try requireEqual(album.tracks.value?.map(\.title.value), ["new", "added"], "the titles")
      try require(track.title.isDirty && !album.isPersisted, "a title is clean, or the album counts as stored")
      try require(store.scope.unsavedModels.isEmpty, "the scope retains \(store.scope.unsavedModels)")
      try await store.save(album)
      try require(!album.isDirty && !track.isDirty, "a saved model is dirty")
      store.scope.remove(album)
      let stored = try await store.lookup(ContractAlbum.self, identifier: album.identifier ?? "")
      try requireEqual(stored.tracks.value?.map(\.title.value), ["new", "added"], "the stored titles")
    },
    Check("a nested transaction that throws restores the values of the outer one", needs: [.transactions]) { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      let created = ContractPerson.named("Bob", age: 50)
      try await transaction(in: store) { store in
        person.age.value = 37
        try await store.save(person)
        try await store.create(created)
        person.height.value = 1.7
        try await failing(in: store) { store in
          for each in [person, created] {
            each.age.value = 99
            each.height.value = 2
            try await store.save(each)
          }
        }
        try requireEqual([person.age.value, created.age.value], [37, 50], "the ages in the outer transaction")
        try requireEqual(person.height.value, 1.7, "the height that the outer transaction has not saved")
      }
      try requireEqual([person.age.value, created.age.value], [37, 50], "the ages")
      try require(!person.age.isDirty && !created.isDirty, "a committed value is dirty")
      try require(person.height.isDirty && person.height.value == 1.7, "an edit that was not saved is not dirty")
      let ages = try await store.list(ContractPerson.self).map(\.age.value)
      try requireEqual(ages, [37, 50], "the ages of the list")
      for each in [person, created] { store.scope.remove(each) }
      try requireEqual(try await store.list(ContractPerson.self).map(\.age.value), [37, 50], "the stored ages")
    },
    Check("a transaction that throws after a nested one restores what that edited", needs: [.transactions]) { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      try await failing(in: store) { store in
        try await transaction(in: store) { store in
          person.age.value = 37
          try await store.save(person)
        }
        try await store.refresh(person)
        try requireEqual(person.age.value, 37, "the age inside")
        try await store.delete(person)
      }
      try require(person.age.value == 36 && !person.isDirty, "the age is not as it was, or dirty")
      try requireEqual(try await store.list(ContractPerson.self), [person], "the people")
    },
    Check(
      "a transaction that throws leaves models that it was the first to read as they are stored", needs: [.transactions]
    ) { store in
      for isNested in [false, true] {
        let company = ContractCompany.named("Acme")
        company.id.value = "acme \(isNested)"
        let person = ContractPerson.named("Ada", age: 36)
        person.company.value = company
        try await store.create(company)
        try await store.create(person)
        let identifier = person.identifier ?? ""
        for model in [company, person] as [ModelObject] { store.scope.remove(model) }
        var found: ContractPerson?
        func readAfterDeletion(_ store: any ModelStore) async throws {
          try await store.delete(try await store.lookup(ContractCompany.self, identifier: "acme \(isNested)"))
          found = try await store.lookup(ContractPerson.self, identifier: identifier)
          try require(found?.company.value == nil, "the deleted company is referenced, nested: \(isNested)")
        }
        if isNested {
          try await transaction(in: store) { store in
            try await failing(in: store, readAfterDeletion)
            try requireEqual(
              found?.company.value?.identifier, "acme true", "the identifier of the company in the outer transaction")
          }
        } else {
          try await failing(in: store, readAfterDeletion)
        }
        guard let found else { throw ContractViolation("no person was found") }
        let what = "the identifier of the company, nested: \(isNested)"
        try requireEqual(found.company.value?.identifier, "acme \(isNested)", what)
        try require(!found.isDirty, "the person is dirty, nested: \(isNested)")
        found.company.value = nil
        try await store.save(found)
        try require(
          try await storedAgain(found, in: store).company.value == nil, "the link is stored, nested: \(isNested)")
      }
    },
    Check("an undo history has no edits of a transaction that failed", needs: [.transactions]) { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      let undo = ModelUndo(store.scope)
      undo.step("Rename") { person.name.value = "Augusta" }
      undo.beginStep("Age")
      try await failing(in: store) { store in
        person.age.value = 37
        try await store.save(person)
      }
      undo.endStep()
      try requireEqual(undo.undoLabel, "Rename", "the step to undo")
      try undo.undo()
      try require(person.name.value == "Ada" && person.age.value == 36, "the undone values")
    },
  ]

  /// The body of a transaction that is repeated after a conflict.
  static let repeatingTransactions: [SharedEngineCheck] = [
    SharedEngineCheck("a transaction conflicts if others delete and create again what it wrote") { makeStore in
      let first = try await makeStore(), second = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let company = ContractCompany.named("Acme")
      company.id.value = "acme"
      try await first.create(company)
      for isDeletion in [false, true] {
        try await first.refresh(company)
        try await requireError(.conflict, "the transaction, with a deletion: \(isDeletion),") {
          try await transaction(in: first) { store in
            company.name.value = "Mine"
            if isDeletion { try await store.delete(company) } else { try await store.save(company) }
            try await second.delete(try await second.lookup(ContractCompany.self, identifier: "acme"))
            let new = ContractCompany.named("New")
            new.id.value = "acme"
            try await second.create(new)
          }
        }
        let stored = try await makeStore().lookup(ContractCompany.self, identifier: "acme")
        try requireEqual(stored.name.value, "New", "the stored name")
      }
    },
    SharedEngineCheck("a transaction that is repeated after a conflict begins with the stored values") { makeStore in
      let first = try await makeStore(), second = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let person = try await first.create(ContractPerson.named("Ada", age: 100))
      let identifier = person.identifier ?? ""
      let same = try await second.lookup(ContractPerson.self, identifier: identifier)
      var attempts = 0
      while true {
        do {
          try await transaction(in: first) { store in
            let found = try await store.lookup(ContractPerson.self, identifier: identifier)
            found.age.value = (found.age.value ?? 0) - 10
            try await store.update(found)
            attempts += 1
            if attempts > 1 { return }
            same.age.value = 50
            try await second.update(same)
          }
          break
        } catch let error as ModelStoreError where error.code == .conflict && attempts == 1 {
          continue
        }
      }
      try requireEqual(person.age.value, 40, "the age")
      try require(!person.isDirty, "the model is dirty")
      try await second.refresh(same)
      try requireEqual(same.age.value, 40, "the age in the other instance")
    },
    SharedEngineCheck("a transaction that throws keeps the edits that another task made meanwhile") { makeStore in
      try await editingElsewhere(makeStore)
    },
  ]

  @MainActor private static func editingElsewhere(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 36))
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task { @MainActor in
      for await _ in begun { break }
      person.age.value = 40
    }
    try await failing(in: store) { store in
      person.age.value = 37
      person.name.value = "Augusta"
      try await store.save(person)
      begin.finish()
      await task.value
    }
    try require(person.age.value == 40 && person.age.isDirty, "the edit of the other task is gone")
    try require(person.name.value == "Ada" && !person.name.isDirty, "an edit was not rolled back")
    person.revert()
    try requireEqual(person.age.value, 36, "the reverted age")
  }

  private struct Refusal: Error {}

  /// Runs a transaction that fails at its end.
  static func failing(
    in store: any ModelStore, _ body: (any ModelStore) async throws -> Void
  ) async throws {
    do {
      try await transaction(in: store) { store in
        try await body(store)
        throw Refusal()
      }
    } catch is Refusal {}
  }
}
