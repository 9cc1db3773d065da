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
      "replaceAll keeps the given models, also those that a cascade reaches", needs: [.transactions, .queries]
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
