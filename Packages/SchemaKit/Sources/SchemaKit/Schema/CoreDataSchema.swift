/// The schema of a Core Data application, from its model file: entities with attributes and relationships.
///
/// ```swift
/// let schema = try CoreDataSchema(contentsOf: url)
/// for entity in schema.entities {
///   print(entity.name, entity.attributes.map(\.name))
/// }
/// for issue in schema.check() { print(issue) }
/// ```
///
/// The XML of the file is read on every platform, without Core Data or Objective-C. A schema is an immutable, sendable
/// value.
public struct CoreDataSchema: Hashable, Sendable {
  let storage: SchemaStorage

  init(storage: SchemaStorage) { self.storage = storage }

  /// Creates a schema.
  ///
  /// - Parameters:
  ///   - entities: the entities. The first of several with one name is used.
  ///   - composites: the named groups of attributes.
  ///   - settings: the XML attributes of the file's `model` element, except those that every file has.
  ///   - otherElements: the other elements of the file.
  public init(
    entities: [Entity], composites: [Composite] = [], settings: [String: String] = [:], otherElements: [Element] = []
  ) {
    storage = SchemaStorage(
      SchemaContent(
        entities: entities, composites: composites, settings: Self.defaultSettings.merging(settings) { $1 },
        otherElements: otherElements))
  }

  /// The entities in the order of the file.
  public var entities: [Entity] { storage.content.entities }

  /// The named groups of attributes.
  public var composites: [Composite] { storage.content.composites }

  /// The XML attributes of the file's `model` element, such as `documentVersion`.
  public var settings: [String: String] { storage.content.settings }

  /// The other elements of the file: configurations, fetch requests, the positions of a diagram, and unknown ones.
  public var otherElements: [Element] { storage.content.otherElements }

  /// The unknown parts of the file. They are kept.
  public var notes: [SchemaIssue] { storage.notes }

  /// The name of the version that was read; nil if the schema is not from an `.xcdatamodel`.
  public var versionName: String? { storage.versionName }

  /// Returns the entity with a name.
  ///
  /// - Complexity: O(1).
  public func entity(_ name: String) -> Entity? { storage.entities[name].map { storage.content.entities[$0] } }

  /// Returns the entity and its ancestors, the topmost one first.
  public func lineage(of entity: Entity) -> [Entity] {
    var lineage = [entity]
    var names: Set<String> = [entity.name]
    var next = entity.parentName
    while let parent = next.flatMap({ self.entity($0) }), names.insert(parent.name).inserted {
      lineage.append(parent)
      next = parent.parentName
    }
    lineage.reverse()
    return lineage
  }

  /// Returns all attributes of an entity, inherited ones first. An attribute replaces an inherited one with the same
  /// name.
  public func attributes(of entity: Entity) -> [Attribute] {
    Self.merged(lineage(of: entity).map(\.attributes), \.name)
  }

  /// Returns all relationships of an entity, inherited ones first. A relationship replaces an inherited one with the
  /// same name.
  public func relationships(of entity: Entity) -> [Relationship] {
    Self.merged(lineage(of: entity).map(\.relationships), \.name)
  }

  private static func merged<Property>(_ lists: [[Property]], _ name: (Property) -> String) -> [Property] {
    guard lists.count > 1 else { return lists.first ?? [] }
    var places: [String: Int] = [:]
    var merged: [Property] = []
    for property in lists.joined() {
      if let place = places[name(property)] {
        merged[place] = property
      } else {
        places[name(property)] = merged.count
        merged.append(property)
      }
    }
    return merged
  }

  /// Returns whether two schemas have equal content, wherever they were read.
  public static func == (left: CoreDataSchema, right: CoreDataSchema) -> Bool {
    left.storage === right.storage || left.storage.content == right.storage.content
  }

  /// Hashes the content of the schema.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.content) }
}

struct SchemaContent: Hashable, Sendable {
  var entities: [CoreDataSchema.Entity]
  var composites: [CoreDataSchema.Composite] = []
  var settings: [String: String] = [:]
  var otherElements: [CoreDataSchema.Element] = []
}
