import MemoryStore
import StoreProtocol
import StoreProtocolTesting
import SyncStore
import Testing

/// A club whose members, and their notes, are deleted with it.
private final class Club: Model {
  @Field var id: Int?
  @ModelArrayField(deleteRule: .cascade) var members: [Member]?
  @ModelArrayField var guests: [Member]?
  override var identifierField: AnyField? { $id }
}

private final class Member: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$members) var club: Club?
  @ModelField(foreignKey: true, inverse: \.$guests) var host: Club?
  @ModelArrayField(deleteRule: .cascade) var notes: [Note]?
  /// A link without an inverse.
  @ModelField(foreignKey: true) var friend: Member?
  override var identifierField: AnyField? { $id }
}

private final class Note: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$notes) var author: Member?
  override var identifierField: AnyField? { $id }
}

@MainActor @Suite struct `A deletion in a compound store` {
  let scope = ModelScope()

  private func memory() -> MemoryModelStore { MemoryModelStore(scope: scope) }

  private func compound(_ stores: any ModelStore...) -> CompoundModelStore {
    CompoundModelStore(scope: scope) { _, _ in stores }
  }

  /// Creates a club with a member that has a note, and a guest.
  private func fill(_ store: some ModelStore) async throws -> Club {
    let (club, member, guest, note) = (Club(), Member(), Member(), Note())
    (member.club, guest.host, note.author) = (club, club, member)
    try await store.create(club)
    try await store.create(member)
    try await store.create(guest)
    try await store.create(note)
    return club
  }

  /// Returns the numbers of clubs, members and notes, and of broken links.
  private func counts(_ handle: MemoryEngine) async throws -> [Int] {
    let store = MemoryModelStore(handle)
    let (clubs, members) = (try await store.count(Club.self), try await store.count(Member.self))
    let notes = try await store.count(Note.self)
    return [clubs, members, notes, try await store.brokenLinks(of: [Member.self, Note.self]).count]
  }

  @Test func `A deletion applies the delete rules in each store`() async throws {
    let (one, other) = (memory(), memory())
    let store = compound(one, other)
    try await store.delete(fill(store))
    #expect(try await counts(one.handle) == [0, 1, 0, 0])
    #expect(try await counts(other.handle) == [0, 1, 0, 0])
  }

