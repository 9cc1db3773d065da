import StoreProtocol

extension ModelStoreContract {
  static let updating: [Check] = [
    Check("update stores the changed fields") { store in
      let identifier = try await store.createAndForget("Ada", age: 36)
      do {
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        person.name.value = "Augusta"
        person.tags.value = ["countess"]
        try await store.update(person)
        try require(!person.isDirty, "the model is still dirty")
      }
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.name.value, "Augusta", "the name")
      try requireEqual(person.age.value, 36, "the age")
      try requireEqual(person.tags.value, ["countess"], "the tags")
    },
    Check("update can make a value nil") { store in
      let identifier = try await store.createAndForget("Ada", age: 36)
      do {
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        person.age.value = nil
        try await store.update(person)
      }
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.age.value, nil, "the age")
      try requireEqual(person.age.loadState, .loaded, "the load state of the age")
    },
    Check("a save of an unloaded model without changes writes nothing") { store in
      let person = try await store.lookup(
        ContractPerson.self, identifier: try await store.createAndForget("Ada", age: 36))
      person.age.require(.notNil)
      person.unload()
      try await store.save(person)
      try await store.update(person)
      try requireEqual(person.loadState, .incomplete, "the load state")
      try await store.refresh(person)
      try requireEqual(person.age.value, 36, "the age")
    },
    Check("update of chosen fields leaves the others as stored, and dirty") { store in
      let identifier = try await store.createAndForget("Ada", age: 36)
      do {
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        person.name.value = "Augusta"
        person.age.value = 37
        try await store.update(person, fields: [person.age])
        try require(person.name.isDirty, "the name is not dirty any more")
        try require(!person.age.isDirty, "the age is still dirty")
        // The scope keeps a model that has changes to be saved.
        store.scope.remove(person)
      }
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.name.value, "Ada", "the name")
      try requireEqual(person.age.value, 37, "the age")
    },
    Check("update of chosen fields also writes those that beforeSave sets") { store in
      let identifier = try await store.createAndForget("Ada", age: 36)
      do {
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        person.willSave = { $0.isActive.value = $0.name.value == "Augusta" }
        person.name.value = "Augusta"
        person.age.value = 37
        try await store.update(person, fields: [person.name])
        try require(!person.isActive.isDirty, "what beforeSave set is still dirty")
        try require(person.age.isDirty, "the age is not dirty any more")
        store.scope.remove(person)
      }
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.name.value, "Augusta", "the name")
      try requireEqual(person.isActive.value, true, "what beforeSave set")
      try requireEqual(person.age.value, 36, "the age")
    },
    Check("update of chosen fields throws invalid for a field of another model", needs: [.anyModels]) { store in
      let (first, second) = (ContractPerson.named("Ada"), ContractPerson.named("Bob"))
      try await store.create(first)
      try await store.create(second)
      first.name.value = "Augusta"
      try await requireError(.invalid, "update with a field of another model") {
        try await store.update(second, fields: [first.name])
      }
      try requireEqual(try await storedAgain(second, in: store).name.value, "Bob", "the stored name")
      try require(first.name.isDirty, "the name of the other model is clean")
      let book = ContractBook()
      (book.id.value, book.title.value, book.author.value) = (1, "Emma", ContractAuthor())
      try await store.create(book)
      guard let author = book.author.value else { throw ContractViolation("the book lost its author") }
      author.name.value = "Jane"
      let error = try await requireError(.invalid, "update with a field of an embedded model") {
        try await store.update(book, fields: [author.name])
      }
      try require("\(error)".contains("author"), "the error does not name the relation: \(error)")
      try await store.update(book, fields: [book.author])
      try requireEqual(try await storedAgain(book, in: store).author.value?.name.value, "Jane", "the stored author")
    },
    Check("update of a field that was neither read nor set leaves the stored value", needs: [.anyModels]) { store in
      let person = ContractPerson.named("Ada")
      person.height.value = 1.7
      try await store.create(person)
      store.scope.remove(person)
      let reference = ContractPerson.with(identifier: person.identifier ?? "", in: store.scope)
      try await store.update(reference, fields: [reference.height])
      try requireEqual(try await storedAgain(reference, in: store).height.value, 1.7, "the stored height")
      let (course, student) = (ContractCourse(), ContractStudent())
      (course.id.value, student.id.value) = (1, 1)
      try await store.create(student)
      try await store.create(course)
      try await store.update(course, fields: [course.students])
      course.students.add(student)
      try await store.save(course)
      try requireEqual(try await storedAgain(course, in: store).students.count, 1, "the number of students")
    },
    Check("update of an invalid model throws invalid and leaves what is stored") { store in
      let identifier = try await store.createAndForget("Ada", age: 36)
      do {
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        person.age.value = 200
        try await requireError(.invalid, "update of an invalid model") { try await store.update(person) }
        try requireEqual(person.age.value, 200, "the age of the live model")
        store.scope.remove(person)
      }
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.age.value, 36, "the stored age")
    },
    Check("update of an unknown identifier throws notFound and creates nothing") { store in
      let person = ContractPerson.named("Ada")
      person.id.value = 4711
      let error = try await requireError(.notFound, "update") { try await store.update(person) }
      try requireEqual(error.identifier, "4711", "the identifier of the error")
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of stored models")
    },
    Check("update of a model without identifier throws noIdentifier") { store in
      try await requireError(.noIdentifier, "update") { try await store.update(ContractPerson.named("Ada")) }
    },
    Check("update runs beforeSave, then afterUpdate") { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      person.age.value = 36
      try await store.update(person)
      try requireEqual(
        person.calls, ["beforeSave", "afterCreate", "beforeSave", "afterUpdate"], "the calls")
    },
    Check("save creates a model that was read from JSON") { store in
      let person = try ContractPerson.from(dictionaryValue: ["id": 12, "name": "Ada"], in: store.scope)
      try await store.save(person)
      try requireEqual(try await store.list(ContractPerson.self).map(\.id.value), [12], "what is stored")
      person.age.value = 36
      try await store.save(person)
      try requireEqual(person.calls.last, "afterUpdate", "the last call")
    },
    Check("save updates a model that was found") { store in
      let identifier = try await store.createAndForget("Ada")
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      person.age.value = 36
      try await store.save(person)
      try requireEqual(person.calls, ["beforeSave", "afterUpdate"], "the calls")
    },
    Check("save creates a new model and updates it afterwards") { store in
      let person = ContractPerson.named("Ada")
      try await store.save(person)
      person.age.value = 36
      try await store.save(person)
      try requireEqual(
        person.calls, ["beforeSave", "afterCreate", "beforeSave", "afterUpdate"], "the calls")
      try requireEqual(try await store.list(ContractPerson.self).count, 1, "the number of stored models")
    },
    Check("nil and an empty list assigned to fields that were never read are written") { store in
      let identifier = try await personWithEverything(in: store)
      func erase() async throws {
        let person = ContractPerson.with(identifier: identifier, in: store.scope)
        person.age.value = nil
        person.nickname.value = nil
        person.company.value = nil
        person.tags.value = []
        try require(person.age.isDirty && person.company.isDirty && person.tags.isDirty, "a field is not dirty")
        try await store.save(person)
        try require(!person.isDirty, "the person is still dirty")
        try requireEqual(person.name.value, "Ada", "the name, which was not assigned")
      }
      try await erase()
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.age.value, nil, "the age")
      try requireEqual(person.nickname.value, nil, "the nickname")
      try require(person.company.value == nil, "the company is still there")
      try requireEqual(person.tags.value ?? [], [], "the tags")
      try requireEqual(person.height.value, 1.7, "the height")
    },
    Check("revert of a field that was never read unloads it again") { store in
      let identifier = try await personWithEverything(in: store)
      func eraseAndRevert() async throws {
        let person = ContractPerson.with(identifier: identifier, in: store.scope)
        person.age.value = nil
        person.company.value = nil
        person.tags.value = nil
        person.revert()
        try require(!person.isDirty, "the person is dirty after revert")
        try require(person.age.isUnset && person.company.isUnset && person.tags.isUnset, "a field is still set")
      }
      try await eraseAndRevert()
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(person.age.value, 36, "the age")
      try requireEqual(person.company.value?.identifier, "acme", "the company")
      try requireEqual(person.tags.value, ["a"], "the tags")
    },
    Check("an empty list of models assigned to one that was never read is written", needs: [.anyModels]) { store in
      func create() async throws {
        let keeper = ContractKeeper(), animal = ContractAnimal()
        keeper.id.value = 1
        keeper.name.value = "Ann"
        animal.id.value = 1
        try await store.create(animal)
        keeper.animals.add(animal)
        try await store.create(keeper)
        try await store.save(animal)
      }
      func erase() async throws {
        let keeper = ContractKeeper.with(identifier: "1", in: store.scope)
        keeper.animals.value = []
        try require(keeper.animals.isDirty, "the list is not dirty")
        try await store.save(keeper)
        try require(!keeper.isDirty, "the keeper is still dirty")
      }
      try await create()
      try await erase()
      let keeper = try await store.lookup(ContractKeeper.self, identifier: "1")
      try requireEqual(keeper.animals.value?.count ?? 0, 0, "the number of animals")
      try requireEqual(keeper.name.value, "Ann", "the name")
    },
  ]

  /// Creates a person of whom every field that the checks erase has a value, and who does not stay in memory.
  private static func personWithEverything(in store: any ModelStore) async throws -> String {
    let company = ContractCompany.with(identifier: "acme", in: store.scope)
    company.name.value = "Acme"
    try await store.create(company)
    let person = ContractPerson.named("Ada", age: 36)
    person.nickname.value = "countess"
    person.height.value = 1.7
    person.tags.value = ["a"]
    person.company.value = company
    return try await store.create(person).identifier ?? ""
  }
}
