@_spi(ModelKitInternals) import FieldKit

/// The content of a schema, and lookup tables derived from it.
final class SchemaStorage: Sendable {
  let content: SchemaContent
  let notes: [SchemaIssue]
  let versionName: String?
  let transformers: [String: any ValueTransforming]
  /// The index of each entity by name.
  let entities: [String: Int]
  /// The index of each composite by name.
  let composites: [String: Int]
  /// The names of the entities with derived entities.
  let parentNames: Set<String>
  /// The factory of the models, created on first use.
  let dynamicEntities = Lock<DynamicEntities?>(nil)

  init(
    _ content: SchemaContent, notes: [SchemaIssue] = [], versionName: String? = nil,
    transformers: [String: any ValueTransforming] = [:]
  ) {
    self.content = content
    self.notes = notes
    self.versionName = versionName
    self.transformers = transformers
    composites = Dictionary(
      content.composites.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    parentNames = Set(content.entities.compactMap(\.parentName))
    entities = Dictionary(
      content.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
