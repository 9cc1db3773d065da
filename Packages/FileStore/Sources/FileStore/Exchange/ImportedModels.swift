@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// Checks that imported records can be read as models, as far as the classes are known. One unreadable record would keep
/// all models of its type from being listed.
struct ImportedModels {
  private let store: FileModelStore

  /// - Parameter types: the classes of models that the store may not have met yet.
  /// - Throws: `ModelStoreError` with the code `invalid` if two classes have one name in the store.
  init(_ types: [any Model.Type], in store: FileModelStore) throws {
    self.store = store
    for type in types {
      if let conflict = store.scope.claimTypeName(of: type) { throw ModelStoreError(.invalid, conflict) }
    }
  }

  /// - Throws: `ModelStoreError` with the code `invalid` for the first model that does not fit its class, or is another one
  ///   in its value.
  func check(_ models: [ExportedModel], from path: String) throws {
    var start = 0
    while start < models.count {
      // Types mostly come one after the other.
      let type = ExactText(models[start].type)
      let end = models[start...].firstIndex { ExactText($0.type) != type } ?? models.count
      if let modelClass = store.scope.storedClass(named: type.text) as? any Model.Type {
        try check(models[start..<end], modelClass, from: path)
      }
      start = end
    }
  }

  private func check<M: Model>(_ models: ArraySlice<ExportedModel>, _ type: M.Type, from path: String) throws {
    guard let misfit = store.firstMisfit(type, in: models.map { ($0.identifier, $0.value) }) else { return }
    let model = models[models.startIndex + misfit.number]
    let reason = "\(misfit.reason)"
    throw ModelStoreError(
      .invalid,
      """
      Nothing was imported from '\(path)', line \(model.line), offset \(model.offset): \
      \(model.type.nameForMessage) \(model.identifier.quotedForMessage) can't be read as a model of \(M.displayName): \
      \(reason)\(reason.hasSuffix(".") ? "" : ".") Correct it in the file, or take it out.
      """, identifier: model.identifier, cause: misfit.reason)
  }
}
