// The call sites of stores and queries that the documentation shows, as users write them. Compiled in both default
// isolations.
import Foundation
import ModelKit
import StoreProtocolTesting
import Testing

enum Mood: String, CaseIterable, Sendable { case calm, loud }

final class Club: Model {
  let id = Field<String>()
  let name = Field<String>()
  let members = ModelField<Member>(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name] }
}

final class Member: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let email = Field<String>()
  let age = Field<Int>()
  let since = Field<Int>()
  let height = Field<Double>()
  let isActive = Field<Bool>()
  let mood = EnumField<Mood>()
  let birthday = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let tags = Field<String>()*
  let club = ModelField<Club>(foreignKey: true, inverse: \.members)
  override var identifierField: AnyField? { id }

  convenience init(_ name: String, age: Int? = nil) {
    self.init()
    self.name.value = name
    if let age { self.age.value = age }
  }
}

@MainActor final class MemberList {
  let store = MemoryModelStore()
  var members: [Member] = []

  func load() async throws {
    members = try await store.list(Member.self, where: { $0.isActive }, sort: [.ascending(\.name)])
  }

  func add(_ member: Member) { Task { try await store.save(member) } }
}

@Suite struct `Call sites of stores` {
  private func filled() async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    let club = Club()
    club.id.value = "acme"
    club.name.value = "Acme"
    let ada = Member("Ada", age: 36), bob = Member("Bob", age: 40), cleo = Member("Cleo", age: 20)
    ada.club.value = club
    ada.isActive.value = true
    cleo.tags.value = ["x"]
    cleo.mood.value = .loud
    _ = try await store.create(club)
    _ = try await store.createAll([ada, bob, cleo])
    return store
  }

  @Test func `Call sites of stores the query of the documentation`() async throws {
    let store = try await filled()
    let found = try await store.list(
      Member.self,
      where: { $0.age > 30 && $0.name != "Bob" || $0.tags.contains("x") && $0.club.name.hasPrefix("A") },
      sort: [.ascending(\.name)], limit: 20, offset: 0)
    #expect(found.map(\.name.value) == ["Ada"])
    #expect(try await store.list(Member.self).count == 3)
    #expect(try await store.count(Member.self, where: { $0.age > 30 }) == 2)
    #expect(try await store.first(Member.self, sort: [.descending(\.age)])?.name.value == "Bob")
    #expect(try await store.deleteAll(Member.self, where: { $0.age < 30 }) == 1)
  }

  @Test func `Call sites of stores with all parts of queries compile and run`() async throws {
    let store = try await filled()
    let optional: Int? = 36, names = ["Ada", "Cleo"], day = Date(timeIntervalSince1970: 0)
    func count(_ filter: @escaping (ModelColumns<Member>) -> QueryExpression) throws -> Int {
      try store.listImmediately(Member.self, where: filter).count
    }
    #expect(try count { $0.age == optional } == 1)
    #expect(try count { $0.age > optional } == 1)
    #expect(try count { $0.age != nil } == 3)
    #expect(try count { $0.mood == .loud } == 1)
    #expect(try count { $0.mood.isIn([.loud, .calm]) } == 1)
    #expect(try count { $0.age.isIn(18...36) && (18...36).contains($0.age) } == 2)
    #expect(try count { $0.age.isIn(..<36) || $0.age.isIn(40...) } == 2)
    #expect(try count { names.contains($0.name) && $0.name.isIn(names) } == 2)
    #expect(try count { $0.isActive } == 1)
    #expect(try count { !$0.isActive } == 2)
    #expect(try count { $0.birthday == nil || $0.birthday < day } == 3)
    #expect(try count { $0.name.hasSuffix("b") || $0.name.contains("le") } == 2)
    #expect(try count { $0.name.ignoringCase == "ADA" } == 1)
    #expect(try count { $0.name.matches(/[A-C][a-z]+/) && $0.name.contains(/b/) } == 1)
    #expect(try count { $0.tags.contains { $0.hasPrefix("x") } || $0.tags.count > 3 } == 1)
    #expect(try count { $0.tags.isEmpty } == 2)
    #expect(try count { $0.club == nil } == 2)
    #expect(try count { $0.height >= 1.5 || $0.age > $0.since } == 0)
    #expect(try count { $0.id == 1 } == 1)
    let club = try await store.lookup(Club.self, identifier: "acme")
    #expect(try count { $0.club == club && $0.club.id == "acme" } == 1)
    #expect(try await store.list(in: club.members).map(\.name.value) == ["Ada"])
  }

  @Test func `Call sites of stores queries are values`() async throws {
    let query = ModelQuery(Member.self, where: { $0.age > 30 }, sort: [.descending(\.age, nils: .last)], limit: 5)
    #expect("\(query)" == "Member where age > 30 sorted by age descending limit 5")
    #expect(try ModelQuery<Member>(json: query.json) == query)
    let handle = try await filled().handle
    let names = try await Task { try await MemoryModelStore(handle).list(query).map(\.name.value) }.value
    #expect(names == ["Bob", "Ada"])
  }

  @Test func `Call sites of stores saving, batches, transactions and streams`() async throws {
    let store = try await filled()
    let club = Club(), dan = Member("Dan")
    club.id.value = "bau"
    dan.club.value = club
    try await store.save(dan, including: .related)
    dan.name.value = "Daniel"
    try await store.refresh(dan)
    #expect(dan.name == "Dan")
    dan.age.value = 50
    try await store.save(dan)
    try await store.transaction { store in
      _ = try await store.create(Member("Eve"))
      try await store.delete(dan)
    }
    let count = try await store.transaction { store in try await store.count(Member.self) }
    #expect(count == 4)
    var names: [String] = []
    for try await member in store.stream(Member.self) { names.append(member.name.value ?? "") }
    #expect(names == ["Ada", "Bob", "Cleo", "Eve"])
  }

  @Test func `Call sites of stores indexes and synchronous twins`() async throws {
    let store = try await filled()
    try store.index(\Member.email, unique: true)
    try store.index(\Member.club)
    let eve = Member("Eve")
    eve.email.value = "eve@example.com"
    _ = try await store.create(eve)
    #expect(try store.listImmediately(Member.self, where: { $0.email == "eve@example.com" }) == [eve])
    #expect(try store.lookupImmediately(Member.self, identifier: "4") === eve)
  }

  @Test @MainActor func `Call sites of stores a list on the main actor`() async throws {
    let list = MemberList()
    let ada = Member("Ada")
    ada.isActive.value = true
    _ = try await list.store.create(ada)
    try await list.load()
    #expect(list.members == [ada])
  }

  @Test func `Call sites of stores importing the library does not slow down long conditions`() {
    // A query of sixteen terms, in one expression.
    let query = ModelQuery(
      Member.self,
      where: {
        $0.age > 1 && $0.age < 2 || $0.name == "a" && $0.name != "b" || $0.height > 1.5 && $0.isActive
          || $0.tags.contains("x") && $0.club.name.hasPrefix("A") || $0.mood == .calm && $0.id == 3
          || $0.name.hasSuffix("z") && $0.age != nil || $0.email == nil && !$0.isActive || $0.age >= 5 && $0.since <= 6
      })
    #expect(query.filter != nil)
  }
}
