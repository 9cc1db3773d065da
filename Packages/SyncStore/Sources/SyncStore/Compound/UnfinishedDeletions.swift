@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The deletions that failed in a later store, by the models whose deletion was requested.
///
/// A caller may never repeat one. So the requested models are held weakly, and the other ones by their identifiers.
struct UnfinishedDeletions {
  /// The record of a model that is deleted together with the requested one.
  struct Record {
    let modelClass: ModelObject.Type
    let identifier: String

    /// Returns a new object with the identifier, for the deletion of the record.
    func makeModel() -> ModelObject {
      let model = modelClass.init()
      _ = model.assignIdentifier(identifier)
      return model
    }
  }

  private struct Deletion {
    weak var model: ModelObject?
    let records: [Record]
  }

  private var deletions: [ObjectIdentifier: Deletion] = [:]

  /// The records that are left of the deletion of a model; nil if none failed in a later store.
  subscript(model: ModelObject) -> [Record]? {
    guard let deletion = deletions[ObjectIdentifier(model)], deletion.model === model else { return nil }
    return deletion.records
  }

  /// Notes that the deletion of a model failed, which removes other models, too.
  mutating func begin(_ model: ModelObject, with others: [ModelObject]) {
    removeReleased()
    let records = others.compactMap { other in
      other.storedIdentifier.map { Record(modelClass: type(of: other), identifier: $0) }
    }
    deletions[ObjectIdentifier(model)] = Deletion(model: model, records: records)
  }

  /// Notes that a model is deleted, or stored again.
  mutating func end(_ model: ModelObject) {
    if deletions.isEmpty { return }
    deletions[ObjectIdentifier(model)] = nil
    removeReleased()
  }

  private mutating func removeReleased() { deletions = deletions.filter { $0.value.model != nil } }
}
