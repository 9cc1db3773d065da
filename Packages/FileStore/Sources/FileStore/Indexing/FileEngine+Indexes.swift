@_spi(ModelKitInternals) import StoreProtocol

extension FileEngine {
  /// Keeps an index of a field as long as the store is open. It is made while others read and write.
  ///
  /// Who only reads has no indexes, since nobody tells him which records another process has changed.
  ///
  /// - Throws: ``FileEngineError/duplicates(type:field:identifier:holder:)``.
  func index(_ type: String, _ field: StoredKeyPath, isUnique: Bool) async throws {
    let contents = try await contents()
    if isReadOnly { return }
    let number = contents.withIndex { $0.intern(type) }
    if contents.withIndex({ $0.fields[number].contains { $0.field == field } }) {
      // One that is unique stays so: who only wants to find more quickly takes nobody's promise away.
      if isUnique { try await writing { try contents.setUnique(field, type: number, name: type) } }
      return
    }
    while true {
      do {
        return try await makeIndex(number, type, field, isUnique: isUnique, contents)
      } catch is RecordsWereReplaced {
        continue
      }
    }
  }

  private func makeIndex(
    _ number: Int, _ type: String, _ field: StoredKeyPath, isUnique: Bool, _ contents: JournalContents
  ) async throws {
    let start = CreationCursor(ordinal: 0, generation: contents.withIndex { $0.generation })
    var known: [RecordKey] = []
    var cursor: CreationCursor? = start
    while let position = cursor {
      let (keys, next) = try await reading { try contents.keys(ofType: number, field, after: position) }
      try Task.checkCancellation()
      known += keys
      cursor = next
    }
    let keys = known
    let made = try await reading {
      FieldIndex(
        field: field, isUnique: isUnique, keys: OrderedIndex(keys.map { (key: $0.key, place: Int($0.ordinal)) }))
    }
    try await writing { try contents.add(made, type: number, name: type, known: keys, since: start) }
  }

  /// Makes an index unless there is one.
  func keepIndex(_ type: String, _ field: StoredKeyPath) async throws {
    if try await indexedFields(type).contains(field) { return }
    try await index(type, field, isUnique: false)
  }

  /// The fields of which there are indexes, in their order.
  func indexedFields(_ type: String, at moment: JournalContents? = nil) async throws -> [StoredKeyPath] {
    try await contents(at: moment).withIndex { index in
      index.number(of: type).map { index.fields[$0].map(\.field) } ?? []
    }
  }

  /// The records that a query has to look at.
  func select(
    _ type: String, _ planner: QueryPlanner, orderedLimit: Int, offset: Int = 0, after position: QueryPosition? = nil,
    at moment: JournalContents? = nil
  ) async throws -> SelectedRecords {
    let contents = try await contents(at: moment)
    try Task.checkCancellation()
    return contents.select(of: type, planner, orderedLimit: orderedLimit, offset: offset, after: position)
  }

  /// Where records are in the order of creation; nil for one that is not there.
  func ordinals(
    _ type: String, of identifiers: [String], at moment: JournalContents? = nil
  ) async throws -> [UInt64?] {
    let contents = try await contents(at: moment)
    return identifiers.map { contents.entry(type, $0)?.ordinal }
  }

  /// The values of records that were selected.
  func read(_ records: ArraySlice<SelectedRecord>, at moment: JournalContents? = nil) async throws -> [[UInt8]] {
    let contents = try await contents(at: moment)
    try Task.checkCancellation()
    return try await reading { try contents.read(records) }
  }

  /// How many records a query finds, limit and offset left aside; nil if records have to be looked at to know.
  func count(_ type: String, _ planner: QueryPlanner, at moment: JournalContents? = nil) async throws -> Int? {
    try await contents(at: moment).withIndex { index in
      guard let number = index.number(of: type) else { return 0 }
      let indexes = index.fields[number].map(\.keys)
      return planner.plan(with: indexes, totalCount: index.types[number].liveCount).exactCount(in: indexes)
    }
  }
}
