import StoreProtocol

extension ModelStoreContract {
  /// Conditions about texts without case and accents, and about words.
  static let queryingText: [Check] = [
    Check("texts that ignore case and accents compare by their folded letters", needs: [.queries]) { store in
      let names = [
        "José", "JOSE", "jose\u{301}", "Josef", "straße", "STRASSE", "οδος", "ΟΔΌΣ", "ﬁn", "Ｆｉｎ", "øre", "ore",
      ]
      try await store.createAll(names.map { ContractPerson.named($0) })
      func require(
        _ expected: [String], _ filter: @escaping (ModelColumns<ContractPerson>) -> QueryExpression
      ) async throws {
        let query = ModelQuery(ContractPerson.self, where: filter)
        try requireTexts(try await store.list(query).compactMap(\.name.value), expected, "\(query)")
      }
      try await require(["José", "JOSE", "jose\u{301}"]) { $0.name.ignoringCaseAndAccents == "josÉ" }
      try await require(["José", "JOSE", "jose\u{301}", "Josef"]) { $0.name.ignoringCaseAndAccents.hasPrefix("JOSE") }
      try await require(["straße", "STRASSE"]) { $0.name.ignoringCaseAndAccents == "Straße" }
      try await require(["straße", "STRASSE"]) { $0.name.ignoringCase == "STRASSE" }
      try await require(["οδος", "ΟΔΌΣ"]) { $0.name.ignoringCaseAndAccents.hasSuffix("ΔΟΣ") }
      try await require(["οδος"]) { $0.name.ignoringCase == "ΟΔΟΣ" }
      try await require(["ﬁn", "Ｆｉｎ"]) { $0.name.ignoringCaseAndAccents.isIn(["Fin", "fan"]) }
      try await require(["ﬁn"]) { $0.name.ignoringCase == "FIN" }
      try await require(["øre"]) { $0.name.ignoringCaseAndAccents.contains("Ø") }
      try await require(["ﬁn", "Ｆｉｎ"]) { $0.name.ignoringCaseAndAccents < "g" }
      try await require(Array(names[3...])) { $0.name.ignoringCaseAndAccents != "Jose" }
      let sorted = try await store.list(
        ContractPerson.self, sort: [.ascending { $0.name.ignoringCaseAndAccents }], limit: 5)
      try requireTexts(
        sorted.compactMap(\.name.value), ["ﬁn", "Ｆｉｎ", "José", "JOSE", "jose\u{301}"], "by name without accents")
      try await requireError(.invalid, "a pattern that ignores accents") {
        _ = try await store.list(ContractPerson.self, where: { $0.name.ignoringCaseAndAccents.matches(/jose/) })
      }
    },
    Check("a search finds the texts that have all of its words", needs: [.queries]) { store in
      let company = ContractCompany()
      company.id.value = "acme"
      company.name.value = "Société Générale d'Édition"
      try await store.create(company)
      let names = ["Jane Austen", "AUSTEN, Jáne", "Jane Eyre", "Janet Auster", "jane-austen_1813", "J. Austen"]
      let people = names.map { ContractPerson.named($0) }
      people[0].company.value = company
      people[1].tags.value = ["new books", "old"]
      people[2].tags.value = ["old books", "new"]
      people[3].nickname.value = "…!"
      people[4].nickname.value = ""
      try await store.createAll(people)
      func require(
        _ numbers: [Int], _ filter: @escaping (ModelColumns<ContractPerson>) -> QueryExpression
      ) async throws {
        let query = ModelQuery(ContractPerson.self, where: filter)
        try requireEqual(try await store.list(query), numbers.map { people[$0] }, "\(query)")
        try requireEqual(try await store.count(query), numbers.count, "the count of \(query)")
      }
      try await require([0, 1, 4]) { $0.name.matches(words: "austen JANE") }
      try await require([0, 1, 3, 4]) { $0.name.matches(words: "jane* aust*") }
      try await require([4]) { $0.name.matches(words: "1813?") }
      try await require([]) { $0.name.matches(words: "jan austen") }
      try await require([]) { $0.name.matches(words: "jane emma") }
      try await require([2, 3, 5]) { !$0.name.matches(words: "jane austen") }
      try await require([0, 1, 4]) { $0.name.matches(words: "jane") && $0.name.matches(words: "austen") }
      try await require([2, 3]) { $0.name.matches(words: "eyre") || $0.name.matches(words: "auster") }
      try await require([0]) { $0.company.name.matches(words: "edition generale") }
      try await require([1]) { $0.tags.matches(words: "books new") }
      try await require([1, 2]) { $0.tags.matches(words: "new") }
      // A search without words finds every text, but not nil.
      for words in ["", " * ", "…"] {
        try await require(Array(people.indices)) { $0.name.matches(words: words) }
        try await require([3, 4]) { $0.nickname.matches(words: words) }
      }
      try await requireError(.invalid, "the words of a number") {
        _ = try await store.list(ContractPerson.self, where: { $0["age"].matches(words: "1") })
      }
    },
    Check("a search inside a transaction sees its writes", needs: [.queries, .transactions]) { store in
      let people = ["red house", "green house", "blue car"].map { ContractPerson.named($0) }
      try await store.createAll(people)
      func found(_ words: String) async throws -> [String] {
        try await store.list(ContractPerson.self, where: { $0.name.matches(words: words) }).compactMap(\.name.value)
      }
      try await failing(in: store) { store in
        people[0].name.value = "red boat"
        try await store.update(people[0])
        try await store.delete(people[1])
        try await store.create(ContractPerson.named("small house"))
        let houses = try await store.list(ContractPerson.self, where: { $0.name.matches(words: "house") })
        try requireEqual(houses.compactMap(\.name.value), ["small house"], "the houses inside the transaction")
        let boats = try await store.count(ContractPerson.self, where: { $0.name.matches(words: "bo* red") })
        try requireEqual(boats, 1, "the number of red boats inside the transaction")
      }
      try requireEqual(try await found("house"), ["red house", "green house"], "the houses after the rollback")
      try requireEqual(try await found("boat"), [], "the boats after the rollback")
    },
    Check("a search with very long words finds them", needs: [.queries]) { store in
      let long = String(repeating: "a", count: 300)
      let names = [long, long + "b", String(long.dropLast()), "a"]
      try await store.createAll(names.map { ContractPerson.named($0) })
      func require(_ numbers: [Int], _ words: String) async throws {
        let found = try await store.list(ContractPerson.self, where: { $0.name.matches(words: words) })
        try requireEqual(found.compactMap(\.name.value), numbers.map { names[$0] }, "the texts of a long word")
      }
      try await require([0], long)
      try await require([0, 1], long + "*")
      try await require([2], String(long.dropLast()))
      try await require([0, 1, 2], String(long.dropLast()) + "*")
      try await require([0, 1, 2, 3], "a*")
      try await require([3], "A")
    },
  ]

  /// Texts are compared by their scalars: Swift takes different spellings of a letter for the same.
  private static func requireTexts(_ found: [String], _ expected: [String], _ what: String) throws {
    try require(
      found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(what) finds \(found), not \(expected)")
  }
}