  @Test func `A deletion applies the delete rules in the stores of a compound in a compound`() async throws {
    let (one, other, third) = (memory(), memory(), memory())
    let store = compound(one, compound(other, third))
    try await store.delete(fill(store))
    for handle in [one.handle, other.handle, third.handle] { #expect(try await counts(handle) == [0, 1, 0, 0]) }
  }

  @Test func `A deletion removes members that only the later store has`() async throws {
    let (one, other) = (memory(), memory())
    let club = try await fill(other)
    try await one.create(club)
    try await compound(one, other).delete(club)
    #expect(try await counts(one.handle) == [0, 0, 0, 0])
    #expect(try await counts(other.handle) == [0, 1, 0, 0])
  }

  @Test func `A model that the first store lacks is deleted in the others`() async throws {
    let (one, other) = (memory(), memory())
    let club = try await fill(other)
    let store = compound(one, other)
    try await store.delete(club)
    #expect(try await counts(other.handle) == [0, 1, 0, 0])
    let error = try await #require(throws: ModelStoreError.self) { _ = try await store.delete(club) }
    #expect(error.code == .notFound)
  }

  @Test func `A deletion that a later store fails keeps its records, and can be repeated`() async throws {
    let (one, other) = (memory(), memory())
    let failing = FailingStore(other)
    let store = compound(one, failing)
    let club = try await fill(store)
    failing.fails = true
    let error = try await #require(throws: ModelStoreError.self) { _ = try await store.delete(club) }
    #expect(error.code == .offline && error.message.contains("1 of 2 stores"))
    #expect(try await counts(one.handle) == [0, 1, 0, 0])
    #expect(try await counts(other.handle) == [1, 2, 1, 0])
    failing.fails = false
    try await store.delete(club)
    #expect(try await counts(other.handle) == [0, 1, 0, 0])
  }

  @Test func `An undo of a cascade restores the links between its models in each store`() async throws {
    let (one, other) = (memory(), memory())
    let store = compound(one, other)
    let club = try await fill(store)
    let undo = ModelUndo(scope)
    try await store.delete(club)
    for _ in 0..<2 {
      try await store.save(undo.undo())
      #expect(club.members?.count == 1 && scope.unsavedModels.isEmpty)
      for handle in [one.handle, other.handle] {
        let store = MemoryModelStore(handle)
        #expect(try await counts(handle) == [1, 2, 1, 0])
        #expect(try await store.count(Member.self, where: { $0.club == club }) == 1)
        #expect(try await store.count(Member.self, where: { $0.host == club }) == 1)
        #expect(try await store.count(Note.self, where: { $0.author != nil }) == 1)
      }
      #expect(undo.canRedo && !undo.canUndo)
      try await store.save(undo.redo())
      for handle in [one.handle, other.handle] { #expect(try await counts(handle) == [0, 1, 0, 0]) }
    }
  }

  @Test(arguments: TestEffort.seeds(30), [false, true])
  func `Deletions are undone and redone in each store`(seed: UInt64, isRetained: Bool) async throws {
    var random = SimulatedRandom(state: seed)
    let (one, other) = (memory(), memory())
    let store = compound(one, other)
    var retained: [ModelObject] = []
    func make<M: Model>(_ model: M) async throws -> M {
      retained.append(model)
      return try await store.create(model)
    }
    var (clubs, members): ([Club], [Member]) = ([], [])
    for _ in 0..<3 { clubs.append(try await make(Club())) }
    for _ in 0..<6 {
      let member = Member()
      member.club = clubs.randomElement(using: &random)
      if Bool.random(using: &random) { member.host = clubs.randomElement(using: &random) }
      if Bool.random(using: &random) { member.friend = members.randomElement(using: &random) }
      members.append(try await make(member))
    }
    members[0].friend = members[5]
    try await store.save(members[0])
    for _ in 0..<6 {
      let note = Note()
      note.author = members.randomElement(using: &random)
      _ = try await make(note)
    }
    if !isRetained { retained = [] }
    (clubs, members) = ([], [])
    let beginning = try await snapshot(one.handle)
    #expect(try await snapshot(other.handle) == beginning)
    let undo = ModelUndo(scope)
    var count = 0
    for _ in 0..<3 {
      let clubs = try await store.list(Club.self), members = try await store.list(Member.self)
      count += 1
      if Bool.random(using: &random), let member = members.randomElement(using: &random) {
        try await store.delete(member)
      } else if let club = clubs.randomElement(using: &random) {
        try await store.delete(club)
      } else {
        count -= 1
      }
    }
    let end = try await snapshot(one.handle)
    #expect(try await snapshot(other.handle) == end)
    for _ in 0..<2 {
      for _ in 0..<count { try await store.save(undo.undo()) }
      #expect(!undo.canUndo && scope.unsavedModels.isEmpty)
      for handle in [one.handle, other.handle] { #expect(try await snapshot(handle) == beginning) }
      for _ in 0..<count { try await store.save(undo.redo()) }
      #expect(!undo.canRedo && scope.unsavedModels.isEmpty)
      for handle in [one.handle, other.handle] { #expect(try await snapshot(handle) == end) }
    }
  }

  /// Returns the records with their links.
  private func snapshot(_ handle: MemoryEngine) async throws -> [String] {
    let store = MemoryModelStore(handle)
    func name(_ model: (any Model)?) -> String { model?.identifier ?? "-" }
    let clubs = try await store.list(Club.self).map { "club \(name($0))" }
    let notes = try await store.list(Note.self).map { "note \(name($0)) of \(name($0.author))" }
    let members = try await store.list(Member.self).map {
      "member \(name($0)) of \(name($0.club)), guest of \(name($0.host)), friend of \(name($0.friend))"
    }
    return (clubs + members + notes).sorted()
  }

  @Test func `A deletion that a later store fails retains no model`() async throws {
    let (one, other) = (memory(), memory())
    let failing = FailingStore(other)
    let store = compound(one, failing)
    weak var deleted: Club?
    weak var member: Member?
    do {
      let club = try await fill(store)
      (deleted, member) = (club, try await one.list(in: club.$members).first)
      failing.fails = true
      await #expect(throws: ModelStoreError.self) { _ = try await store.delete(club) }
    }
    #expect(deleted == nil && member == nil)
    #expect(try await counts(other.handle) == [1, 2, 1, 0])
  }

  @Test func `A deletion of an unloaded reference applies the delete rules in each store`() async throws {
    let (one, other) = (memory(), memory())
    let identifier = "\(try await fill(compound(one, other)).id ?? 0)"
    let scope = ModelScope()
    let stores = [MemoryModelStore(one.handle, scope: scope), MemoryModelStore(other.handle, scope: scope)]
    let store = CompoundModelStore(scope: scope) { _, _ in stores }
    try await store.delete(Club.with(identifier: identifier, in: scope))
    #expect(try await counts(one.handle) == [0, 1, 0, 0])
    #expect(try await counts(other.handle) == [0, 1, 0, 0])
  }
}

/// A store without transactions that can fail to delete.
private final class FailingStore: ModelStore {
  let scope: ModelScope
  private let store: MemoryModelStore
  var fails = false

  init(_ store: MemoryModelStore) { (scope, self.store) = (store.scope, store) }

  func create<M: Model>(_ model: M) async throws -> M { try await store.create(model) }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await store.update(model, fields: fields)
  }

  func delete<M: Model>(_ model: M) async throws -> M {
    if fails { throw ModelStoreError(.offline, "There is no network.") }
    return try await store.delete(model)
  }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await store.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await store.list(query) }
}
