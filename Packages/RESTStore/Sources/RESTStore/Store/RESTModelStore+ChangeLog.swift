@_spi(ModelKitInternals) public import StoreProtocol

extension RESTModelStore: ChangeLogModelStore {
  /// Whether the dialect has a parameter for changes: see ``RESTDialect/changesParameter``.
  public var hasChangeLog: Bool { handle.dialect.changesParameter != nil }

  /// Reads changes with a GET of the collection, as a `RESTService` lists them.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` if the dialect has no parameter for changes, `server` for
  ///   an answer of another form, or with that of any other failure.
  public func changePage<M: Model>(of type: M.Type, after position: String?) async throws -> ModelChangePage<M> {
    guard let parameter = handle.dialect.changesParameter else {
      throw ModelStoreError(.unsupported, "The dialect has no parameter for changes. List the models instead.")
    }
    let path = try handle.router.pathOfCollection(type)
    let answer = try await request(.get, path, parameters: [parameter: .string(position ?? "")])
    return try answer.changePage(of: type)
  }
}
