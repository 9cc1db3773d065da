/// The model of a Core Data application, as its model file describes it: entities with attributes and relationships.
///
/// ```swift
/// let schema = try CoreDataSchema(contentsOf: url)
/// for entity in schema.entities { print(entity.name, entity.attributes.map(\.name)) }
/// for issue in schema.check() { print(issue) }
/// ```
///
/// Neither Core Data nor Objective-C is needed: the file is read as the XML it is, on every platform. A schema is a value
/// that never changes, and may go from one isolation to another.
public struct CoreDataSchema: Hashable, Sendable {
  let storage: SchemaStorage

  init(storage: SchemaStorage) { self.storage = storage }

  /// Creates a schema.
  ///
  /// - Parameters:
  ///   - entities: the entities. Of two with one name the first counts.
  ///   - composites: the attributes that go by one name together.
  ///   - settings: the XML attributes of the file's `model` element, besides those that every file has.
  ///   - otherElements: what else is in the file.
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

  /// The attributes that go by one name together.
  public var composites: [Composite] { storage.content.composites }

  /// The XML attributes of the file's `model` element, such as `documentVersion`.
  public var settings: [String: String] { storage.content.settings }

  /// What else is in the file: configurations, fetch requests, the positions of a diagram, and what is not known.
  public var otherElements: [Element] { storage.content.otherElements }

  /// What was found in the file that is not known. It was kept.
  public var notes: [SchemaIssue] { storage.notes }

  /// The name of the version that was read; nil if the schema is not from an `.xcdatamodel`.
  public var versionName: String? { storage.versionName }

  /// The entity with a name.
  ///
  /// - Complexity: O(1).
  public func entity(_ name: String) -> Entity? { storage.entities[name].map { storage.content.entities[$0] } }

  /// The entity and those it is derived from, the topmost one first.
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

  /// All attributes of an entity, those of the topmost parent first. One of the same name replaces that of a parent.
  public func attributes(of entity: Entity) -> [Attribute] {
    Self.merged(lineage(of: entity).map(\.attributes), \.name)
  }

  /// All relationships of an entity, those of the topmost parent first. One of the same name replaces that of a parent.
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

  /// Two schemas are equal if they say the same, wherever they were read.
  public static func == (left: CoreDataSchema, right: CoreDataSchema) -> Bool {
    left.storage === right.storage || left.storage.content == right.storage.content
  }

  /// Hashes what the schema says.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.content) }
}

struct SchemaContent: Hashable, Sendable {
  var entities: [CoreDataSchema.Entity]
  var composites: [CoreDataSchema.Composite] = []
  var settings: [String: String] = [:]
  var otherElements: [CoreDataSchema.Element] = []
}
