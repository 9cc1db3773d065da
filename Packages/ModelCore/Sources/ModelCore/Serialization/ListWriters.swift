@_spi(ModelKitInternals) import FieldKit

/// The writers of a document that is a list: one for each scope, with its key spelling and transformers.
struct ListWriters {
  private var writers: [ObjectIdentifier?: ModelWriter] = [:]
  private var last: (map: IdentityMap?, writer: ModelWriter)?

  /// Creates writers that write each model with an identifier in full only at its own index of the list.
  init(_ models: [ModelObject]) {
    guard models.contains(where: { writer(for: $0).mayMeetOthers($0) }) else { return }
    for model in models where model.modelIdentifier != nil {
      writer(for: model).seen.insert(ObjectIdentifier(model))
    }
  }

  mutating func writer(for model: ModelObject) -> ModelWriter {
    let map = model.identityMap
    if let last, last.map === map { return last.writer }
    let key = map.map { ObjectIdentifier($0) }
    let writer = writers[key] ?? ModelWriter(context: map?.transformers ?? .standard)
    writers[key] = writer
    last = (map, writer)
    return writer
  }
}
