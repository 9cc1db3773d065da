import ModelKit

final class Club: Model {
  @Field var id: Int?
  @Field var name: String?
  @ModelArrayField(foreignKey: true, deleteRule: .cascade) var athletes: [Athlete]?
  @ModelArrayField(foreignKey: true, deleteRule: .deny) var fines: [Fine]?
  @ModelArrayField(foreignKey: true) var fans: [Fan]?
  override var identifierField: AnyField? { $id }
  override func fieldsForDictionaryValue() -> [AnyField] { [$id, $name] }
}

final class Athlete: Model {
  @Field var id: Int?
  @Field var age: Int?
  @ModelField(foreignKey: true, inverse: \.$athletes) var club: Club?
  @ModelArrayField(foreignKey: true, deleteRule: .cascade) var remarks: [Remark]?
  override var identifierField: AnyField? { $id }
  override func fieldsForDictionaryValue() -> [AnyField] { [$id, $age, $club] }
}

final class Fine: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$fines) var club: Club?
  override var identifierField: AnyField? { $id }
}

final class Fan: Model {
  @Field var id: Int?
  @Field var age: Int?
  @ModelField(foreignKey: true, inverse: \.$fans) var club: Club?
  /// Links without an inverse.
  @ModelArrayField(foreignKey: true) var idols: [Athlete]?
  override var identifierField: AnyField? { $id }
}

final class Remark: Model {
  @Field var id: Int?
  @Field var page: Int?
  @ModelField(foreignKey: true, inverse: \.$remarks) var athlete: Athlete?
  override var identifierField: AnyField? { $id }
}

/// The models of a test in a store, with descriptions of them.
final class TransactionWorld {
  let store: any TransactionalModelStore
  private let makeReader: () -> any ModelStore
  private(set) var models: [any Model] = []
  private var listed: [any Model] = []

  init(_ store: any TransactionalModelStore, _ makeReader: @escaping () -> any ModelStore) async throws {
    self.store = store
    self.makeReader = makeReader
    var clubs: [Club] = []
    for _ in 0..<3 { clubs.append(try await create(Club())) }
    for number in 0..<4 {
      let athlete = Athlete(), remark = Remark(), fan = Fan()
      (athlete.age, athlete.club) = (number, clubs[number % 3])
      try await create(athlete)
      (remark.page, remark.athlete) = (number, athlete)
      try await create(remark)
      (fan.age, fan.club, fan.idols) = (number, clubs[(number + 1) % 3], [athlete])
      try await create(fan)
    }
    let fine = Fine()
    fine.club = clubs[0]
    try await create(fine)
  }

  @discardableResult
  private func create<M: Model>(_ model: M) async throws -> M {
    models.append(model)
    return try await store.create(model)
  }

  /// The models that the store has.
  var stored: [any Model] { models.filter(\.isPersisted) }

  private func random<M: Model>(_ type: M.Type, _ random: inout some RandomNumberGenerator) -> M? {
    stored.compactMap { $0 as? M }.randomElement(using: &random)
  }

  /// Removes the models that the store does not have from the list.
  func removeDeleted() { models = stored }

  // MARK: Steps

  /// Makes an edit that is not saved.
  func edit(_ generator: inout some RandomNumberGenerator) -> String {
    guard let model = stored.randomElement(using: &generator) else { return "" }
    let number = Int.random(in: 0..<100, using: &generator)
    let club = Bool.random(using: &generator) ? random(Club.self, &generator) : nil
    let athlete = random(Athlete.self, &generator)
    switch model {
    case let club as Club: club.name = "Club \(number)"
    case let fan as Fan where number % 3 == 0: fan.age = number
    case let fan as Fan where number % 3 == 1: fan.idols = athlete.map { [$0] } ?? []
    case let fan as Fan: fan.club = club
    case let athlete as Athlete where number % 2 == 0: athlete.age = number
    case let athlete as Athlete: athlete.club = club
    case let fine as Fine: fine.club = club
    case let remark as Remark where number % 2 == 0: remark.page = number
    case let remark as Remark: remark.athlete = athlete
    default: break
    }
    return "edit \(Self.name(model)), number \(number), \(Self.name(club)), \(Self.name(athlete))"
  }

  /// Makes edits, writes and reads.
  ///
  /// - Parameter linksNew: whether new models get links. They would keep them when a transaction fails.
  func act(
    _ generator: inout some RandomNumberGenerator, _ log: inout [String], linksNew: Bool, depth: Int = 0
  ) async throws {
    for _ in 0..<Int.random(in: 1...7, using: &generator) {
      guard let model = stored.randomElement(using: &generator) else { return }
      let name = Self.name(model)
      do {
        switch Int.random(in: 0..<14, using: &generator) {
        case 0...2: log.append(edit(&generator))
        case 3, 4:
          log.append("save \(name)")
          try await store.save(model)
        case 5, 6:
          log.append("delete \(name)")
          try await store.delete(model)
        case 7:
          log.append("revert \(name)")
          model.revert()
        case 8:
          log.append("refresh \(name)")
          try await store.refresh(model)
        case 9:
          log.append("list")
          listed += try await store.list(Athlete.self, including: [\.club.athletes, \.remarks])
          listed += try await store.list(Club.self, including: [\.athletes.remarks, \.fans])
        case 10:
          let athlete = Athlete()
          athlete.age = Int.random(in: 0..<100, using: &generator)
          if linksNew {
            athlete.club = random(Club.self, &generator)
            models.append(athlete)
          }
          log.append("create a athlete in \(Self.name(athlete.club))")
          try await store.create(athlete)
        case 11:
          let age = Int.random(in: 0..<100, using: &generator)
          log.append("delete all athletes")
          try await store.deleteAll(Athlete.self, where: { $0.age == age || $0.age == 1 })
        case 12:
          log.append("delete and edit \(name)")
          try await store.delete(model)
          if let remark = model as? Remark {
            remark.page = 1
          } else if let athlete = model as? Athlete {
            athlete.age = 1
          }
        default:
          if depth < 2 { try await nest(&generator, &log, linksNew, depth: depth) }
        }
      } catch let error as ModelStoreError {
        log.append("  \(error.code)")
      }
    }
  }

