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
    Check("create of chosen fields writes these and what beforeSave sets, and leaves the others dirty") { store in
      let person = ContractPerson.named("Ada", age: 36)
      person.height.value = 1.7
      person.willSave = { $0.isActive.value = true }
      try await store.create(person, fields: [person.name, person.balance])
      let identifier = person.identifier ?? ""
      try require(person.isPersisted, "the model is not persisted")
      try require(!person.name.isDirty && !person.isActive.isDirty && !person.id.isDirty, "written values are dirty")
      try require(person.age.isDirty && person.height.isDirty, "values that were not written are clean")
      try requireEqual(person.age.value, 36, "the age of the live model")
      person.willSave = nil
      store.scope.remove(person)
      do {
        let stored = try await store.lookup(ContractPerson.self, identifier: identifier)
        try requireEqual(stored.name.value, "Ada", "the stored name")
        try requireEqual(stored.isActive.value, true, "what beforeSave set")
        try require(stored.age.value == nil && stored.height.value == nil, "other values were written")
        store.scope.remove(stored)
      }
      try await store.update(person)
      try require(!person.isDirty, "the model is dirty after an update")
      store.scope.remove(person)
      let stored = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(stored.age.value, 36, "the stored age")
      try requireEqual(stored.height.value, 1.7, "the stored height")
    },
    Check("create of chosen fields checks all rules, and rejects fields of another model") { store in
      let person = ContractPerson.named("Ada", age: 131)
      try await requireError(.invalid, "create with an invalid age") {
        try await store.create(person, fields: [person.name])
      }
      person.age.value = 36
      let other = ContractPerson.named("Bob")
      try await requireError(.invalid, "create with a field of another model") {
        try await store.create(person, fields: [other.name])
      }
      try require(!person.isPersisted && person.identifier == nil, "a rejected model is persisted")
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of stored models")
      try await store.create(person)
      try require(!person.isDirty, "a model that is created as a whole is dirty")
    },
    Check("create of chosen fields rejects a record without a required value", needs: [.anyModels]) { store in
      let parcel = ContractParcel()
      (parcel.address.value, parcel.note.value) = ("Main Street 1", "fragile")
      let error = try await requireError(.invalid, "create without the address") {
        try await store.create(parcel, fields: [parcel.note])
      }
      try require(error.fields["address"] != nil, "the error does not name the field: \(error)")
      try requireEqual(try await store.count(ContractParcel.self), 0, "the number of stored models")
      try await store.create(parcel, fields: [parcel.address])
      try requireEqual(try await storedAgain(parcel, in: store).note.value, nil, "the stored note")
      try require(parcel.note.isDirty, "the note is not dirty any more")
    },
    Check("an initial value that a creation left out is written by the next update", needs: [.anyModels]) { store in
      let meter = ContractMeter()
      meter.state = "closed"
      try await store.create(meter, fields: [meter.$state])
      // A server may complete the record.
      try require(!meter.$state.isDirty, "the written field is dirty")
      try await store.update(meter)
      try require(!meter.isDirty, "the model is dirty after an update")
      let stored = try await storedAgain(meter, in: store)
      try requireEqual(stored.state, "closed", "the stored state")
      try requireEqual(stored.share, 0.5, "the stored share")
    },
    Check("save of chosen fields creates a new model, updates a stored one, and writes no other field") { store in
      let person = ContractPerson.named("Ada", age: 36)
      try await store.save(person, fields: [person.name])
      try require(person.age.isDirty && !person.name.isDirty, "the wrong fields are dirty after the creation")
      (person.name.value, person.height.value) = ("Augusta", 1.7)
      try await store.save(person, fields: [person.height])
      try require(person.age.isDirty && person.name.isDirty && !person.height.isDirty, "the wrong fields are dirty")
      store.scope.remove(person)
      let stored = try await store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(stored.name.value, "Ada", "the stored name")
      try requireEqual(stored.height.value, 1.7, "the stored height")
      try require(stored.age.value == nil, "the age was written")
    },
    Check("a failed transaction leaves a model new that it created with chosen fields", needs: [.transactions]) {
      store in
      struct Failure: Error {}
      let person = ContractPerson.named("Ada", age: 36)
      do {
        try await transaction(in: store) { store in
          try await store.create(person, fields: [person.name])
          throw Failure()
        }
      } catch is Failure {}
      try require(!person.isPersisted && person.name.isDirty, "the model counts as stored")
      try await store.create(person)
      try require(!person.isDirty, "the model is dirty")
      let stored = try await storedAgain(person, in: store)
      try requireEqual(stored.name.value, "Ada", "the stored name")
      try requireEqual(stored.age.value, 36, "the stored age")
    },
    Check("createAll adds every model, in order") { store in
      let people = ["Ada", "Grace", "Edsger"].map { ContractPerson.named($0) }
      try await store.createAll(people)
      try requireEqual(
        try await store.list(ContractPerson.self).map(\.name.value), ["Ada", "Grace", "Edsger"], "what is stored")
    },
  ]
}

/// A model with a value that its records must have.
final class ContractParcel: Model {
  let id = Field<Int>()
  let address = Field<String>().requireNotNil()
  let note = Field<String>()
  override var identifierField: AnyField? { id }
}
