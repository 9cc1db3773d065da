@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

// The models that the store has, for an import.
extension ImportRun {
  /// Finds the references of imported models to models that are not stored, if entries were rejected.
  func findBrokenLinks() async throws {
    if report.rejected.isEmpty { return }
    var check = LinkCheck(trustsLiveModels: true)
    for model in report.created + report.updated { try await check.run(model, in: store) }
    report.brokenLinks = check.links
  }

  /// Reads a model inside an entry, if the store has it.
  ///
  /// - Throws: ``ModelStoreError`` with the code `conflict` if the store has replaced its identifier.
  func findStored(_ model: ModelObject) async throws {
    guard let identifier = model.storedIdentifier, let type = type(of: model) as? any Model.Type else { return }
    guard let found = try await storedModel(type, identifier) else { return }
    let current = found === model ? model.formerIdentifier : found.storedIdentifier
    guard let current, current != identifier else { return }
    throw ModelStoreError(
      .conflict,
      """
      \(type.displayName) \(identifier.quotedForMessage) has another identifier now: \(current.quotedForMessage). Import \
      the entry again with that one.
      """, identifier: identifier)
  }

  /// Reads a model, if the store has it.
  func storedModel<Related: Model>(_ type: Related.Type, _ identifier: String?) async throws -> Related? {
    guard let identifier else { return nil }
    do {
      let model = try await store.lookup(type, identifier: identifier)
      models[ObjectIdentifier(model)] = model
      try Self.rejectDeleted(model)
      return model
    } catch let error as ModelStoreError where error.code == .notFound {
      return nil
    }
  }

  static func rejectDeleted(_ model: ModelObject) throws {
    if model.isKnownToStore { return }
    throw ModelStoreError(
      .conflict,
      """
      Another task deleted the \(model.storedTypeName.nameForMessage) during the import. Import the entry again to create it.
      """, identifier: model.storedIdentifier)
  }
}
