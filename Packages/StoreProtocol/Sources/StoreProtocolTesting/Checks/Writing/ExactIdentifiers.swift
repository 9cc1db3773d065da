import StoreProtocol

extension ModelStoreContract {
  /// The same for Swift, and not the same bytes.
  private static let accents = ["caf\u{e9}", "cafe\u{301}"]

  static let exactIdentifiers: [Check] = [
    Check("identifiers that differ only in how an accent is written are different ones", needs: [.exactIdentifiers]) {
      store in
      _ = try await createCompanies(in: store)
      let first = try await store.lookup(ContractCompany.self, identifier: accents[0])
      let second = try await store.lookup(ContractCompany.self, identifier: accents[1])
      try require(first !== second, "two identifiers have one object")
      try requireEqual([first.name.value, second.name.value], ["number 0", "number 1"], "what was read")
      second.name.value = "changed"
      try await store.update(second)
      let names = try await store.list(ContractCompany.self).map { $0.name.value ?? "" }
      try requireEqual(names.sorted(), ["changed", "number 0"], "what is stored")
    },
    Check(
      "relations to models whose identifiers differ only in how an accent is written reference different ones",
      needs: [.exactIdentifiers, .queries]
    ) { store in
      let companies = try await createCompanies(in: store)
      try await createPeople(of: companies, in: store)
      for (number, company) in companies.enumerated() {
        let name = ["Ada", "Bob"][number]
        let found = try await store.list(ContractPerson.self, where: { $0.company == company })
        try requireEqual(found.map(\.name.value), [name], "the people of company \(number)")
        let employers = try await store.list(
          ContractCompany.self, where: { $0.employees.contains { $0.name == name } })
        try require(employers == [company], "the company of \(name) is not company \(number)")
        let named = try await store.list(ContractPerson.self, where: { $0.company.name == "number \(number)" })
        try requireEqual(named.map(\.name.value), [name], "the people of a company with the name of number \(number)")
      }
      try await store.delete(companies[0])
      let people = try await store.list(ContractPerson.self, sort: [.ascending(\.name)])
      try require(people.map(\.company.value) == [nil, companies[1]], "a link to another company was cut, or none")
    },
  ]

  static let exactIdentifiersOfDocuments: [Check] = [
    Check("an import accepts identifiers that differ only in the encoding of an accent", needs: [.exactIdentifiers]) {
      store in
      let json = JSONValue.array(accents.map { ["id": .string($0), "name": "\($0.utf8.count)"] })
      let report = try await store.importModels(ContractCompany.self, fromJSON: try json.jsonData())
      try requireEqual(report.description, "2 created, 0 updated, 0 unchanged, 0 rejected", "the report")
      try requireEqual(try await store.count(ContractCompany.self), 2, "the number of companies")
    },
    Check(
      "a link to a missing model is broken although the identifier of another one differs only in an accent",
      needs: [.exactIdentifiers, .anyModels]
    ) { store in
      let ticket = ContractTicket()
      ticket.company.value = try await store.create(ContractCompany.named(accents[0]))
      ticket.watchers.value = [ContractCompany.with(identifier: accents[1], in: store.scope)]
      try await store.create(ticket)
      let links = try await store.brokenLinks(of: [ContractTicket.self])
      try requireEqual(links.map(\.path.description), ["watchers[0]"], "the broken links")
    },
  ]

  static let exactIdentifiersLive: [SharedEngineCheck] = [
    SharedEngineCheck(
      "a live result keeps models apart whose identifiers differ only in how an accent is written",
      needs: [.exactIdentifiers]
    ) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(in: writer)
      var iterator = reader.observe(ContractCompany.self).makeAsyncIterator()
      func names() async throws -> [String?] { try await next(&iterator, "observe").models.map(\.name.value) }
      let shown = try await next(&iterator, "observe").models
      try requireEqual(shown.map(\.name.value), ["number 0", "number 1"], "the first result")
      companies[1].name.value = "changed"
      try await writer.update(companies[1])
      let result = try await next(&iterator, "observe")
      try requireEqual(result.models.map(\.name.value), ["number 0", "changed"], "the result after a change")
      try require(result.models == shown, "the objects are other ones")
      try requireEqual(result.differences.updated.map(\.index), [1], "what was updated")
      try await writer.delete(companies[0])
      try requireEqual(try await names(), ["changed"], "the result after a deletion")
      try await writer.create(companies[0])
      try requireEqual(try await names(), ["changed", "number 0"], "the result after it was created again")
      try await writer.delete(companies[1])
      try requireEqual(try await names(), ["number 0"], "the result after the other one was deleted")
    },
    SharedEngineCheck(
      "a live result takes several changes at once of models whose identifiers differ only in how an accent is written",
      needs: [.exactIdentifiers, .queries]
    ) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(in: writer)
      var iterator = reader.observe(
        ContractCompany.self, where: { $0.name.hasPrefix("number") }, sort: [.descending(\.name)], limit: 2
      ).makeAsyncIterator()
      var models = try await next(&iterator, "observe").models
      // The changes that wait for the consumer together.
      companies[0].name.value = "number 5"
      try await writer.update(companies[0])
      companies[1].name.value = "none"
      try await writer.update(companies[1])
      while models.map(\.name.value) != ["number 5"] {
        let result = try await next(&iterator, "observe")
        try requireEqual(result.differences.applied(to: models), result.models, "the differences applied")
        models = result.models
      }
      try requireEqual(models.map { $0.id.value.map { Array($0.utf8) } }, [Array(accents[0].utf8)], "the identifiers")
    },
    SharedEngineCheck(
      "a live query follows related models whose identifiers differ only in how an accent is written",
      needs: [.exactIdentifiers, .queries]
    ) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(in: writer)
      try await createPeople(of: companies, in: writer)
      var iterator = reader.observe(
        ContractPerson.self, where: { $0.company.name.hasPrefix("number") }
      ).makeAsyncIterator()
      func names() async throws -> [String?] { try await next(&iterator, "observe").models.map(\.name.value) }
      try requireEqual(try await names(), ["Ada", "Bob"], "the first result")
      companies[0].name.value = "none"
      try await writer.update(companies[0])
      try requireEqual(try await names(), ["Bob"], "the result after the first company changed")
      companies[1].name.value = "none"
      try await writer.update(companies[1])
      try requireEqual(try await names(), [], "the result after the second company changed")
    },
  ]

  private static func createCompanies(in store: any ModelStore) async throws -> [ContractCompany] {
    var companies: [ContractCompany] = []
    for (number, identifier) in accents.enumerated() {
      let company = ContractCompany.named(identifier)
      company.name.value = "number \(number)"
      companies.append(try await store.create(company))
    }
    return companies
  }

  /// Ada works for the first company, Bob for the second.
  private static func createPeople(of companies: [ContractCompany], in store: any ModelStore) async throws {
    for (name, company) in zip(["Ada", "Bob"], companies) {
      let person = ContractPerson.named(name)
      person.company.value = company
      try await store.create(person)
    }
  }
}
