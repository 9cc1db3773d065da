@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore {
  /// Finds models: those for which the condition holds, in the order asked for, or else of their creation.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense, `corrupt` if a record can't be
  ///   read.
  /// - Complexity: O(*n*) in the number of stored models of the type, up to the end of the list if it is not sorted. Only
  ///   records that are found are kept in memory.
  public func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    let records = try await records(for: query)
    return try models(M.self, fromBytes: records.map(\.value)) { records[$0].identifier }
  }

  /// How many models ``list(_:)`` would find. No model is made for that.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  public func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int { try await records(for: query).count }

  /// The identifiers of the models that ``list(_:)`` would find. No model is made for that.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  public func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try await records(for: query).map(\.identifier)
  }

  /// The records that a query finds, in its order.
  private func records<M: Model>(
    for query: ModelQuery<M>
  ) async throws -> [(identifier: String, value: [UInt8])] {
    var related: [String: [String: [UInt8]?]] = [:]
    let run = try QueryRun(try QueryProgram(query, in: scope.transformers)) { modelClass, identifier in
      guard let known = related[modelClass.typeName]?[identifier] else {
        throw RelatedRecordIsMissing(typeName: modelClass.typeName, identifier: identifier)
      }
      return known
    }
    var found: [(identifier: String, value: [UInt8])] = []
    var cursor: CreationCursor? = .start
    while let position = cursor, !run.isFinished {
      let chunk = try await translating { try await handle.engine.readChunk(M.typeName, after: position) }
      if let damage = chunk.damages.first {
        throw ModelStoreError(.corrupt, "A stored \(M.typeName) can't be read: \(damage)")
      }
      for row in chunk.rows where !run.isFinished {
        let value = Array(chunk.value(row))
        while true {
          do {
            if try run.take(value).isFound { found.append((row.identifier, value)) }
            break
          } catch let missing as RelatedRecordIsMissing {
            let (type, identifier) = (missing.typeName, missing.identifier)
            let stored = try await translating { try await handle.engine.read(type, identifier) }
            related[type, default: [:]][identifier] = .some(stored?.value)
          }
        }
      }
      cursor = chunk.next
    }
    return run.finish().map { found[$0] }
  }
}
