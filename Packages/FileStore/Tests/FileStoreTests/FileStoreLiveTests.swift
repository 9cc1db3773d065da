import FileStore
import Foundation
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

@Suite struct `Live results of a file store` {
  private func withPeople(_ body: (FileModelStore) async throws -> Void) async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let people = (0..<100).map { number in
        let person = ContractPerson()
        person.name.value = "Person \(number)"
        person.age.value = number
        return person
      }
      try await store.createAll(people)
      try await body(store)
      try await store.close()
    }
  }

  @Test(arguments: [false, true])
  func `Live results of a file store are not evaluated when an irrelevant record is deleted`(
    inTransaction: Bool
  ) async throws {
    try await withPeople { store in
      let results = store.observe(ContractPerson.self, where: { $0.age >= 50 })
      var iterator = results.makeAsyncIterator()
      #expect(await iterator.next()?.models.count == 50)
      let deliveries = store.changeFeed.deliveryCount
      let evaluations = results.work.evaluations
      let other = FileModelStore(store.handle)
      let young = try await other.lookup(ContractPerson.self, identifier: "11")
      #expect(young.age == 10)
      if inTransaction {
        try await other.transaction { _ = try await $0.delete(young) }
      } else {
        try await other.delete(young)
      }
      #expect(await iterator.nextIfReady() == nil)
      #expect(store.changeFeed.deliveryCount == deliveries)
      #expect(results.work.evaluations == evaluations)
      #expect(results.work.listings == 1)
      try await other.delete(try await other.lookup(ContractPerson.self, identifier: "71"))
      let result = try #require(await iterator.next())
      #expect(result.differences.removed.map(\.index) == [20])
      #expect(result.models.count == 49)
      #expect(results.work.listings == 1)
    }
  }

  @Test(arguments: [20, 3_000])
  func `Live sums and groups of a file store read only the changed records`(count: Int) async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let writer = FileModelStore(store.handle)
      var people = (0..<count).map { number in
        let person = ContractPerson()
        (person.name.value, person.age.value) = ("\(number)", number % 90)
        person.isActive.value = number % 2 == 0
        return person
      }
      try await writer.createAll(people)
      let sums = store.observeValue(ContractPerson.self, where: { $0.age > 5 }) { $0.sum(\.age) }
      let groups = store.observeGroups(ContractPerson.self, by: { $0.isActive }) { ($0.count, $0.average(\.age)) }
      var (nextSum, nextGroups) = (sums.makeAsyncIterator(), groups.makeAsyncIterator())
      _ = (await nextSum.next(), await nextGroups.next())
      for round in 1...30 {
        people[10].age.value = 30 + round
        try await writer.update(people[10])
        people[11].isActive.value = round % 2 == 0
        people[11].age.value = 100
        try await writer.update(people[11])
        let added = ContractPerson()
        (added.name.value, added.age.value, added.isActive.value) = ("new", 50, true)
        people.append(try await writer.create(added))
        if round % 3 == 0 { try await writer.delete(people.remove(at: 12)) }
        if round == 15 { try await store.compact() }
        let sum = try #require(await nextSum.next()).get()
        #expect(sum == people.compactMap(\.age.value).filter { $0 > 5 }.reduce(0, +))
        let counts = try #require(await nextGroups.next()).get().map(\.values.0)
        #expect(counts == [true, false].map { isActive in people.count { $0.isActive.value == isActive } })
      }
      // The first one, and that of the first change.
      #expect(sums.work.listings == 2)
      #expect(groups.work.listings == 2)
      #expect(sums.work.changes > 60)
      try await store.close()
    }
  }

  /// The records of the first values must contain exactly the commits that the feed reported before.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `Live sums that begin during writes of a file store lose and repeat no commit`(seed: UInt64) async throws {
    @Sendable func person(_ name: String, _ balance: Decimal) -> ContractPerson {
      let person = ContractPerson.named(name)
      person.balance.value = balance
      return person
    }
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let handle = store.handle
      try await store.createAll((0..<2_000).map { number in person("\(number)", 1) })
      let writes = Task { () -> Decimal in
        var random = RandomSource(seed: seed)
        let writer = FileModelStore(handle)
        for _ in 0..<150 {
          let identifier = "\(Int.random(in: 1...2_000, using: &random))"
          let person = try await writer.lookup(ContractPerson.self, identifier: identifier)
          person.balance.value = Decimal(Int.random(in: 1..<1_000, using: &random))
          try await writer.update(person)
        }
        try await writer.create(person("last", 1_000_000))
        return try await writer.list(ContractPerson.self).compactMap(\.balance.value).reduce(0, +)
      }
      let sums = store.observeValue(ContractPerson.self, { $0.sum(\.balance) })
      var total: Decimal?
      for await sum in sums {
        total = try sum.get()
        if let total, total >= 1_000_000 { break }
      }
      #expect(total == (try await writes.value))
      try await store.close()
    }
  }

  @Test func `Live results of a file store are not evaluated when a link is cut in an irrelevant record`() async throws
  {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      try await Clubs.fill(store)
      let results = store.observe(Match.self, where: { $0.goals > 3 })
      var iterator = results.makeAsyncIterator()
      #expect(await iterator.next()?.models.count == 1)
      let deliveries = store.changeFeed.deliveryCount
      let other = FileModelStore(store.handle)
      try await other.delete(try await other.lookup(Club.self, identifier: "greens"))
      #expect(await iterator.nextIfReady() == nil)
      #expect(store.changeFeed.deliveryCount == deliveries)
      #expect(results.work.listings == 1)
      try await store.close()
    }
  }

  @Test func `Live results of a file store are not notified of other groups`() async throws {
    try await withPeople { store in
      let group = store.group("other")
      var own = store.observe(ContractPerson.self).makeAsyncIterator()
      var others = group.observe(ContractPerson.self).makeAsyncIterator()
      #expect(await own.next()?.models.count == 100)
      #expect(await others.next()?.models.count == 0)
      let person = ContractPerson()
      person.name.value = "Ada"
      try await group.create(person)
      #expect(await others.next()?.models == [person])
      #expect(await own.nextIfReady() == nil)
    }
  }

  /// Changes a byte of a name in the journal of a store.
  private func damage(_ name: String, in directory: URL) throws {
    let journal = directory.appending(path: "groups/@default/000001.journal")
    var bytes = try Data(contentsOf: journal)
    let place = try #require(bytes.range(of: Data(name.utf8)))
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: journal, options: [])
  }

  private func person(_ name: String) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    return person
  }

  @Test func `Live results of a file store that failed for damage are listed after a repair`() async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory)
      try await store.createAll([person("Ada"), person("Bob")])
      try damage("Bob", in: directory)
      var iterator = store.observe(ContractPerson.self).makeAsyncIterator()
      #expect(await iterator.next()?.error?.code == .corrupt)
      try await store.repair()
      #expect(await iterator.nextIfReady()?.models.map(\.name.value) == ["Ada"])
      try await store.close()
    }
  }

  @Test func `A live query reads a related record again if a change of it has no values`() async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let company = ContractCompany()
      (company.id.value, company.name.value) = ("acme", "Acme")
      let ada = person("Ada")
      ada.company.value = try await store.create(company)
      try await store.create(ada)
      var iterator = store.observe(ContractPerson.self, where: { $0.company.name.hasPrefix("A") }).makeAsyncIterator()
      #expect(await iterator.next()?.models == [ada])
      store.changeFeed.publish([RecordChange(.updated, ContractCompany.typeName, "acme")])
      #expect(await iterator.nextIfReady() == nil)
      try await store.close()
    }
  }

  @Test func `A transaction that read a revision which a repair replaces is not committed`() async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory)
      let ada = try await store.create(person("Ada"))
      ada.name.value = "Augusta"
      try await store.update(ada)
      let other = FileModelStore(store.handle)
      let error = await #expect(throws: ModelStoreError.self) {
        try await other.transaction { store in
          #expect(try await store.lookup(ContractPerson.self, identifier: "1").name.value == "Augusta")
          try damage("Augusta", in: directory)
          #expect(try await store.repair().losses.count == 1)
          try await store.create(person("Bob"))
        }
      }
      #expect(error?.code == .conflict)
      #expect(try await FileModelStore(store.handle).list(ContractPerson.self).map(\.name.value) == ["Ada"])
      try await store.close()
    }
  }

  @Test func `Live results of a file store lose a record that is deleted although it can't be read any more`()
    async throws
  {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory)
      for name in ["Ada", "Bob"] { try await store.create(person(name)) }
      var iterator = store.observe(ContractPerson.self).makeAsyncIterator()
      let result = try #require(await iterator.next())
      try damage("Bob", in: directory)
      try await store.delete(result.models[1])
      #expect(await iterator.next()?.models.map(\.name.value) == ["Ada"])
      try await store.close()
    }
  }
}
