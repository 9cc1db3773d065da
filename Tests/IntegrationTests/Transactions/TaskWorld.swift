@_spi(ModelKitInternals) import ModelCore
import ModelKit
import StoreEngine

/// Several tasks of one isolation that change the same models through one store instance, with transactions and a
/// history of undo.
@MainActor
final class TaskWorld {
  private let store: SuspendingStore<MemoryEngine>
  private let reader: any ModelStore
  private let undo: ModelUndo?
  private(set) var log: [String] = []
  /// The models that a task has seen.
  private var models: [any Model] = []
  private var generator: SplitMix

  private struct Refusal: Error {}

  init(_ store: SuspendingStore<MemoryEngine>, _ reader: any ModelStore, seed: UInt64, hasUndo: Bool) {
    (self.store, self.reader) = (store, reader)
    generator = SplitMix(state: seed &+ 1)
    undo = hasUndo ? ModelUndo(store.scope) : nil
  }

  /// Runs tasks that each perform some actions.
  func run(tasks count: Int, actions: Int) async throws {
    for _ in 0..<3 {
      let club = Club(), athlete = Athlete(), fan = Fan()
      athlete.club = club
      (fan.club, fan.idols) = (club, [athlete])
      models += [club, athlete, fan] as [any Model]
      try await store.create(club)
      try await store.create(athlete)
      try await store.create(fan)
    }
    let tasks = (0..<count).map { number in
      Task { @MainActor in
        for _ in 0..<actions { await self.act("\(number)", depth: 0) }
      }
    }
    for task in tasks { await task.value }
  }

