@_spi(ModelKitInternals) import ModelCore

/// The live models of a store instance that are updated with the writes of others.
final class LiveInstances<M: Model> {
  private let store: any LiveModelStore
  private let choosesClasses = M.hierarchyChoosesClasses
  private let isTopOfHierarchy = M.isTopOfHierarchy
  /// The declared keys of fields by the topmost key in records.
  private let declaredKeys: [String: [String]]

  init(_ store: any LiveModelStore) {
    self.store = store
    let context = store.scope.transformers
    var keys: [String: [String]] = [:]
    let prototype = context.prepared(M())
    for field in prototype.fieldsForDictionaryValue() {
      guard let key = field.key else { continue }
      let spelled = context.key(key)
      keys[spelled, default: []].append(key)
      let top = String(spelled.prefix { $0 != "." })
      if top != spelled { keys[top, default: []].append(key) }
    }
    declaredKeys = keys
  }

  /// Updates live instances with written records, except for their local changes. An instance whose record can't be
  /// read is unchanged.
  ///
  /// - Returns: the number of instances, and the errors of records that can't be read, by identifier.
  @discardableResult
  func follow(
    _ changes: some Sequence<RoutedChange>
  ) throws -> (count: Int, unreadable: [(identifier: String, error: ModelStoreError)]) {
    let scope = store.scope
    scope.prepareToRead()
    var latest: [ExactText: [UInt8]] = [:]
    var order: [String] = []
    for routed in changes {
      let change = routed.change
      let key = ExactText(change.identifier)
      guard let bytes = change.after else {
        // The state before the deletion is not a change of a later model with the same identifier.
        if change.kind == .deleted { latest[key] = nil }
        continue
      }
      if latest[key] == nil {
        guard scope.liveModel(M.self, identifier: change.identifier) != nil else { continue }
        order.append(change.identifier)
      }
      latest[key] = bytes
    }
    var identifiers: [String] = []
    var records: [[UInt8]] = []
    for identifier in order {
      guard let bytes = latest.removeValue(forKey: ExactText(identifier)) else { continue }
      identifiers.append(identifier)
      records.append(bytes)
    }
    guard !records.isEmpty else { return (0, []) }
    let made = try store.readableModels(M.self, fromBytes: records) { identifiers[$0] }
    for model in made.models { model.map(scope.pendingReads.noteUpdate) }
    return (records.count, made.unreadable.map { (identifiers[$0.number], $0.error) })
  }

  /// Reads the records of all live instances again.
  func readAnew() async throws {
    let name = M.typeName
    let start = store.scope.pendingReads.begin()
    defer { store.scope.pendingReads.end() }
    _ = try await store.readRecords(of: name) { records in
      store.scope.prepareToRead()
      let live = records.filter { store.scope.liveModel(M.self, identifier: $0.identifier) != nil }
      if live.isEmpty { return }
      var answer = store.scope.pendingReads.answer(since: start)
      let bytes = try await store.currentRecords(
        M.self, live.map { (identifier: $0.identifier, bytes: $0.bytes) }, readSince: start,
        answeredAt: &answer
      ) { try await store.readRecord(of: name, identifier: $0)?.bytes }
      let current = zip(live, bytes).compactMap { record, bytes in bytes.map { (record.identifier, $0) } }
      let made = try store.readableModels(M.self, fromBytes: current.map(\.1)) { current[$0].0 }
      store.scope.pendingReads.noteRead(of: made.models.lazy.compactMap(\.self), at: answer)
    }
  }

  /// Returns a change in its public form; nil if it is not of this class.
  func change(_ routed: RoutedChange) -> ModelChange? {
    let change = routed.change
    guard isOfType(change) else { return nil }
    switch change.kind {
    case .created: return .created(identifier: change.identifier, fields: fields(routed.keys ?? Self.keys(change)))
    case .updated: return .updated(identifier: change.identifier, fields: fields(routed.keys))
    case .deleted: return .deleted(identifier: change.identifier)
    }
  }

  private static func keys(_ change: RecordChange) -> [String]? {
    change.after.flatMap { try? JSONValue(json: $0).objectValue.map { Array($0.keys) } }
  }

  private func fields(_ keys: [String]?) -> Set<String> {
    guard let keys else { return Set(declaredKeys.values.joined()) }
    return keys.reduce(into: []) { $0.formUnion(declaredKeys[$1] ?? [$1]) }
  }

  private func isOfType(_ change: RecordChange) -> Bool {
    if !choosesClasses { return isTopOfHierarchy }
    guard let bytes = change.after ?? change.before, let record = try? JSONValue(json: bytes).objectValue else {
      return true
    }
    return M.includes(record)
  }
}
