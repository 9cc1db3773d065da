import FileStore
import Foundation
import StoreProtocolTesting
import Testing

@Suite struct `An index of a file store` {
  private static let options = FileStoreOptions(durability: .none)

  private func withStore(_ body: (FileModelStore) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: Self.options)
      try await body(store)
      try await store.close()
    }
  }

  private func person(_ name: String, age: Int? = nil) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    person.age.value = age
    return person
  }

  private func names(age: Int?, in instance: FileModelStore) async throws -> [String?] {
    let query = ModelQuery(ContractPerson.self, where: { $0.age == age })
    let report = try await instance.explain(query)
    #expect(report.plan.usedIndexes == ["age"])
    #expect(report.readCount == report.matchCount)
    #expect(try await instance.count(query) == report.matchCount)
    return try await instance.list(query).map(\.name.value)
  }

  @Test(arguments: TestEffort.seeds(2))
  func `Indexes of all fields of a file store find the same models as without indexes, with random queries`(
    seed: UInt64
  ) async throws {
    try await withTemporaryDirectory { directory in
      try await ModelStoreContract.randomQueries(700, seed: seed).run {
        let store = FileModelStore(directory: directory, options: Self.options)
        try await Self.indexEverything(store)
        return store
      }
    }
  }

  @Test(arguments: ModelStoreContract.checks)
  func `An index of a file store keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await withTemporaryDirectory { directory in
      try await check.run {
        let store = FileModelStore(directory: directory, options: Self.options)
        try await Self.indexEverything(store)
        return store
      }
    }
  }

  private static func indexEverything(_ store: FileModelStore) async throws {
    try await store.index(\ContractPerson.id, unique: true)
    try await store.index(\ContractPerson.age)
    try await store.index(\ContractPerson.name)
    try await store.index(\ContractPerson.color)
    try await store.index(\ContractPerson.height)
    try await store.index(\ContractPerson.company)
    try await store.index(\ContractPerson.isActive)
    try await store.index(\ContractPerson.birthday)
    try await store.index(\ContractPerson.joined)
    try await store.index(\ContractPerson.anniversary)
    try await store.index(\ContractPerson.balance)
    try await store.index(\ContractPerson.nickname)
    try await store.index(\ContractPerson.name, .text)
    try await store.index(\ContractPerson.nickname, .text)
    try await store.index(\ContractPerson.tags, .text)
    try await store.index(\ContractBill.amount)
    try await store.index(\ContractBill.price)
    try await store.index(\ContractBill.tag)
  }

  @Test
  func
    `An index of a file store follows creates, updates, deletes and compactions, those of other store instances too`()
    async throws
  {
    try await withStore { store in
      try await store.create(person("Ada", age: 36))
      try await store.index(\ContractPerson.age)
      let bob = try await store.create(person("Bob", age: 40))
      try await store.create(person("Cleo", age: 36))
      #expect(try await names(age: 36, in: store) == ["Ada", "Cleo"])
      let other = FileModelStore(store.handle)
      let sameBob = try await other.lookup(ContractPerson.self, identifier: bob.identifier ?? "")
      sameBob.age.value = 36
      try await other.update(sameBob)
      try await store.compact()
      #expect(try await names(age: 36, in: store) == ["Ada", "Bob", "Cleo"])
      #expect(try await names(age: 40, in: store) == [])
      try await store.delete(bob)
      #expect(try await names(age: 36, in: other) == ["Ada", "Cleo"])
      try await store.create(person("Dan"))
      #expect(try await names(age: nil, in: store) == ["Dan"])
    }
  }

  @Test func `An index of a file store that is built during writes includes them`() async throws {
    try await withStore { store in
      try await store.createAll((0..<6_000).map { person("n\($0)", age: $0 % 50) })
      let handle = store.handle
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await FileModelStore(handle).index(\ContractPerson.age) }
        for task in 0..<4 {
          group.addTask {
            let instance = FileModelStore(handle)
            for number in stride(from: task + 1, to: 400, by: 4) {
              let model = try await instance.lookup(ContractPerson.self, identifier: "\(number * 10)")
              if number % 3 == 0 {
                try await instance.delete(model)
              } else {
                model.age.value = 77
                try await instance.update(model)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await names(age: 77, in: FileModelStore(handle)).count == 399 - 133)
      let everything = try await FileModelStore(handle).list(ContractPerson.self)
      #expect(
        try await names(age: 9, in: FileModelStore(handle)) == everything.filter { $0.age == 9 }.map(\.name.value))
    }
  }

  @Test func `A unique index of a file store rejects a commit, and names the field and the model that has the value`()
    async throws
  {
    try await withStore { store in
      try await store.index(\ContractPerson.name, unique: true)
      let ada = try await store.create(person("Ada"))
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(person("Ada")) }
      #expect(error?.code == .conflict)
      #expect(error?.fields == ["name": ["is taken"]])
      #expect(error?.message.contains("\"1\" has the same") == true)
      let bob = try await store.create(person("Bob"))
      bob.name.value = "Ada"
      await #expect(throws: ModelStoreError.self) { _ = try await store.update(bob) }
      #expect(bob.name.isDirty)
      ada.age.value = 36
      try await store.update(ada)
      try await store.delete(ada)
      try await store.update(bob)
      #expect(try await store.count(ContractPerson.self, where: { $0.name == "Ada" }) == 1)
    }
  }

  @Test func `An index of a file store that is unique makes a batch and a transaction all or nothing`() async throws {
    try await withStore { store in
      try await store.index(\ContractPerson.name, unique: true)
      await #expect(throws: ModelStoreError.self) {
        _ = try await store.createAll([person("Ada", age: 1), person("Bob"), person("Ada")])
      }
      #expect(try await store.count(ContractPerson.self) == 0)
      let ada = try await store.create(person("Ada"))
      let error = await #expect(throws: ModelStoreError.self) {
        try await store.transaction { store in
          try await store.create(person("Cleo"))
          try await store.create(person("Ada"))
        }
      }
      #expect(error?.fields == ["name": ["is taken"]])
      #expect(try await store.count(ContractPerson.self) == 1)
      // A value that is given up is free within the same transaction.
      try await store.transaction { store in
        ada.name.value = "Ida"
        try await store.update(ada)
        try await store.create(person("Ada"))
      }
      #expect(try await store.count(ContractPerson.self) == 2)
    }
  }

  @Test func `An index of a file store that is unique lets values be exchanged in a transaction, and stays unique`()
    async throws
  {
    try await withStore { store in
      try await store.index(\ContractPerson.name, unique: true)
      let ada = person("Ada"), bob = person("Bob"), cleo = person("Cleo")
      try await store.createAll([ada, bob, cleo])
      try await store.transaction { store in
        ada.name.value = "Bob"
        try await store.update(ada)
        bob.name.value = "Ida"
        try await store.update(bob)
        bob.name.value = "Ada"
        try await store.update(bob)
      }
      #expect(try await store.list(ContractPerson.self).map(\.name.value) == ["Bob", "Ada", "Cleo"])
      #expect(try await store.list(ContractPerson.self, where: { $0.name == "Ada" }) == [bob])
      await #expect(throws: ModelStoreError.self) {
        try await store.transaction { store in
          // A value that another model had only in between is free. A value that it has at the end is not.
          ada.name.value = "Ida"
          try await store.update(ada)
          bob.name.value = "Cleo"
          try await store.update(bob)
        }
      }
      try await store.index(\ContractPerson.name)
      await #expect(throws: ModelStoreError.self) { _ = try await store.create(person("Cleo")) }
      #expect(try await store.list(ContractPerson.self, where: { $0.name == "Cleo" }) == [cleo])
    }
  }

  @Test func `An index of a file store that is unique lets one of many writers win`() async throws {
    try await withStore { store in
      try await store.index(\ContractPerson.name, unique: true)
      let handle = store.handle
      let won = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<16 {
          group.addTask {
            let person = ContractPerson()
            person.name.value = "Ada"
            do {
              try await FileModelStore(handle).create(person)
              return true
            } catch let error as ModelStoreError where error.code == .conflict {
              return false
            }
          }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(won == 1)
    }
  }

  @Test func `An index of a file store is refused where a value is there twice already`() async throws {
    try await withStore { store in
      try await store.createAll([person("Ada"), person("Ada")])
      let error = await #expect(throws: ModelStoreError.self) {
        try await store.index(\ContractPerson.name, unique: true)
      }
      #expect(error?.code == .conflict)
      #expect(error?.fields == ["name": ["is taken"]])
      try await store.index(\ContractPerson.name)
      await #expect(throws: ModelStoreError.self) { try await store.index(\ContractPerson.name, unique: true) }
      try await store.create(person("Ada"))
    }
  }

  @Test func `An index of a file store of a foreign key finds the models that refer to another one`() async throws {
    try await withStore { store in
      try await store.index(\ContractPerson.company)
      let acme = ContractCompany()
      acme.id.value = "acme"
      try await store.create(acme)
      let ada = person("Ada")
      ada.company.value = acme
      try await store.create(ada)
      try await store.create(person("Bob"))
      #expect(try await store.list(ContractPerson.self, where: { $0.company == acme }) == [ada])
      #expect(try await store.list(in: acme.employees) == [ada])
    }
  }

  @Test(arguments: [false, true])
  func `An index of a file store sorted by its field reads no more than the limit`(isDescending: Bool) async throws {
    try await withStore { store in
      try await store.createAll((0..<2_000).map { person("n\($0)", age: $0 % 100) })
      let order: ModelSort<ContractPerson> = isDescending ? .descending(\.age) : .ascending(\.age)
      let query = ModelQuery(ContractPerson.self, sort: [order], limit: 7, offset: 8)
      let expected = try await store.identifiers(query)
      try await store.index(\ContractPerson.age)
      let report = try await store.explain(query)
      #expect(report.plan.isSortedByIndex)
      #expect(report.readCount == 7)
      #expect(try await store.identifiers(query) == expected)
      // The second condition is not indexed, so the index reads further than estimated.
      let rare = ModelQuery(
        ContractPerson.self, where: { $0.name.hasPrefix("n19") && $0.age > 50 }, sort: [order], limit: 3)
      let found = try await store.identifiers(rare)
      let all = try await store.list(ContractPerson.self)
      #expect(try found == rare.apply(to: all).map { $0.identifier ?? "" })
    }
  }

  @Test func `A file store that skips many records reads only those of the page`() async throws {
    try await withStore { store in
      try await store.createAll((0..<2_000).map { person("n\($0)", age: $0 % 100) })
      let late = ModelQuery(ContractPerson.self, limit: 3, offset: 1_900)
      #expect(try await store.explain(late).readCount == 3)
      #expect(try await store.list(late).map(\.id.value) == [1_901, 1_902, 1_903])
      try await store.index(\ContractPerson.age)
      let some = ModelQuery(ContractPerson.self, where: { $0.age == 30 }, limit: 3, offset: 15)
      #expect(try await store.explain(some).readCount == 3)
      #expect(try await store.list(some).map(\.name.value) == ["n1530", "n1630", "n1730"])
    }
  }

  @Test func `An index of a file store has exact decimals in their order`() async throws {
    try await withStore { store in
      let amounts = ["10", "9.5", "0.1", "0.10000000000000000001", "-3", "0.10"].map { Decimal(string: $0) ?? 0 }
      for amount in amounts {
        let bill = ContractBill()
        bill.amount.value = amount
        try await store.create(bill)
      }
      try await store.index(\ContractBill.amount)
      let sorted = ModelQuery(ContractBill.self, sort: [.descending(\.amount)], limit: 2)
      let report = try await store.explain(sorted)
      #expect((report.plan.isSortedByIndex, report.readCount) == (true, 2))
      #expect(try await store.list(sorted).map(\.amount.value) == Array(amounts.sorted(by: >).prefix(2)))
      let equal = try await store.explain(ModelQuery(ContractBill.self, where: { $0.amount == amounts[2] }))
      #expect((equal.readCount, equal.testedCount, equal.matchCount) == (2, 0, 2))
    }
  }

  @Test func `An index of a file store is not followed where it costs less to read all records and sort them`()
    async throws
  {
    try await withStore { store in
      try await store.createAll((0..<2_000).map { person("n\($0)", age: $0 % 100) })
      try await store.index(\ContractPerson.age)
      let whole = ModelQuery(ContractPerson.self, sort: [.ascending(\.age)])
      #expect(try await store.explain(whole).plan.isSortedByIndex)
      let rare = ModelQuery(
        ContractPerson.self, where: { $0.name.isIn(["n7", "n1999"]) }, sort: [.ascending(\.age)], limit: 20)
      let report = try await store.explain(rare)
      #expect(!report.plan.isSortedByIndex)
      #expect(report.matchCount == 2)
      #expect(try await store.list(rare).map(\.name.value) == ["n7", "n1999"])
    }
  }

  @Test func `An index of a file store is merged with the writes of a transaction, for counts and for order`()
    async throws
  {
    try await withStore { store in
      try await store.createAll((0..<2_000).map { person("n\($0)", age: $0 % 100) })
      try await store.index(\ContractPerson.age)
      try await store.transaction { store in
        try await store.create(person("new", age: 0))
        let other = try await store.lookup(ContractPerson.self, identifier: "1")
        other.age.value = 99
        try await store.update(other)
        try await store.delete(try await store.lookup(ContractPerson.self, identifier: "101"))
        let query = ModelQuery(ContractPerson.self, sort: [.ascending(\.age)], limit: 3)
        let report = try await store.explain(query)
        #expect(report.plan.usedIndexes == ["age"])
        #expect(report.readCount <= 6)
        #expect(try await store.list(query).map(\.id.value) == [201, 301, 401])
        #expect(try await store.count(ContractPerson.self) == 2_000)
        #expect(try await store.count(ContractPerson.self, where: { $0.age == 0 }) == 19)
        #expect(try await store.count(ContractPerson.self, where: { $0.age == 99 }) == 21)
      }
    }
  }

  @Test func `An index of a read-only file store does not change the results`() async throws {
    try await withTemporaryDirectory { directory in
      let writer = FileModelStore(directory: directory, options: Self.options)
      try await writer.create(person("Ada", age: 36))
      let reader = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
      try await reader.index(\ContractPerson.age)
      try await writer.create(person("Bob", age: 36))
      #expect(try await reader.list(ContractPerson.self, where: { $0.age == 36 }).map(\.name.value) == ["Ada", "Bob"])
      try await reader.close()
      try await writer.close()
    }
  }
}
