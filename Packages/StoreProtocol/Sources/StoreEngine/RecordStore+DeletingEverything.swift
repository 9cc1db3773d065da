@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

extension RecordStore {
  final func deleteEverything() async throws -> Int {
    guard let names = try await handle.typeNames() else { throw ModelStoreError.cannotListTypes(self) }
    try await refuseBookkeeping(among: names)
    var attempt = 1
    while true {
      do {
        return try await runTransaction(isRecorded: false) { try await deleteAllTypes() }
      } catch let error as ModelStoreError where error.code == .conflict && attempt < 8 {
        // Inside a transaction a conflict remains one.
        if TransactionMark.innermost(of: scope) != nil { throw error }
        attempt += 1
      }
    }
  }

  /// Throws an error if the records belong to another store, which has to record their deletion.
  private func refuseBookkeeping(among names: [String]) async throws {
    let records = try await handle.current()
    for name in names where BookkeepingType.contains(name) {
      guard try await records.count(name) > 0 else { continue }
      let owner = name.hasPrefix("sync.") ? "a SyncModelStore, whose unsent changes" : "a change log, whose entries"
      throw ModelStoreError(
        .unsupported,
        """
        Nothing was deleted: this store belongs to \(owner) would be lost. Call deleteAll() on the store over it, or \
        deleteAll(_:) for each type.
        """)
    }
  }

  private func deleteAllTypes() async throws -> Int {
    let names = Set(try await handle.typeNames() ?? []).union(transaction?.typeNames ?? [])
      .filter { !BookkeepingType.contains($0) }.sorted()
    var models: [any ModelObject & ModelIsolation] = []
    for name in names {
      guard let type = scope.storedClass(named: name) as? any (ModelObject & ModelIsolation).Type else { continue }
      models += try await ModelStoreEvent.withoutEvents { try await all(type) }
    }
    // No rule denies the deletion: everything that it protects is deleted, too.
    for model in models where model.isKnownToStore { try await remove(model, amongEverything: true) }
    var count = models.count
    for name in names {
      // Records of classes that this instance does not know, and those that can't be read.
      let rest = try await storedIdentifiers(of: name)
      count += rest.count
      _ = try await write(rest.map { .delete(name, $0) }, in: transaction?.log)
    }
    return count
  }

  /// Returns all models of a type that can be read.
  private func all<M: Model>(_ type: M.Type) async throws -> [any ModelObject & ModelIsolation] {
    do {
      return try await list(ModelQuery(type))
    } catch let error as ModelStoreError where error.code == .corrupt {
      var models: [any ModelObject & ModelIsolation] = []
      for identifier in try await storedIdentifiers(of: type.typeName) {
        do {
          models.append(try await lookup(type, identifier: identifier))
        } catch let error as ModelStoreError where error.code == .corrupt {}
      }
      return models
    }
  }

  /// Returns the identifiers of the records of a type, including those that the open transaction created.
  private func storedIdentifiers(of name: String) async throws -> [String] {
    try transaction?.noteQuery(name)
    var identifiers = try await withSnapshot { snapshot in
      var identifiers: [String] = []
      var next: UInt64? = 0
      while let position = next {
        try checkCancellation()
        let part = try await snapshot.records(name, after: position, atMost: 1_000)
        identifiers += part.records.map(\.identifier) + part.unreadable.map(\.identifier)
        next = part.next
      }
      return identifiers
    }
    identifiers.removeAll { transaction?.entry(name, $0) != nil }
    for (identifier, entry) in transaction?.written(name) ?? [] where entry.content != nil {
      identifiers.append(identifier)
    }
    return identifiers
  }
}
