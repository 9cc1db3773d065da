import StoreProtocol

extension ModelStoreContract {
  static let updatingAll: [Check] = [
    Check("updateAll writes the fields that its closure sets, and no other change", needs: [.queries]) { store in
      for (number, age) in [10, nil, nil].enumerated() {
        let person = ContractPerson.named("\(number)", age: 0)
        person.age.value = age
        try await store.create(person)
      }
      let people = try await store.list(ContractPerson.self, sort: [.ascending(\.name)])
      people[2].height.value = 1.5
      let count = try await store.updateAll(ContractPerson.self, where: { $0.age == nil }) { $0.age.value = 3 }
      try requireEqual(count, 2, "the number of updated models")
      try requireEqual(people.map(\.age.value), [10, 3, 3], "the ages")
      try requireEqual(people.map(\.age.isDirty), [false, false, false], "the dirty ages")
      try require(people[2].height.isDirty, "a change of another field was written")
      try requireEqual(try await store.count(ContractPerson.self, where: { $0.age == 3 }), 2, "the stored ages")
      try requireEqual(
        try await store.updateAll(ContractPerson.self) { $0.age.value = $0.age.value }, 0, "the number without a change"
      )
    },
    Check("updateAll writes a value that the closure sets, also an unsaved edit", needs: [.queries]) { store in
      let person = try await store.create(ContractPerson.named("Ada"))
      person.age.value = 3
      let count = try await store.updateAll(ContractPerson.self, where: { $0.age == nil }) { $0.age.value = 3 }
      try requireEqual(count, 1, "the number of updated models")
      try require(!person.isDirty, "the age is still dirty")
      try requireEqual(try await store.count(ContractPerson.self, where: { $0.age == 3 }), 1, "the stored ages")
    },
    Check("updateAll writes nothing if one model is invalid", needs: [.queries, .transactions]) { store in
      for number in 1...3 { try await store.create(ContractPerson.named("\(number)", age: 40 * number)) }
      let people = try await store.list(ContractPerson.self)
      try await requireError(.invalid, "updateAll") {
        try await store.updateAll(ContractPerson.self) { $0.age.value = ($0.age.value ?? 0) + 40 }
      }
      try requireEqual(people.map(\.age.value), [40, 80, 120], "the ages in memory")
      try require(!people.contains(where: \.isDirty), "a model is dirty")
      try requireEqual(
        try await store.count(ContractPerson.self, where: { $0.age == 40 }), 1, "the number of unchanged records")
    },
    Check("updateAll and replaceAll with a condition that is evaluated in memory") { store in
      for age in [10, 20, 30] { try await store.create(ContractPerson.named("\(age)", age: age)) }
      let people = try await store.list(ContractPerson.self)
      let count = try await store.updateAll(ContractPerson.self, where: { $0.age > 15 }, evaluation: .inMemory) {
        $0.age.value = ($0.age.value ?? 0) + 1
      }
      try requireEqual(count, 2, "the number of updated models")
      try requireEqual(people.map(\.age.value), [10, 21, 31], "the ages")
      let new = ContractPerson.named("new", age: 40)
      try await store.replaceAll(
        ContractPerson.self, with: [new, people[2]], where: { $0.age > 15 }, evaluation: .inMemory)
      try requireEqual(
        Set(try await store.list(ContractPerson.self).map(\.name.value)), ["10", "30", "new"], "the names")
    },
    Check("contains finds what is stored, and nothing else") { store in
      let person = try await store.create(ContractPerson.named("Ada", age: 36))
      try require(
        try await store.contains(ContractPerson.self, identifier: person.identifier ?? ""), "the person is missing")
      try require(
        try await !store.contains(ContractPerson.self, identifier: "987654"), "there is a person that was never stored")
    },
    Check("conditions are added to a query", needs: [.queries]) { store in
      for number in 1...4 { try await store.create(ContractPerson.named("\(number)", age: 10 * number)) }
      let query = ModelQuery(ContractPerson.self, where: { $0.age > 10 }, sort: [.descending(\.age)])
      try requireEqual(
        try await store.list(query.and { $0.age < 40 }).map(\.age.value), [30, 20], "the ages of both conditions")
      try requireEqual(
        try await store.list(query.and { $0.age > 30 }.or { $0.name == "1" }).map(\.age.value), [40, 10],
        "the ages of one of the conditions")
      try requireEqual(try await store.count(ModelQuery(ContractPerson.self).or { $0.age == 10 }), 4, "all")
    },
    Check("deleteAll deletes the members of a relation, and no other model", needs: [.queries]) { store in
      let company = ContractCompany.named("Acme")
      company.id.value = "acme"
      try await store.create(company)
      for number in 1...4 {
        let person = ContractPerson.named("\(number)")
        if number > 1 { person.company.value = company }
        try await store.create(person)
      }
      try requireEqual(try await store.deleteAll(in: company.employees), 3, "the number of deleted members")
      try requireEqual(try await store.list(ContractPerson.self).map(\.name.value), ["1"], "the people that stay")
      try requireEqual(company.employees.count, 0, "the number of members in memory")
      try requireEqual(try await store.deleteAll(in: company.employees), 0, "the number of members left")
    },
    Check("conditions are values that are combined and left out", needs: [.queries]) { store in
      for number in 1...4 { try await store.create(ContractPerson.named("\(number)", age: 10 * number)) }
      let isOld = ModelCondition<ContractPerson> { $0.age > 20 }
      let isFirst = ModelCondition<ContractPerson> { $0.name == "1" }
      let none: ModelCondition<ContractPerson>? = nil
      func ages(_ query: ModelQuery<ContractPerson>) async throws -> [Int?] {
        try await store.list(query).map(\.age.value)
      }
      let all = ModelQuery(ContractPerson.self)
      try requireEqual(try await ages(all.and(isOld)), [30, 40], "the ages of a condition")
      try requireEqual(try await ages(all.and(none)), [10, 20, 30, 40], "the ages of no condition")
      try requireEqual(
        try await ages(ModelQuery(matching: isOld || isFirst).and { $0.age < 40 }), [10, 30], "the ages of three")
      try requireEqual(try await ages(ModelQuery(matching: !isOld && !isFirst)), [20], "the ages of none of them")
      try requireEqual(
        try await ages(ModelQuery(matching: isOld).or(isFirst)), [10, 30, 40], "the ages of one of them")
      try requireEqual(
        try await store.count(ContractPerson.self, where: { $0.age < 40 && isOld.expression }), 1,
        "the number of an expression")
    },
    Check("sample returns some models, each once", needs: [.queries]) { store in
      for number in 1...8 { try await store.create(ContractPerson.named("\(number)", age: number)) }
      var random = RandomSource(seed: 1)
      var seen: Set<String> = []
      for _ in 0..<40 {
        let names = try await store.sample(ContractPerson.self, count: 3, using: &random).compactMap(\.name.value)
        try requireEqual(Set(names).count, 3, "the number of different models")
        seen.formUnion(names)
      }
      try requireEqual(seen.count, 8, "the number of models in 40 samples")
      try requireEqual(try await store.sample(ContractPerson.self, count: 20).count, 8, "the number of all")
      try requireEqual(try await store.sample(ContractPerson.self, count: 0).count, 0, "the number of none")
      let found = try await store.sample(
        ContractPerson.self, count: 2, where: { $0.age > 6 }, evaluation: .inMemory)
      try requireEqual(Set(found.map(\.age.value)), [7, 8], "the ages of a sample with a condition")
      try await requireError(.invalid, "sample") { _ = try await store.sample(ContractPerson.self, count: -1) }
    },
    Check("deleteAll of everything leaves no model of any type, or is unsupported and does nothing") { store in
      let company = ContractCompany.named("Acme")
      company.id.value = "acme"
      try await store.create(company)
      let person = ContractPerson.named("Ada")
      person.company.value = company
      try await store.create(person)
      do {
        try requireEqual(try await store.deleteAll(), 2, "the number of deleted models")
        try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of people")
        try requireEqual(try await store.list(ContractCompany.self).count, 0, "the number of companies")
        try require(person.calls.contains("afterDelete"), "the hook of a deleted model did not run")
        try requireEqual(try await store.deleteAll(), 0, "the number of models left")
      } catch let error as ModelStoreError where error.code == .unsupported {
        try require(error.message.contains("deleteAll(_:)"), "the error does not name the remedy: \(error.message)")
        try requireEqual(try await store.list(ContractPerson.self).count, 1, "the number of people")
      }
    },
    Check("replaceAll replaces the members of a relation, and no other model", needs: [.queries]) { store in
      let company = ContractCompany.named("Acme")
      company.id.value = "acme"
      try await store.create(company)
      var people: [ContractPerson] = []
      for number in 1...4 {
        let person = ContractPerson.named("\(number)")
        if number > 1 { person.company.value = company }
        people.append(try await store.create(person))
      }
      let new = ContractPerson.named("new")
      try await store.replaceAll(in: company.employees, with: [new, people[2], people[0]])
      try requireEqual(
        Set(try await store.list(ContractPerson.self).map(\.name.value)), ["1", "3", "new"], "the people")
      try requireEqual(
        Set(try await store.list(in: company.employees).map(\.name.value)), ["1", "3", "new"], "the members")
      try require(![new, people[2], people[0]].contains(where: \.isDirty), "a member is dirty")
      try await store.replaceAll(in: company.employees, with: [])
      try requireEqual(try await store.count(ContractPerson.self), 0, "the number of people")
      _ = try await requireFailure("replaceAll of a relation of a model that was not created") {
        try await store.replaceAll(in: ContractCompany.named("New").employees, with: [])
      }
    },
    Check("replaceAll replaces a list of foreign keys in its order", needs: [.transactions, .anyModels]) { store in
      let account = ContractAccount()
      account.drafts.value = [ContractPortrait(), ContractPortrait(), ContractPortrait()]
      let drafts = account.drafts.value ?? []
      try await store.createAll(drafts)
      try await store.create(account)
      let new = ContractPortrait()
      try await store.replaceAll(in: account.drafts, with: [drafts[2], new])
      try requireEqual(Set(try await store.list(ContractPortrait.self)), [drafts[2], new], "the drafts")
      let identifier = account.identifier ?? ""
      try requireEqual(account.drafts.value, [drafts[2], new], "the list")
      try require(!account.isDirty, "the account is dirty")
      try requireEqual(
        try await store.lookup(ContractAccount.self, identifier: identifier).drafts.value, [drafts[2], new],
        "the stored list")
    },
    Check("replaceAll deletes the other models, and saves the given ones", needs: [.queries]) { store in
      let people = (1...4).map { (number: Int) in ContractPerson.named("\(number)", age: number) }
      for person in people { try await store.create(person) }
      people[1].age.value = 20
      try await store.replaceAll(
        ContractPerson.self, with: [people[1], ContractPerson.named("new", age: 9)], where: { $0.age > 1 })
      let found = try await store.list(ContractPerson.self, sort: [.ascending(\.age)])
      try requireEqual(found.map(\.name.value), ["1", "new", "2"], "the people")
      try require(!found.contains(where: \.isDirty), "a person is dirty")
      try await store.replaceAll(ContractPerson.self, with: [])
      try requireEqual(try await store.count(ContractPerson.self), 0, "the number of people")
    },
    Check(
      "replaceAll keeps the given models, including those that a cascade reaches", needs: [.transactions, .queries]
    ) { store in
      let (root, staying, other) = (ContractBranch(), ContractBranch(), ContractBranch())
      (root.id.value, staying.id.value, other.id.value) = (1, 2, 3)
      try await store.create(root)
      for branch in [staying, other] {
        branch.parent.value = root
        try await store.create(branch)
      }
      try await store.replaceAll(ContractBranch.self, with: [staying])
      try requireEqual(staying.parent.value, nil, "the parent of the model that stays")
      try require(staying.isPersisted && !staying.isDirty, "the model that stays is not saved")
      store.scope.remove(staying)
      let found = try await store.list(ContractBranch.self)
      try requireEqual(found.map(\.id.value), [2], "the stored models")
      try requireEqual(found.first?.parent.value, nil, "the stored parent")
    },
    Check("replaceAll deletes nothing if a new model has the identifier of a stored one", needs: [.queries]) { store in
      let ada = try await store.create(ContractPerson.named("Ada")), double = ContractPerson.named("Double")
      double.id.value = ada.id.value
      try await requireError(.conflict, "replaceAll") {
        try await store.replaceAll(ContractPerson.self, with: [double])
      }
      try require(ada.isPersisted && !double.isPersisted, "the stored person was replaced")
      try requireEqual(try await store.list(ContractPerson.self).map(\.name.value), ["Ada"], "the stored names")
    },
    Check("replaceAll deletes nothing if a model of a document has the identifier of a stored one", needs: [.queries]) {
      store in
      let team = ContractTeam(), member = ContractMember()
      team.id.value = "reds"
      try await store.create(team)
      member.team.value = team
      try await store.create(member)
      let read = try ContractTeam.from(dictionaryValue: ["id": "reds"])
      try await requireError(.conflict, "replaceAll") { try await store.replaceAll(ContractTeam.self, with: [read]) }
      try require(team.isPersisted, "the stored team was deleted")
      try requireEqual(try await store.count(ContractMember.self), 1, "the number of members")
      // In the scope of the store, the document is read into the stored one.
      let same = try ContractTeam.from(dictionaryValue: ["id": "reds"], in: store.scope)
      try await store.replaceAll(ContractTeam.self, with: [same])
      try requireEqual(try await store.count(ContractMember.self), 1, "the number of members at the end")
    },
    Check("replaceAll deletes nothing if a model is invalid", needs: [.queries, .transactions]) { store in
      for number in 1...3 { try await store.create(ContractPerson.named("\(number)")) }
      try await requireError(.invalid, "replaceAll") {
        try await store.replaceAll(ContractPerson.self, with: [ContractPerson.named("new"), ContractPerson.named(" ")])
      }
      try requireEqual(
        try await store.list(ContractPerson.self).map(\.name.value), ["1", "2", "3"], "the people")
    },
  ]
}

/// A model that is deleted with its parent.
private final class ContractBranch: Model {
  let id = Field<Int>()
  let parent = ModelField<ContractBranch>(foreignKey: true, inverse: \.children)
  let children = ModelField<ContractBranch>(deleteRule: .cascade)*
  override var identifierField: AnyField? { id }
}
