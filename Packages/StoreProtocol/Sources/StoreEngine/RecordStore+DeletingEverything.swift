@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

extension RecordStore {
  final func deleteEverything() async throws -> Int {
    guard try await handle.typeNames() != nil else { throw ModelStoreError.cannotListTypes(self) }
    var attempt = 1
    while true {
      do {
        return try await runTransaction { try await deleteAllTypes() }
      } catch let error as ModelStoreError where error.code == .conflict && attempt < 8 {
        // Inside a transaction a conflict remains one.
        if TransactionMark.innermost(of: scope) != nil { throw error }
        attempt += 1
      }
    }
  }

  private func deleteAllTypes() async throws -> Int {
    let names = Set(try await handle.typeNames() ?? []).union(transaction?.typeNames ?? []).sorted()
    var models: [any ModelObject & ModelIsolation] = []
    for name in names {
      guard let type = scope.storedClass(named: name) as? any (ModelObject & ModelIsolation).Type else { continue }
      models += try await all(type)
    }
    try await deleteInAnyOrder(models)
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

  /// Deletes models. A model may deny the deletion of another one until it is deleted itself.
  private func deleteInAnyOrder(_ models: [any ModelObject & ModelIsolation]) async throws {
    var remaining = models
    while !remaining.isEmpty {
      var denied: [any ModelObject & ModelIsolation] = []
      var denial: (any Error)?
      for model in remaining where model.isKnownToStore {
        do {
          _ = try await delete(model)
        } catch let error as ModelStoreError where error.code == .denied {
          denied.append(model)
          denial = denial ?? error
        }
      }
      if let denial, denied.count == remaining.count { throw denial }
      remaining = denied.reversed()
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