  private func nest(
    _ generator: inout some RandomNumberGenerator, _ log: inout [String], _ linksNew: Bool, depth: Int
  ) async throws {
    let isFailing = Bool.random(using: &generator)
    log.append("begin")
    try await transaction(isFailing: isFailing, &log) { log in
      try await self.act(&generator, &log, linksNew: linksNew && !isFailing, depth: depth + 1)
    }
    log.append(isFailing ? "rolled back" : "end")
  }

  /// Runs a transaction, and checks that one that fails leaves the live models as they were.
  func transaction(
    isFailing: Bool, _ log: inout [String], _ body: (inout [String]) async throws -> Void
  ) async throws {
    func run<Store: TransactionalModelStore>(_ store: Store, _ log: inout [String]) async throws {
      try await store.transaction { _ in
        try await body(&log)
        if isFailing { throw Refusal() }
      }
    }
    let known = models, before = described
    do {
      try await run(store, &log)
    } catch {
      models = known
      let after = described
      if before != after { throw Difference(before: before, after: after, cause: error) }
      if !(error is Refusal) { throw error }
    }
  }

  private struct Refusal: Error {}

  struct Difference: Error, CustomStringConvertible {
    let before: [String], after: [String]
    let cause: any Error

    var description: String {
      let lines = zip(before, after).filter { $0 != $1 }.map { "  \($0)\n  \($1)" }
      return "live models differ after \(cause):\n\(lines.joined(separator: "\n"))"
    }
  }

  // MARK: Descriptions

  private static func name(_ model: (any Model)?) -> String {
    model.map { "\(type(of: $0)) \($0.identifier ?? "new")" } ?? "none"
  }

  private static func identifier(_ model: (any Model)?) -> String { model?.identifier ?? "none" }

  /// The values that a record of the model has.
  private static func record(of model: any Model) -> String {
    switch model {
    case let club as Club: "\(name(club)): \(club.name ?? "none")"
    case let athlete as Athlete: "\(name(athlete)): \(athlete.age ?? -1), club \(identifier(athlete.club))"
    case let fine as Fine: "\(name(fine)): club \(identifier(fine.club))"
    case let fan as Fan:
      "\(name(fan)): \(fan.age ?? -1), club \(identifier(fan.club)), idols \((fan.idols ?? []).map(identifier))"
    case let remark as Remark: "\(name(remark)): \(remark.page ?? -1), athlete \(identifier(remark.athlete))"
    default: ""
    }
  }

  /// The live models, with their states and lists. Models that are new have no place in these.
  var described: [String] {
    func list(_ models: [any Model]?) -> String { "\((models ?? []).compactMap(\.identifier).sorted())" }
    return models.map { model in
      let lists =
        switch model {
        case let club as Club: "athletes \(list(club.athletes)), fans \(list(club.fans)), fines \(list(club.fines))"
        case let athlete as Athlete: "remarks \(list(athlete.remarks))"
        default: ""
        }
      let dirty = model.fields.filter(\.isDirty).compactMap(\.key)
      return "\(Self.record(of: model)) \(lists) dirty \(dirty) \(model.isPersisted)"
    }
  }

  /// The records, and the links in them to records that don't exist.
  func records() async throws -> (lines: [String], broken: [String]) {
    let reader = makeReader()
    let clubs = try await reader.list(Club.self), athletes = try await reader.list(Athlete.self)
    let fines = try await reader.list(Fine.self), fans = try await reader.list(Fan.self)
    let remarks = try await reader.list(Remark.self)
    let all: [any Model] = clubs + athletes + fines + fans + remarks
    let known = Set(all.map(Self.name))
    var links: [(from: any Model, to: any Model)] = []
    for athlete in athletes { if let club = athlete.club { links.append((athlete, club)) } }
    for fine in fines { if let club = fine.club { links.append((fine, club)) } }
    for fan in fans {
      if let club = fan.club { links.append((fan, club)) }
      for idol in fan.idols ?? [] { links.append((fan, idol)) }
    }
    for remark in remarks { if let athlete = remark.athlete { links.append((remark, athlete)) } }
    let broken = links.filter { !known.contains(Self.name($0.to)) }.map { "\(Self.name($0.from)): \(Self.name($0.to))" }
    return (all.map(Self.record), broken)
  }

  /// The records that clean live models have values of.
  var cleanRecords: [String] { stored.filter { !$0.isDirty }.map(Self.record) }
}
