@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// A check that imported records of known classes can be read as models. One unreadable record would make lists of its
/// type fail.
struct ImportedModels {
  private let store: FileModelStore

  /// - Parameter types: further classes, which the store may not have used yet.
  /// - Throws: `ModelStoreError` with the code `invalid` if two classes have the same type name.
  init(_ types: [any Model.Type], in store: FileModelStore) throws {
    self.store = store
    for type in types {
      if let conflict = store.scope.claimTypeName(of: type) { throw ModelStoreError(.invalid, conflict) }
    }
  }

  /// - Throws: `ModelStoreError` with the code `invalid` for the first model that its class can't decode, or whose
  ///   value has another identifier.
  func check(_ models: [ExportedModel], from path: String) throws {
    var start = 0
    while start < models.count {
      // Models of one type are mostly consecutive.
      let type = ExactText(models[start].type)
      let end = models[start...].firstIndex { ExactText($0.type) != type } ?? models.count
      if let modelClass = store.scope.storedClass(named: type.text) as? any Model.Type {
        try check(models[start..<end], modelClass, from: path)
      }
      start = end
    }
  }

  private func check<M: Model>(_ models: ArraySlice<ExportedModel>, _ type: M.Type, from path: String) throws {
    guard let misfit = store.firstMismatch(type, in: models.map { ($0.identifier, $0.value) }) else { return }
    let model = models[models.startIndex + misfit.number]
    let reason = "\(misfit.reason)"
    throw ModelStoreError(
      .invalid,
      """
      Nothing was imported from '\(path)', line \(model.line), offset \(model.offset): \
      \(model.type.nameForMessage) \(model.identifier.quotedForMessage) can't be read as a model of \(M.displayName): \
      \(reason)\(reason.hasSuffix(".") ? "" : ".") Correct it in the file, or remove it.
      """, identifier: model.identifier, cause: misfit.reason)
  }
}
