@_spi(ModelKitInternals) import FieldKit

/// What a schema says, and what was found out of it.
final class SchemaStorage: Sendable {
  let content: SchemaContent
  let notes: [SchemaIssue]
  let versionName: String?
  let transformers: [String: any ValueTransforming]
  /// The place of each entity.
  let entities: [String: Int]
  /// The place of each composite.
  let composites: [String: Int]
  /// The names of the entities from which others are derived.
  let parentNames: Set<String>
  /// How to make models of the entities, once that was asked.
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
