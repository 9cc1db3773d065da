import StoreProtocol

extension ModelStoreContract {
  static let querying: [Check] = [
    Check("list rejects negative limits and offsets") { store in
      try await requireError(.invalid, "a limit of -1") { _ = try await store.list(ContractPerson.self, limit: -1) }
      try await requireError(.invalid, "an offset of -1") { _ = try await store.list(ContractPerson.self, offset: -1) }
    },
    Check("list finds the models for which a condition holds, in the order of their creation", needs: [.queries]) {
      store in
      try await store.createAll([
        ContractPerson.named("Ada", age: 36), ContractPerson.named("Bob", age: 40),
        ContractPerson.named("Cleo", age: 50), ContractPerson.named("Dan"),
      ])
      let found = try await store.list(ContractPerson.self, where: { $0.age > 36 && $0.name != "Bob" || $0.age == nil })
      try requireEqual(found.map(\.name.value), ["Cleo", "Dan"], "the list")
    },
    Check("nil is equal to nil only, and neither less nor greater than anything", needs: [.queries]) { store in
      try await store.createAll([ContractPerson.named("Ada", age: 36), ContractPerson.named("Dan")])
      try requireEqual(
        try await store.list(ContractPerson.self, where: { $0.age != 36 }).map(\.name.value), ["Dan"], "!=")
      try requireEqual(try await store.count(ContractPerson.self, where: { $0.age < 100 }), 1, "the number below 100")
      try requireEqual(
        try await store.count(ContractPerson.self, where: { !($0.age < 100) }), 1, "the number not below")
    },
    Check("list evaluates stored values, not local changes", needs: [.queries]) { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      person.age.value = 99
      let found = try await store.list(ContractPerson.self, where: { $0.age == 36 })
      try require(found == [person], "a local change hides the model")
      try requireEqual(person.age.value, 99, "the local change")
      try requireEqual(try await store.count(ContractPerson.self, where: { $0.age == 99 }), 0, "the number with 99")
    },
    Check("list sorts by several criteria, and keeps the order of equals", needs: [.queries]) { store in
      let people = [("b", 2), ("a", 1), ("c", nil), ("B", 2), ("a", 3)].map { ContractPerson.named($0, age: $1) }
      try await store.createAll(people)
      func names(_ sort: [ModelSort<ContractPerson>]) async throws -> [String] {
        try await store.list(ContractPerson.self, sort: sort).map { "\($0.name.value ?? "")\($0.age.value ?? 0)" }
      }
      try requireEqual(try await names([.ascending(\.age)]), ["c0", "a1", "b2", "B2", "a3"], "by age")
      try requireEqual(try await names([.descending(\.age)]), ["a3", "b2", "B2", "a1", "c0"], "by age, descending")
      try requireEqual(
        try await names([.ascending(\.age, nils: .last)]), ["a1", "b2", "B2", "a3", "c0"], "by age, nil last")
      try requireEqual(
        try await names([.descending(\.age, nils: .first), .ascending(\.name)]), ["c0", "a3", "B2", "b2", "a1"],
        "by age and name")
      try requireEqual(
        try await names([.ascending { $0.name.ignoringCase }, .descending(\.age)]), ["a3", "a1", "b2", "B2", "c0"],
        "by name in any case")
    },
    Check("text is sorted by its Unicode scalars, whatever the language of the system", needs: [.queries]) { store in
      let names = ["z", "\u{E4}", "a", "Z", "e\u{301}", "\u{E9}", "\u{1F40D}", "10", "9", "\u{FF21}"]
      try await store.createAll(names.map { ContractPerson.named($0) })
      let expected = ["10", "9", "Z", "a", "e\u{301}", "z", "\u{E4}", "\u{E9}", "\u{FF21}", "\u{1F40D}"]
      let found = try await store.list(ContractPerson.self, sort: [.ascending(\.name)]).compactMap(\.name.value)
      try requireEqual(found.map { Array($0.utf8) }, expected.map { Array($0.utf8) }, "the order")
      let backwards = try await store.list(ContractPerson.self, sort: [.descending(\.name)]).compactMap(\.name.value)
      try requireEqual(backwards.map { Array($0.utf8) }, expected.reversed().map { Array($0.utf8) }, "backwards")
    },
    Check("a condition is answered in full or rejected by name, and with .inMemory answered") { store in
      let people = (1...4).map { (number: Int) in ContractPerson.named("p\(number)", age: number) }
      people[2].tags.value = ["red"]
      for person in people { try await store.create(person) }
      func ask(_ evaluation: QueryEvaluation) async throws -> [Int?] {
        try await store.list(
          ContractPerson.self, where: { $0.tags.contains("red") || $0.age < 2 && $0.name.matches(/p[0-9]/) },
          sort: [.descending(\.age)], evaluation: evaluation
        ).map(\.age.value)
      }
      try requireEqual(try await ask(.inMemory), [3, 1], "what is found in memory")
      do {
        try requireEqual(try await ask(.byStore), [3, 1], "what the store finds")
      } catch let error as ModelStoreError where error.code == .unsupported {
        try require(
          ["tags", "age", "name"].contains { error.message.contains($0) }, "the error does not name the part: \(error)")
      }
    },
    Check("a condition about a relation that only its inverse stores is answered, or rejected by name") { store in
      let companies = ["acme", "other", "none"].map { name in
        let company = ContractCompany()
        company.id.value = name
        return company
      }
      for company in companies { try await store.create(company) }
      for (number, age) in [70, 20, 30].enumerated() {
        let person = ContractPerson.named("p\(number)", age: age)
        person.company.value = companies[number == 2 ? 1 : 0]
        try await store.create(person)
      }
      do {
        let old = try await store.list(ContractCompany.self, where: { $0.employees.contains { $0.age > 60 } })
        try requireEqual(old.map(\.id.value), ["acme"], "those with an employee above 60")
        let empty = try await store.list(ContractCompany.self, where: { $0.employees.isEmpty })
        try requireEqual(empty.map(\.id.value), ["none"], "those without employees")
        let many = try await store.count(ContractCompany.self, where: { $0.employees.count >= 1 && $0.id != "other" })
        try requireEqual(many, 1, "the number of those with more than none, but for one")
      } catch let error as ModelStoreError where error.code == .unsupported {
        try require(error.message.contains("employees"), "the error does not name the relation: \(error)")
      }
    },
    Check("limit and offset apply to the sorted matches", needs: [.queries]) { store in
      try await store.createAll((1...10).map { (number: Int) in ContractPerson.named("p\(number)", age: number) })
      let page = try await store.list(
        ContractPerson.self, where: { $0.age > 2 }, sort: [.descending(\.age)], limit: 3, offset: 1)
      try requireEqual(page.map(\.age.value), [9, 8, 7], "the page")
      let unsorted = try await store.list(ContractPerson.self, where: { $0.age > 2 }, limit: 2, offset: 1)
      try requireEqual(unsorted.map(\.age.value), [4, 5], "the page without sorting")
    },
    Check("count, first and identifiers agree with list", needs: [.queries]) { store in
      try await store.createAll((1...5).map { (number: Int) in ContractPerson.named("p\(number)", age: number) })
      try requireEqual(try await store.count(ContractPerson.self), 5, "the number of all")
      try requireEqual(try await store.count(ContractPerson.self, where: { $0.age > 3 }), 2, "the number above 3")
      let first = try await store.first(ContractPerson.self, where: { $0.age < 5 }, sort: [.descending(\.age)])
      try requireEqual(first?.age.value, 4, "the first")
      try require(try await store.first(ContractPerson.self, where: { $0.age > 5 }) == nil, "there is one above 5")
      let query = ModelQuery(ContractPerson.self, where: { $0.age > 3 }, sort: [.descending(\.age)])
      try requireEqual(
        try await store.identifiers(query), try await store.list(query).compactMap(\.identifier), "the identifiers")
    },
    Check("a condition follows foreign keys", needs: [.queries]) { store in
      let acme = ContractCompany(), other = ContractCompany()
      acme.id.value = "acme"
      acme.name.value = "Acme"
      other.id.value = "other"
      try await store.createAll([acme, other])
      let ada = ContractPerson.named("Ada"), bob = ContractPerson.named("Bob"), cleo = ContractPerson.named("Cleo")
      ada.company.value = acme
      bob.company.value = other
      try await store.createAll([ada, bob, cleo])
      try require(
        try await store.list(ContractPerson.self, where: { $0.company.name.hasPrefix("A") }) == [ada], "by name")
      try require(try await store.list(ContractPerson.self, where: { $0.company == other }) == [bob], "by model")
      try require(try await store.list(ContractPerson.self, where: { $0.company == nil }) == [cleo], "by nil")
      try require(
        try await store.list(ContractPerson.self, where: { $0.company.name == nil }) == [bob, cleo], "by nil name")
    },
    Check("list(in:) finds the models of a relation that does not know them", needs: [.queries]) { store in
      let company = ContractCompany()
      company.id.value = "acme"
      try await store.create(company)
      for name in ["Ada", "Bob"] {
        let person = ContractPerson.named(name)
        person.company.value = company
        try await store.create(person)
      }
      try await store.create(ContractPerson.named("Cleo"))
      let employees = try await store.list(in: company.employees)
      try requireEqual(employees.map(\.name.value), ["Ada", "Bob"], "the employees")
    },
    Check("deleteAll deletes the matches of the condition, and returns their number", needs: [.queries]) { store in
      try await store.createAll((1...5).map { (number: Int) in ContractPerson.named("p\(number)", age: number) })
      try requireEqual(try await store.deleteAll(ContractPerson.self, where: { $0.age > 2 }), 3, "the number")
      try requireEqual(try await store.list(ContractPerson.self).map(\.age.value), [1, 2], "what is left")
      try requireEqual(try await store.deleteAll(ContractPerson.self), 2, "the number of all")
      try requireEqual(try await store.count(ContractPerson.self), 0, "what is left")
    },
    Check("an invalid query is rejected") { store in
      var query = ModelQuery(ContractPerson.self)
      query.filter = .comparison(QueryComparison(QueryTerm(["nothing"]), .equal, .value(1)))
      let error = try await requireFailure("a field that is none") { _ = try await store.list(query) }
      try require(error.message.contains("nothing"), "the error does not name the field: \(error)")
    },
  ]
}
