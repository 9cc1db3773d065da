@_spi(ModelKitInternals) import StoreProtocol

extension FileEngine {
  /// Maintains an index of a field while the store is open. Reads and writes continue while it is built.
  ///
  /// A read-only store has no indexes, because it is not notified of records that another process changes.
  ///
  /// - Throws: ``FileEngineError/duplicates(type:field:identifier:holder:)``.
  func index(_ type: String, _ field: StoredKeyPath, isUnique: Bool) async throws {
    let contents = try await contents()
    if isReadOnly { return }
    let number = contents.withIndex { $0.intern(type) }
    if contents.withIndex({ $0.fields[number].contains { $0.field == field } }) {
      // A unique index stays unique: declaring it again for faster queries must not remove the promise.
      if isUnique { try await writing { try contents.setUnique(field, type: number, name: type) } }
      return
    }
    while true {
      do {
        return try await makeIndex(type, field, isUnique: isUnique, contents)
      } catch is RecordsWereReplaced {
        continue
      }
    }
  }

  private func makeIndex(
    _ type: String, _ field: StoredKeyPath, isUnique: Bool, _ contents: JournalContents
  ) async throws {
    let (number, generation) = contents.withIndex { ($0.intern(type), $0.generation) }
    let start = CreationCursor(ordinal: 0, generation: generation)
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

  /// Creates an index unless it exists.
  func ensureIndex(_ type: String, _ field: StoredKeyPath) async throws {
    if try await contents().indexedFields(type).contains(field) { return }
    try await index(type, field, isUnique: false)
  }
}
