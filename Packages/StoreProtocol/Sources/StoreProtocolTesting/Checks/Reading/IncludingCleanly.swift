@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

// A relation or an inverse that is filled from records is loaded, not edited.
extension ModelStoreContract {
  static let includingCleanly: [Check] = [
    Check("including a foreign key and an inverse list leaves no model dirty", needs: [.queries]) { store in
      try await createStaff(in: store)
      for isLive in [false, true] {
        let live = isLive ? try await store.list(ContractPerson.self) : []
        let people = try await store.list(ContractPerson.self, including: [\.company.employees])
        try requireClean(people + people.compactMap(\.company.value), "people with their companies")
        let companies = try await store.list(ContractCompany.self, including: [\.employees.company])
        try requireClean(companies + people, "companies with their employees")
        try requireEqual(companies.map(\.employees.count), [2, 1], "the numbers of the employees")
        try requireEqual(companies.map(\.employees.loadState), [.loaded, .loaded], "the load states")
        withExtendedLifetime(live) {}
      }
    },
    Check("including lists of foreign keys leaves no model dirty, two levels deep", needs: [.queries, .anyModels]) {
      store in
      try await storeKeepers(in: store)
      for isLive in [false, true] {
        let live = isLive ? try await store.list(ContractAnimal.self) : []
        let animals = try await store.list(ContractAnimal.self, including: [\.keeper.animals])
        try requireClean(animals + animals.compactMap(\.keeper.value), "animals with their keepers")
        let keepers = try await store.list(ContractKeeper.self, including: [\.animals.keeper])
        try requireClean(keepers + animals, "keepers with their animals")
        try requireEqual(keepers.map { ids($0.animals.value) }, [[1, 2], [3]], "the animals")
        withExtendedLifetime(live) {}
      }
    },
    Check("a path that ends at its first models keeps those between live", needs: [.queries, .anyModels]) {
      store in
      try await storeKeepers(in: store)
      let keepers = try await store.list(ContractKeeper.self, including: [\.animals.keeper])
      try requireEqual(keepers.map { ids($0.animals.value) }, [[1, 2], [3]], "the animals")
      try requireEqual(keepers.map(\.animals.count), [2, 1], "the numbers of the animals")
    },
    Check("including finds a live member whose owner was released", needs: [.queries]) { store in
      try await createStaff(in: store)
      let people = try await store.list(ContractPerson.self)
      for _ in 1...2 {
        let companies = try await store.list(ContractCompany.self, including: [\.employees])
        try requireEqual(companies.map(\.employees.count), [2, 1], "the numbers of the employees")
      }
      try requireEqual(people.filter { $0.company.value == nil }.count, 0, "the number of people without a company")
    },
    Check("including many to many leaves no model dirty", needs: [.queries, .anyModels]) { store in
      try await createCourses(in: store)
      for isLive in [false, true] {
        let live = isLive ? try await store.list(ContractStudent.self) : []
        let students = try await store.list(ContractStudent.self, including: [\.courses.students])
        try requireClean(students + students.flatMap { $0.courses.value ?? [] }, "students with their courses")
        let courses = try await store.list(ContractCourse.self, including: [\.students.courses])
        try requireClean(courses + students, "courses with their students")
        try requireEqual(courses.map { $0.students.value?.map(\.id.value) ?? [] }, [[1, 2], [2]], "the students")
        withExtendedLifetime(live) {}
      }
    },
    Check("including relations without an inverse leaves no model dirty", needs: [.queries, .anyModels]) { store in
      try await createStaff(in: store)
      func create() async throws {
        let ticket = ContractTicket()
        ticket.company.value = ContractCompany.with(identifier: "c0", in: store.scope)
        ticket.watchers.add(ContractCompany.with(identifier: "c1", in: store.scope))
        try await store.create(ticket)
      }
      try await create()
      let tickets = try await store.list(ContractTicket.self, including: [\.company.employees, \.watchers.employees])
      let companies = tickets.compactMap(\.company.value) + tickets.flatMap { $0.watchers.value ?? [] }
      try requireClean(tickets + companies + companies.flatMap { $0.employees.value ?? [] }, "tickets and companies")
    },
    Check("including leaves records that contradict each other clean", needs: [.queries, .anyModels]) { store in
      try await storeKeepers(in: store)
      try await moveAnimal("2", to: "2", in: store)
      for isLive in [false, true] {
        let live = isLive ? try await store.list(ContractAnimal.self) : []
        let keepers = try await store.list(ContractKeeper.self, including: [\.animals.keeper])
        let animals = try await store.list(ContractAnimal.self, including: [\.keeper.animals])
        try requireClean(keepers + animals, "keepers and animals")
        withExtendedLifetime(live) {}
      }
    },
    Check("including keeps the edits of models that were live before, and adds none", needs: [.queries, .anyModels]) {
      store in
      try await storeKeepers(in: store)
      let first = try await store.lookup(ContractAnimal.self, identifier: "1")
      let second = ContractKeeper.with(identifier: "2", in: store.scope)
      first.keeper.value = second
      let keepers = try await store.list(ContractKeeper.self, including: [\.animals.keeper])
      try require(first.keeper.value === second && first.keeper.isDirty, "the edit of the foreign key was lost")
      try requireEqual(Set(ids(keepers[0].animals.value)), [2], "the animals that are left")
      try requireEqual(Set(ids(keepers[1].animals.value)), [1, 3], "the animals with the one that came")
      for animal in keepers.flatMap({ $0.animals.value ?? [] }) where animal !== first {
        try requireClean([animal], "an animal that was not edited")
      }
      first.revert()
      try requireClean([first], "the animal after revert")
      try requireEqual(first.keeper.value?.identifier, "1", "the keeper after revert")
    },
  ]

