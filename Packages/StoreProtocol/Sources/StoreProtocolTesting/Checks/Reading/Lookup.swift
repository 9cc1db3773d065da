import StoreProtocol

extension ModelStoreContract {
  static let lookup: [Check] = [
    Check("lookup finds every value that was created") { store in
      let identifier: String
      do {
        let person = ContractPerson.named("Ada \u{1F40D} \"quoted\" \\ \u{0} línea", age: 36)
        person.height.value = 1.65
        person.isActive.value = true
        person.tags.value = ["red", "blue"]
        try await store.create(person)
        identifier = person.identifier ?? ""
      }
      let found = try await store.lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(found.name.value, "Ada \u{1F40D} \"quoted\" \\ \u{0} línea", "the name")
      try requireEqual(found.age.value, 36, "the age")
      try requireEqual(found.height.value, 1.65, "the height")
      try requireEqual(found.isActive.value, true, "isActive")
      try requireEqual(found.tags.value, ["red", "blue"], "the tags")
      try requireEqual(found.identifier, identifier, "the identifier")
      try require(!found.isDirty, "the model is dirty")
    },
    Check("lookup of an unknown identifier throws notFound, with the identifier") { store in
      let error = try await requireError(.notFound, "lookup") {
        _ = try await store.lookup(ContractPerson.self, identifier: "999999")
      }
      try requireEqual(error.identifier, "999999", "the identifier of the error")
    },
    Check("lookup returns the live object") { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      let found = try await store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try require(found === person, "lookup made a second object")
    },
    Check("lookup and list return the same object") { store in
      let identifier = try await store.createAndForget("Ada")
      let found = try await store.lookup(ContractPerson.self, identifier: identifier)
      try require(try await store.list(ContractPerson.self).first === found, "list made a second object")
    },
    Check("lookup keeps local changes") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      person.name.value = "Augusta"
      _ = try await store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(person.name.value, "Augusta", "the name")
      try require(person.name.isDirty, "the name is not dirty any more")
    },
    Check("list of a type of which nothing is stored is empty") { store in
      try requireEqual(try await store.list(ContractCompany.self).count, 0, "the number of models")
    },
    Check("list has the models in the order of their creation") { store in
      let names = (1...20).map { "Person \($0)" }
      for name in names { _ = try await store.createAndForget(name) }
      try requireEqual(try await store.list(ContractPerson.self).map(\.name.value), names, "the list")
    },
    Check("list skips the offset and ends at the limit") { store in
      for name in ["a", "b", "c", "d", "e"] { _ = try await store.createAndForget(name) }
      try requireEqual(
        try await store.list(ContractPerson.self, limit: 2, offset: 1).map(\.name.value), ["b", "c"], "the page")
      try requireEqual(try await store.list(ContractPerson.self, limit: 0).count, 0, "an empty page")
      try requireEqual(try await store.list(ContractPerson.self, offset: 9).count, 0, "a page after the end")
    },
    Check("types don't see each other's models") { store in
      let company = ContractCompany()
      company.id.value = "1"
      let person = ContractPerson.named("Ada")
      person.id.value = 1
      try await store.create(company)
      try await store.create(person)
      try requireEqual(try await store.list(ContractPerson.self).count, 1, "the number of people")
      try requireEqual(try await store.list(ContractCompany.self).count, 1, "the number of companies")
    },
    Check("a foreign key references the same object as its lookup") { store in
      let identifier: String
      do {
        let company = ContractCompany()
        company.id.value = "acme"
        company.name.value = "Acme"
        try await store.create(company)
        let person = ContractPerson.named("Ada")
        person.company.value = company
        try await store.create(person)
        identifier = person.identifier ?? ""
      }
      let person = try await store.lookup(ContractPerson.self, identifier: identifier)
      let company = try await store.lookup(ContractCompany.self, identifier: "acme")
      try require(person.company.value === company, "the company is another object")
      try requireEqual(company.name.value, "Acme", "the name of the company")
      try require(company.employees.value == [person], "the company does not see its employee")
    },
  ]
}