  private func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &generator) }
  private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
  private func present<M: Model>(_ type: M.Type) -> [M] {
    models.compactMap { $0 as? M }.filter { !$0.isDeletedFromStore }
  }

  private func note(_ task: String, _ text: String) { log.append("\(task): \(text)") }

  /// Performs an action. An error of the store ends it.
  private func act(_ task: String, depth: Int) async {
    await Task.yield()
    do {
      try await perform(task, depth)
    } catch let error as ModelStoreError {
      note(task, "  \(error.code)")
    } catch {
      note(task, "  \(error)")
    }
  }

  private func perform(_ task: String, _ depth: Int) async throws {
    switch number(0..<20) {
    case 0...3: edit(task)
    case 4, 5: try await create(task)
    case 6: try await createTogether(task)
    case 7...9:
      guard let model = pick(models.filter { $0.isPersisted || !$0.isDeletedFromStore }) else { return }
      note(task, "save \(tag(model))")
      if model.isPersisted { try await store.save(model) } else { try await create(model) }
    case 10, 11:
      guard let model = pick(models.filter(\.isPersisted)) else { return }
      note(task, "delete \(tag(model))")
      try await store.delete(model)
    case 12:
      guard let model = pick(models.filter(\.isPersisted)) else { return }
      note(task, "revert \(tag(model))")
      model.revert()
    case 13: try await read(task)
    case 14, 15: try await undoOrRedo(task)
    default: if depth < 3 { try await transaction(task, depth) } else { edit(task) }
    }
  }

  private func edit(_ task: String) {
    guard let model = pick(models.filter { !$0.isDeletedFromStore }) else { return }
    let value = number(0..<100), isLinked = value % 4 > 0
    let club = isLinked ? pick(present(Club.self)) : nil, athlete = isLinked ? pick(present(Athlete.self)) : nil
    note(task, "edit \(tag(model)), \(value), \(tag(club)), \(tag(athlete))")
    switch model {
    case let club as Club where value % 2 == 0: club.name = "Club \(value)"
    case let club as Club: club.athletes = athlete.map { [$0] } ?? []
    case let athlete as Athlete where value % 2 == 0: athlete.age = value
    case let athlete as Athlete: athlete.club = club
    case let fan as Fan where value % 3 == 0: fan.age = value
    case let fan as Fan where value % 3 == 1: fan.idols = athlete.map { [$0] } ?? []
    case let fan as Fan: fan.club = club
    case let remark as Remark: remark.athlete = athlete
    default: break
    }
  }

  private func makeModel() -> any Model {
    switch number(0..<4) {
    case 0:
      let club = Club()
      club.athletes = pick(present(Athlete.self)).map { [$0] } ?? []
      return club
    case 1:
      let athlete = Athlete()
      athlete.club = pick(present(Club.self))
      return athlete
    case 2:
      let fan = Fan()
      (fan.club, fan.idols) = (pick(present(Club.self)), pick(present(Athlete.self)).map { [$0] } ?? [])
      return fan
    default:
      let remark = Remark()
      remark.athlete = pick(present(Athlete.self))
      return remark
    }
  }

  private func create(_ task: String) async throws {
    let model = makeModel()
    models.append(model)
    note(task, "create \(tag(model)) #\(models.count - 1)")
    try await create(model)
  }

  private func create(_ model: some Model) async throws { try await store.create(model) }

  private func createTogether(_ task: String) async throws {
    let club = pick(present(Club.self)), athletes = [Athlete(), Athlete()]
    for athlete in athletes { athlete.club = club }
    models += athletes as [any Model]
    note(task, "create two athletes in \(tag(club)) #\(models.count - 2)")
    try await store.createAll(athletes)
  }

  private func read(_ task: String) async throws {
    switch number(0..<3) {
    case 0:
      note(task, "list")
      models += Self.without(models, try await store.list(Athlete.self, including: [\.club.athletes, \.remarks]))
      models += Self.without(models, try await store.list(Fan.self))
    case 1:
      guard let model = pick(models.filter(\.isPersisted)) else { return }
      note(task, "refresh \(tag(model))")
      try await store.refresh(model)
    default:
      note(task, "delete all athletes of an age")
      let age = number(0..<100)
      try await store.deleteAll(Athlete.self, where: { $0.age == age })
    }
  }

  private static func without<M: Model>(_ known: [any Model], _ models: [M]) -> [any Model] {
    models.filter { model in !known.contains { $0 === model } }
  }

  private func undoOrRedo(_ task: String) async throws {
    guard let undo else { return }
    let isRedo = number(0..<3) == 0
    note(task, isRedo ? "redo" : "undo")
    let changes = try isRedo ? undo.redo(onConflict: .overwrite) : undo.undo(onConflict: .overwrite)
    note(task, "  to save \(changes.modelsToSave.count), to delete \(changes.modelsToDelete.count)")
    if number(0..<4) > 0 { try await store.save(changes) }
  }

  private func transaction(_ task: String, _ depth: Int) async throws {
    let isFailing = number(0..<3) > 0, label = "\(task).\(log.count)"
    note(label, "begin")
    do {
      try await store.transaction { _ in
        for _ in 0..<self.number(1..<6) { await self.act(label, depth: depth + 1) }
        if isFailing { throw Refusal() }
      }
      note(label, "commit")
    } catch is Refusal {
      note(label, "rolled back")
    }
  }

  func tag(_ model: (any Model)?) -> String {
    model.map { model in "\(Self.name(model)) #\(models.firstIndex { $0 === model } ?? -1)" } ?? "none"
  }

  static func name(_ model: (any Model)?) -> String {
    model.map { "\(type(of: $0)) \($0.identifier ?? "new")" } ?? "none"
  }

  // MARK: Checks

  /// Returns what is wrong when no task runs.
  func faults() async throws -> [String] {
    var faults: [String] = []
    let records = try await records()
    for (number, model) in models.enumerated() {
      let name = "\(Self.name(model)) #\(number)"
      if model.isPersisted {
        guard let identifier = model.identifier else {
          faults.append("\(name) is stored and has no identifier")
          continue
        }
        guard let record = records[Self.name(model)] else {
          faults.append("\(name) is stored and has no record")
          continue
        }
        if !Self.isCanonical(model, in: store.scope) { faults.append("\(name) is not the object of \(identifier)") }
        for field in model.fields where !field.isDirty {
          if let (live, stored) = Self.difference(field, model, record) {
            faults.append("\(name).\(field.key ?? "") is clean and \(live), but \(stored) is stored")
          }
        }
      } else if model.identifier != nil, records[Self.name(model)] != nil, !model.isDeletedFromStore,
        Self.isCanonical(model, in: store.scope), model.scope === store.scope
      {
        faults.append("\(name) is not stored and has a record")
      }
    }
    return faults + oneSided
  }

  private static func isCanonical(_ model: some Model, in scope: ModelScope) -> Bool {
    let canonical = model.canonicalInstance(in: scope)
    // A record may refer to a deleted model that was created again.
    return canonical === model || canonical.isUnloadedReference
  }

  /// The links that only one side has.
  private var oneSided: [String] {
    var faults: [String] = []
    func check<A: Model, B: Model>(_ many: A, _ members: [B]?, _ owner: (B) -> A?) {
      for member in members ?? [] where owner(member) !== many && member.scope === store.scope {
        faults.append("\(Self.name(many)) has \(Self.name(member)), which has \(Self.name(owner(member)))")
      }
    }
    for model in models where model.scope === store.scope {
      switch model {
      case let club as Club:
        check(club, club.athletes) { $0.club }
        check(club, club.fans) { $0.club }
      case let athlete as Athlete:
        check(athlete, athlete.remarks) { $0.athlete }
        if let club = athlete.club, club.scope === store.scope, club.athletes?.contains(athlete) == false {
          faults.append("\(Self.name(athlete)) has \(Self.name(club)), which does not have it")
        }
      default: break
      }
    }
    return faults
  }

  private static func difference(
    _ field: AnyField, _ model: any Model, _ record: any Model
  ) -> (live: String, stored: String)? {
    func pair(_ live: String?, _ stored: String?) -> (live: String, stored: String)? {
      live == stored ? nil : (live ?? "nil", stored ?? "nil")
    }
    switch (model, record) {
    case (let live as Club, let stored as Club) where field === live.$name: return pair(live.name, stored.name)
    case (let live as Athlete, let stored as Athlete) where field === live.$club:
      return pair(live.club?.identifier, stored.club?.identifier)
    case (let live as Athlete, let stored as Athlete) where field === live.$age:
      return pair(live.age?.description, stored.age?.description)
    case (let live as Fan, let stored as Fan) where field === live.$club:
      return pair(live.club?.identifier, stored.club?.identifier)
    case (let live as Fan, let stored as Fan) where field === live.$age:
      return pair(live.age?.description, stored.age?.description)
    case (let live as Fan, let stored as Fan) where field === live.$idols:
      return pair(list(live.idols), list(stored.idols))
    case (let live as Remark, let stored as Remark) where field === live.$athlete:
      return pair(live.athlete?.identifier, stored.athlete?.identifier)
    default: return nil
    }
  }

  private static func list(_ models: [any Model]?) -> String {
    (models ?? []).map { $0.identifier ?? "new" }.sorted().joined(separator: " ")
  }

  /// The models of the records, as another store instance reads them, by name.
  private func records() async throws -> [String: any Model] {
    var all: [any Model] = try await reader.list(Club.self) + []
    all += try await reader.list(Athlete.self) as [any Model]
    all += try await reader.list(Fan.self) as [any Model]
    all += try await reader.list(Remark.self) as [any Model]
    return Dictionary(uniqueKeysWithValues: all.map { (Self.name($0), $0) })
  }
}