  static func ids(_ animals: [ContractAnimal]?) -> [Int] { (animals ?? []).compactMap(\.id.value) }

  static func requireClean(_ models: [any Model], _ what: String) throws {
    for model in models {
      let dirty = model.dirtyFields.compactMap(\.key)
      try require(
        dirty.isEmpty && !model.isDirty, "\(what): \(type(of: model)) \(model.identifier ?? "?") is dirty: \(dirty)")
    }
  }

  // Each in a function of its own, so that later reads come from the store.

  private static func createStaff(in store: any ModelStore) async throws {
    let companies = (0..<2).map { ContractCompany.with(identifier: "c\($0)", in: store.scope) }
    for company in companies {
      company.name.value = "Company"
      try await store.create(company)
    }
    for (number, company) in [0, 0, 1].enumerated() {
      let person = ContractPerson.named("\(number)")
      person.company.value = companies[company]
      try await store.create(person)
    }
    for company in companies { try await store.save(company) }
  }

  /// Creates keeper 1 with the animals 1 and 2, and keeper 2 with animal 3.
  static func storeKeepers(in store: any ModelStore) async throws {
    for (keeperNumber, numbers) in [(1, [1, 2]), (2, [3])] {
      let keeper = ContractKeeper()
      keeper.id.value = keeperNumber
      var animals: [ContractAnimal] = []
      for number in numbers {
        let animal = ContractAnimal()
        animal.id.value = number
        animals.append(try await store.create(animal))
      }
      keeper.animals.value = animals
      try await store.create(keeper)
      for animal in animals { try await store.save(animal) }
    }
  }

  /// Saves an animal with another keeper, but not the keepers, whose records contradict it then.
  static func moveAnimal(_ animal: String, to keeper: String?, in store: any ModelStore) async throws {
    let animal = try await store.lookup(ContractAnimal.self, identifier: animal)
    let keepers = [animal.keeper.value, keeper.map { ContractKeeper.with(identifier: $0, in: store.scope) }]
    animal.keeper.value = keepers[1]
    try await store.save(animal)
    for keeper in keepers { if let keeper { store.scope.remove(keeper) } }
    store.scope.remove(animal)
  }

  private static func createCourses(in store: any ModelStore) async throws {
    let students = (1...2).map { number in
      let student = ContractStudent()
      student.id.value = number
      return student
    }
    for student in students { try await store.create(student) }
    for (number, members) in [students, [students[1]]].enumerated() {
      let course = ContractCourse()
      course.id.value = number + 1
      course.students.value = members
      try await store.create(course)
    }
    for student in students { try await store.save(student) }
  }
}
