import ModelCore
import StoreEngine
import StoreProtocolTesting
import Testing

private final class Crew: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let sailors = ModelField<Sailor>(foreignKey: true, deleteRule: .cascade)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name] }
}

private final class Sailor: Model {
  let id = Field<Int>()
  let age = Field<Int>()
  let crew = ModelField<Crew>(foreignKey: true, inverse: \.sailors)
  let letters = ModelField<Letter>(foreignKey: true, deleteRule: .cascade)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, age, crew] }

  convenience init(crew: Crew?) {
    self.init()
    self.crew.value = crew
  }
}

private final class Letter: Model {
  let id = Field<Int>()
  let sender = ModelField<Sailor>(foreignKey: true, inverse: \.letters)
  override var identifierField: AnyField? { id }
}

@MainActor @Suite struct `Calls of other tasks beside an open transaction` {
  private struct Refusal: Error {}

  /// A place where a task waits.
  private struct Gate: Sendable {
    private let reached = AsyncStream.makeStream(of: Void.self)
    private let opened = AsyncStream.makeStream(of: Void.self)

    func pass() async {
      reached.continuation.finish()
      for await _ in opened.stream {}
    }

    func isReached() async { for await _ in reached.stream {} }
    func open() { opened.continuation.finish() }
  }

  private let engine = InterruptedEngine()
  private let store: InterruptedStore

  init() { store = InterruptedStore(engine) }

  @Test func `A model that an open transaction created can't be created by another task, and is new after a rollback`()
    async throws
  {
    let sailor = Sailor()
    let create: @MainActor @Sendable () async throws -> Void = { [store] in try await store.create(sailor) }
    var error: (any Error)?
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        try await store.create(sailor)
        do { try await Task.detached { try await create() }.value } catch let thrown { error = thrown }
        throw Refusal()
      }
    }
    #expect((error as? ModelStoreError)?.code == .conflict)
    #expect(error.map { "\($0)".contains("an open transaction of another task creates it") } == true)
    #expect(!sailor.isPersisted && sailor.identifier == nil)
    #expect(try await store.count(Sailor.self) == 0)
    try await store.create(sailor)
    #expect(sailor.isPersisted && sailor.identifier != nil)
  }

  /// Begins to list crews with their sailors, and waits until a snapshot is to be made, or the list has been read.
  private func beginList(until snapshot: Int, _ gate: Gate) async -> Task<Void, any Error> {
    engine.beforeSnapshot(snapshot) { await gate.pass() }
    let list: @MainActor @Sendable () async throws -> Void = { [store] in
      _ = try await store.list(Crew.self, including: [\.sailors])
      await gate.pass()
    }
    let task = Task.detached { try await list() }
    await gate.isReached()
    return task
  }

  @Test(arguments: 1...4)
  func `A model whose creation is rolled back while a list with it is read stays new`(_ snapshot: Int) async throws {
    let crew = try await store.create(Crew()), stored = try await store.create(Sailor(crew: crew))
    let gate = Gate(), sailor = Sailor(crew: crew)
    var reading: Task<Void, any Error>?
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        try await store.create(sailor)
        reading = await beginList(until: snapshot, gate)
        throw Refusal()
      }
    }
    gate.open()
    try await reading?.value
    #expect(!sailor.isPersisted && sailor.identifier == nil)
    #expect(stored.isPersisted && crew.sailors.value?.contains(stored) == true)
  }

  @Test(arguments: 1...4)
  func `A model whose creation is committed while a list with it is read keeps its links`(_ snapshot: Int) async throws
  {
    let crew = try await store.create(Crew())
    let gate = Gate(), sailor = Sailor(crew: crew)
    let reading = try await store.transaction { store in
      try await store.create(sailor)
      return await beginList(until: snapshot, gate)
    }
    gate.open()
    try await reading.value
    #expect(sailor.isPersisted && sailor.crew.value === crew && crew.sailors.value == [sailor])
  }

  @Test func `A creation of several models leaves out no edit that an open transaction made meanwhile`() async throws {
    let crew = try await store.create(Crew())
    let gate = Gate(), first = Sailor(crew: crew), second = Sailor(crew: crew)
    (first.id.value, first.age.value) = (7, 1)
    let edit: @MainActor @Sendable () async throws -> Void = { [store] in
      try await store.transaction { _ in
        first.age.value = 2
        await gate.pass()
        throw Refusal()
      }
    }
    var editing: Task<Void, any Error>?
    engine.beforeSnapshot(1) {
      editing = Task.detached { try await edit() }
      await gate.isReached()
    }
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.createAll([first, second]) }
    #expect(error?.code == .invalid)
    gate.open()
    await #expect(throws: Refusal.self) { try await editing?.value }
    #expect(first.age.value == 1 && !first.isPersisted && second.identifier == nil)
    try await store.createAll([first, second])
    #expect(try await InterruptedStore(engine).lookup(Sailor.self, identifier: "7").age.value == 1)
  }

  @Test(arguments: 1...10)
  func `A deletion cuts no links of a model that leaves its cascade meanwhile`(_ snapshot: Int) async throws {
    let crew = try await store.create(Crew()), other = try await store.create(Crew())
    let sailor = try await store.create(Sailor(crew: other)), letter = Letter()
    letter.sender.value = sailor
    try await store.create(letter)
    sailor.crew.value = crew
    engine.beforeSnapshot(snapshot) { sailor.revert() }
    try await store.delete(crew)
    let reader = InterruptedStore(engine)
    let sailors = try await reader.list(Sailor.self), letters = try await reader.list(Letter.self)
    #expect(sailors.count == letters.count && sailors.count == (sailor.isPersisted ? 1 : 0))
    #expect(letters.allSatisfy { $0.sender.value === sailors.first })
  }

  @Test func `A creation that ends after an undo of it in a failing transaction leaves its model stored`() async throws
  {
    let undo = ModelUndo(store.scope), crew = Crew()
    let undone: @MainActor @Sendable () async throws -> Void = { [store] in
      try await store.transaction { _ in
        try undo.undo()
        // The creation ends before the transaction does.
        while !crew.isPersisted { await Task.yield() }
        throw Refusal()
      }
    }
    var undoing: Task<Void, any Error>?
    engine.beforeNextCommit {
      undoing = Task.detached { try await undone() }
      while crew.scope === self.store.scope { await Task.yield() }
    }
    try await store.create(crew)
    await #expect(throws: Refusal.self) { try await undoing?.value }
    #expect(crew.isPersisted && crew.canonicalInstance(in: store.scope) === crew)
    #expect(try await store.lookup(Crew.self, identifier: #require(crew.identifier)) === crew)
  }
}
