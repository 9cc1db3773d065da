@_spi(ModelKitInternals) public import StoreProtocol

extension RESTModelStore: ChangeLogModelStore {
  /// Whether the dialect has a parameter for changes: see ``RESTDialect/changesParameter``.
  public var hasChangeLog: Bool { handle.dialect.changesParameter != nil }

  /// Reads changes with a GET of the collection, as a `RESTService` lists them.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` if the dialect has no parameter for changes, `server` for
  ///   an answer of another form, or another code.
  public func changePage<M: Model>(of type: M.Type, after position: String?) async throws -> ModelChangePage<M> {
    guard let parameter = handle.dialect.changesParameter else {
      throw ModelStoreError(.unsupported, "The dialect has no parameter for changes. List the models instead.")
    }
    let names = names(of: type)
    // The collection is the one that a list reads.
    let address = try handle.dialect.address(
      of: RESTOperation(
        .list, typeName: names.typeName, collectionPath: handle.router.pathOfCollection(type),
        identifierKey: names.identifierKey))
    var call = try anyCall(.get, address.path, [:])
    call.address.query = address.query + call.address.query
    call.address.query += handle.options.parameterEncoder.items(.object([parameter: .string(position ?? "")]))
    return try await result(of: call).changePage(of: type)
  }
}
