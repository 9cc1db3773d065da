@_spi(ModelKitInternals) import StoreProtocol

extension FileEngine {
  /// Keeps an index of a field as long as the store is open. It is made while others read and write.
  ///
  /// A read-only store has no indexes, since it is not notified of the records that another process changes.
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
    if try await contents().indexedFields(type).contains(field) { return }
    try await index(type, field, isUnique: false)
  }
}
