import Foundation
@_spi(ModelKitInternals) import MemoryStore
import StoreProtocolTesting
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol

@Suite struct `The work of live queries` {
  private func filled(_ count: Int = 100) async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    _ = try await store.createAll(
      (0..<count).map { number -> LivePerson in
        let person = LivePerson()
        person.name.value = "Person \(number)"
        person.age.value = number
        person.score.value = number
        return person
      })
    return store
  }

  private func change(
    _ identifier: Int, _ store: MemoryModelStore, _ body: (LivePerson) -> Void
  ) async throws {
    let instance = MemoryModelStore(store.handle)
    let person = try instance.lookupImmediately(LivePerson.self, identifier: String(identifier))
    body(person)
    try await instance.update(person)
  }

  @Test func `The work of live queries is done for the one record that was written`() async throws {
    let store = try await filled()
    let results = store.observe(LivePerson.self, where: { $0.age >= 50 }, sort: [.descending(\.score)], limit: 10)
    var iterator = results.makeAsyncIterator()
    _ = await iterator.next()
    #expect(results.work.evaluations == 100)
    try await change(60, store) { $0.score.value = 1_000 }
    let result = try #require(await iterator.next())
    #expect(result.models.first?.id.value == 60)
    #expect(result.differences.inserted.map(\.index) == [0])
    #expect(result.differences.removed.map(\.index) == [9])
    #expect(results.work.evaluations == 101)
    #expect(results.work.listings == 1)
    #expect(results.work.changes == 1)
  }

  @Test func `A change that concerns neither a live query nor its result causes no work`()
    async throws
  {
    let store = try await filled()
    let results = store.observe(LivePerson.self, where: { $0.age >= 50 }, sort: [.descending(\.score)], limit: 10)
    var iterator = results.makeAsyncIterator()
    _ = await iterator.next()
    let deliveries = store.changeFeed.deliveryCount
    try await change(10, store) { $0.age.value = 11 }
    try await change(60, store) { $0.note.value = "not shown, and not tested" }
    try await store.create(LiveCompany())
    #expect(await iterator.nextIfReady() == nil)
    #expect(store.changeFeed.deliveryCount == deliveries)
    #expect(results.work.evaluations == 100)
  }

  @Test(arguments: [20, 2_000])
  func `Live sums and groups read only the changed records`(count: Int) async throws {
    let store = MemoryModelStore()
    var people: [ContractPerson] = []
    for number in 0..<count {
      let person = ContractPerson()
      (person.name.value, person.age.value) = ("\(number)", number % 90)
      person.isActive.value = number % 2 == 0
      people.append(person)
    }
    try await store.createAll(people)
    let sums = store.observeValue(ContractPerson.self, where: { $0.age > 5 }) { $0.sum(\.age) }
    let groups = store.observeGroups(ContractPerson.self, by: { $0.isActive }) { ($0.count, $0.average(\.age)) }
    var (nextSum, nextGroups) = (sums.makeAsyncIterator(), groups.makeAsyncIterator())
    _ = (await nextSum.next(), await nextGroups.next())
    for round in 1...30 {
      people[10].age.value = 30 + round
      try await store.update(people[10])
      people[11].isActive.value = round % 2 == 0
      people[11].age.value = 100
      try await store.update(people[11])
      let added = ContractPerson()
      (added.name.value, added.age.value, added.isActive.value) = ("new", 50, true)
      people.append(try await store.create(added))
      if round % 3 == 0 { try await store.delete(people.remove(at: 12)) }
      let sum = try #require(await nextSum.next()).get()
      #expect(sum == people.compactMap(\.age.value).filter { $0 > 5 }.reduce(0, +))
      let counts = try #require(await nextGroups.next()).get().map(\.values.0)
      #expect(counts == [true, false].map { isActive in people.count { $0.isActive.value == isActive } })
    }
    // The first one, and that of the first change.
    #expect(sums.work.listings == 2)
    #expect(groups.work.listings == 2)
    #expect(sums.work.changes > 60)
  }

  /// The minimum has to be found again if it is removed.
  @Test func `A live minimum reads all records only after its value was removed`() async throws {
    let store = MemoryModelStore()
    var people: [ContractPerson] = []
    for number in 1...9 {
      let person = ContractPerson()
      (person.name.value, person.age.value) = ("\(number)", number * 10)
      people.append(try await store.create(person))
    }
    let values = store.observeValue(ContractPerson.self) { $0.minimum(\.age) }
    var iterator = values.makeAsyncIterator()
    let first = try await iterator.next()?.get()
    #expect(first == 10)
    for (index, age, minimum, listings) in [(8, 5, 5, 2), (7, 4, 4, 2), (7, 80, 5, 3), (0, 3, 3, 3)] {
      people[index].age.value = age
      try await store.update(people[index])
      let value = try await iterator.next()?.get()
      #expect(value == minimum)
      #expect(values.work.listings == listings)
    }
  }

  /// The feed receives records only with a batch that is captured, which raises its position.
  @Test func `Writes without a consumer of live results make no work, before it begins and after it ended`()
    async throws
  {
    let store = try await filled()
    let feed = store.changeFeed
    func writeEverything() async throws {
      try await change(60, store) { $0.score.value = 7 }
      let company = try await store.create(LiveCompany())
      try await store.transaction { store in
        try await store.delete(company)
        try await store.createAll([LiveCompany(), LiveCompany()])
      }
      try store.restore(store.snapshot())
    }
    try await writeEverything()
    #expect(feed.position == 0 && feed.deliveryCount == 0)
    do {
      let results = store.observe(LivePerson.self, where: { $0.age >= 50 })
      var iterator = results.makeAsyncIterator()
      _ = await iterator.next()
      try await writeEverything()
      // An update, a create, a transaction, and a store that became another one.
      #expect(feed.position == 4)
    }
    #expect(!feed.isObserved)
    let deliveries = feed.deliveryCount
    try await writeEverything()
    #expect(feed.position == 4 && feed.deliveryCount == deliveries)
  }

  @Test func `The work of live queries includes no test of the condition when another field of a listed model changes`()
    async throws
  {
    let store = try await filled()
    let results = store.observe(LivePerson.self, where: { $0.age >= 50 }, sort: [.descending(\.score)], limit: 10)
    var iterator = results.makeAsyncIterator()
    let shown = try #require(await iterator.next()).models[9]
    try await change(try #require(shown.id.value), store) { $0.note.value = "seen" }
    let result = try #require(await iterator.next())
    #expect(result.differences.updated.map(\.index) == [9])
    #expect(
      result.differences.inserted.isEmpty && result.differences.removed.isEmpty && result.differences.moved.isEmpty)
    #expect(shown.note.value == "seen")
    #expect(results.work.evaluations == 100)
  }

  @Test(arguments: ["equal", "range", "text", "foreign key"])
  func `The work of live queries wakes one of 100 queries if a change concerns one`(kind: String) async throws {
    let store = try await filled()
    var iterators: [LiveResults<LivePerson>.AsyncIterator] = []
    for number in 0..<100 {
      let results =
        switch kind {
        case "equal": store.observe(LivePerson.self, where: { $0.score == number })
        case "range": store.observe(LivePerson.self, where: { $0.score >= number && $0.score < number + 1 })
        case "text": store.observe(LivePerson.self, where: { $0.name.hasSuffix(" \(number)") })
        default: store.observe(LivePerson.self, where: { $0.company.id == number || $0.id == number })
        }
      iterators.append(results.makeAsyncIterator())
      _ = await iterators[number].next()
    }
    let deliveries = store.changeFeed.deliveryCount
    // Its identifier is 1 higher.
    try await change(kind == "foreign key" ? 42 : 43, store) { $0.note.value = "new" }
    #expect(store.changeFeed.deliveryCount == deliveries + 1)
    #expect(await iterators[42].nextIfReady()?.differences.updated.count == 1)
    #expect(await iterators[41].nextIfReady() == nil)
  }

  @Test func `A change of a related model evaluates only the live queries that read it`() async throws {
    let store = try await filled()
    let company = LiveCompany()
    company.name.value = "Acme"
    try await store.create(company)
    for number in 1...3 {
      let person = try store.lookupImmediately(LivePerson.self, identifier: String(number))
      person.company.value = company
      try await store.update(person)
    }
    let results = store.observe(LivePerson.self, where: { $0.company.name == "Acme" })
    var iterator = results.makeAsyncIterator()
    #expect(await iterator.next()?.models.count == 3)
    let before = results.work.evaluations
    company.name.value = "Other"
    try await store.update(company)
    let result = try #require(await iterator.next())
    #expect(result.models.isEmpty && result.differences.removed.count == 3)
    #expect(results.work.evaluations == before + 3)
  }

  @Test func `The work of live queries is collapsed to the newest result when too much waits`() async throws {
    let store = try await filled(10)
    var results = store.observe(LivePerson.self, sort: [.descending(\.score)])
    results.capacity = 20
    var iterator = results.makeAsyncIterator()
    let first = try #require(await iterator.next())
    _ = try await MemoryModelStore(store.handle).createAll(
      (0..<21).map { number -> LivePerson in
        let person = LivePerson()
        person.score.value = number
        return person
      })
    let second = try #require(await iterator.next())
    #expect(second.models.count == 31)
    #expect(second.differences.applied(to: first.models) == second.models)
    #expect(results.work.listings == 2)
  }

  @Test func `The work of live queries continues after a record that can't be read, and keeps the last good result`()
    async throws
  {
    let store = try await filled(3)
    var iterator = store.observe(LivePerson.self, where: { $0.age >= 0 }).makeAsyncIterator()
    let first = try #require(await iterator.next())
    let snapshot = try store.snapshot()
    let text = String(decoding: try snapshot.jsonData(JSONWritingOptions(sortedKeys: true)), as: UTF8.self)
    let broken = text.replacingOccurrences(of: #""age":1,"#, with: #""age":"no number","#)
    #expect(broken != text)
    try store.restore(JSONValue(json: Array(broken.utf8)))
    let second = try #require(await iterator.next())
    #expect(second.error?.code == .corrupt)
    #expect(second.models == first.models)
    try store.restore(snapshot)
    let third = try #require(await iterator.next())
    #expect(third.error == nil)
    #expect(third.models == first.models)
  }

  @Test func `The work of live queries wakes a consumer that waits, in its own isolation`() async throws {
    let store = try await filled(3)
    let handle = store.handle
    let (names, continuation) = AsyncStream.makeStream(of: [String?].self)
    let task = Task { @MainActor in
      let instance = MemoryModelStore(handle)
      for await people in instance.observe(LivePerson.self, where: { $0.age > 1 }) {
        MainActor.assertIsolated()
        continuation.yield(people.map(\.name.value))
      }
      continuation.finish()
    }
    var iterator = names.makeAsyncIterator()
    #expect(await iterator.next() == ["Person 2"])
    try await change(1, store) { $0.age.value = 7 }
    #expect(await iterator.next() == ["Person 0", "Person 2"])
    task.cancel()
    #expect(await iterator.next() == nil)
    #expect(store.changeFeed.consumerCount == 0)
  }

  @Test func `Live results do not restore values from before a model was deleted and created again elsewhere`()
    async throws
  {
    let store = try await filled(3)
    let reader = MemoryModelStore(store.handle)
    var iterator = reader.observe(LivePerson.self, where: { $0.score == 1 }).makeAsyncIterator()
    let first = try #require(await iterator.next())
    #expect(first.models.map(\.id.value) == [2])
    try await change(2, store) { $0.note.value = "before" }
    try await store.delete(try store.lookupImmediately(LivePerson.self, identifier: "2"))
    let again = LivePerson()
    again.id.value = 2
    again.score.value = 7
    again.note.value = "after"
    try await store.create(again)
    // The query is not notified, because it does not search for a 7.
    let seen = try reader.lookupImmediately(LivePerson.self, identifier: "2")
    #expect(seen.note.value == "after")
    #expect(await iterator.nextIfReady()?.models.isEmpty == true)
    #expect(seen.note.value == "after" && seen.score.value == 7)
  }

  @Test func `Live results do not restore values that a slow consumer got before its query lost the model`()
    async throws
  {
    let store = try await filled(3)
    let reader = MemoryModelStore(store.handle)
    var quick = reader.observe(LivePerson.self).makeAsyncIterator()
    var slow = reader.observe(LivePerson.self, where: { $0.score == 1 }).makeAsyncIterator()
    let shown = try #require(await slow.next()).models[0]
    _ = await quick.next()
    try await change(2, store) {
      $0.score.value = 7
      $0.note.value = "first"
    }
    try await change(2, store) { $0.note.value = "second" }
    _ = await quick.nextIfReady()
    #expect(shown.note.value == "second")
    #expect(await slow.nextIfReady()?.models.isEmpty == true)
    #expect(shown.note.value == "second")
  }

  @Test func `The work of live queries ends with its consumer`() async throws {
    let store = try await filled(3)
    weak var work: LiveTaskTracker?
    do {
      let results = store.observe(LivePerson.self)
      work = results.work
      var iterator = results.makeAsyncIterator()
      _ = await iterator.next()
      #expect(work != nil)
    }
    #expect(work == nil)
    #expect(!store.changeFeed.isObserved)
  }
}
