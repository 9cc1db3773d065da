@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) public import ModelCore

extension CoreDataSchema {
  /// Creates a schema that describes model classes.
  ///
  /// ```swift
  /// let schema = CoreDataSchema(describing: [Author.self, Book.self])
  /// try schema.contents.write(to: url, atomically: true, encoding: .utf8)
  /// ```
  ///
  /// The schema has the types, keys, default values, relations with inverses and delete rules of the classes. Of the
  /// rules it has those that a model file supports: required values, ranges, lengths and counts. Lists and custom value
  /// types become transformable attributes. The identifier becomes a uniqueness constraint. A class whose superclass is
  /// among the classes becomes a derived entity.
  ///
  /// - Parameter classes: the classes. A relation to another class keeps its destination, which ``check()`` then
  ///   reports as missing.
  public init(describing classes: [any Model.Type]) {
    self.init(entities: classes.map { ClassDescription($0, among: classes).entity() })
  }
}

/// Describes one class.
private struct ClassDescription {
  private let modelClass: any Model.Type
  private let parent: (any Model.Type)?
  private let model: ModelObject

  init(_ modelClass: any Model.Type, among classes: [any Model.Type]) {
    self.modelClass = modelClass
    model = modelClass.init()
    var above: AnyClass? = _getSuperclass(modelClass)
    var parent: (any Model.Type)?
    while let current = above, parent == nil {
      parent = classes.first { $0 == current }
      above = _getSuperclass(current)
    }
    self.parent = parent
  }

  func entity() -> CoreDataSchema.Entity {
    let inherited = Set(parent.map { $0.init().declaredFields.map(\.name) } ?? [])
    var entity = CoreDataSchema.Entity(
      name: Self.entityName(of: modelClass), representedClassName: "\(modelClass)",
      parentName: parent.map { Self.entityName(of: $0) })
    for (_, name, field) in model.declaredFields where !inherited.contains(name) {
      if let relation = field as? any RelationField {
        entity.relationships.append(relationship(name, relation, field))
      } else if let described = field as? any DescribedField {
        entity.attributes.append(described.attribute(name))
        if field === model.identifierField { entity.uniquenessConstraints = [[name]] }
      }
    }
    return entity
  }

  static func entityName(of modelClass: ModelObject.Type) -> String {
    (modelClass as? any SchemaMapped.Type)?.entityName ?? "\(modelClass)"
  }

  private func relationship(
    _ name: String, _ relation: any RelationField, _ field: AnyField
  ) -> CoreDataSchema.Relationship {
    let rules = (field as? any DescribedField)?.declaredRules ?? []
    var described = CoreDataSchema.Relationship(
      name: name, destinationName: Self.entityName(of: relation.relatedClass), isToMany: relation.isToMany,
      isOrdered: relation.isToMany, isOptional: rules.allSatisfy(\.allowsNil),
      maximumCount: relation.isToMany ? nil : 1, userInfo: userInfo(name, field.declaredKey))
    described.deletionRule =
      switch relation.deleteRule {
      case .nullify: .nullify
      case .cascade: .cascade
      case .deny: .deny
      }
    for rule in rules where rule.code == "count" {
      described.minimumCount = rule.arguments["minimum"]?.intValue
      described.maximumCount = rule.arguments["maximum"]?.intValue
    }
    let related = relation.relatedClass.init()
    if let inverse = model.inverseField(of: relation, on: related),
      let inverseName = related.nameOfProperty(holding: inverse)
    {
      described.inverseName = inverseName
      described.inverseEntityName = described.destinationName
    }
    return described
  }
}

private func userInfo(_ name: String, _ key: String?) -> [String: String] {
  guard let key, key != name else { return [:] }
  return ["jsonKeyPath": key]
}

/// The properties of a field that its description needs, independent of the type of its value.
private protocol DescribedField: AnyField {
  var declaredRules: [DeclaredRule] { get }
  func attribute(_ name: String) -> CoreDataSchema.Attribute
}

extension Field: DescribedField {
  fileprivate func attribute(_ name: String) -> CoreDataSchema.Attribute {
    var attribute = CoreDataSchema.Attribute(
      name: name, type: Self.attributeType, isOptional: declaredRules.allSatisfy(\.allowsNil),
      userInfo: userInfo(name, declaredKey))
    for rule in declaredRules {
      switch (rule.code, attribute.type) {
      case ("range", _) where attribute.type != .date, ("length", .string):
        attribute.minimumText = rule.arguments["minimum"].map(Self.text)
        attribute.maximumText = rule.arguments["maximum"].map(Self.text)
        // The maximum of a whole number is one below the open end.
        if let below = rule.arguments["below"]?.intValue, attribute.type.isInteger || attribute.type == .string {
          attribute.maximumText = String(below - 1)
        }
      case ("matching", .string): attribute.regularExpression = rule.arguments["pattern"]?.stringValue
      default: break
      }
    }
    if !isSensitive, attribute.type != .transformable, let value, let json = try? json(ofValue: value, in: .standard) {
      attribute.defaultText = Self.defaultText(json, attribute.type)
    }
    return attribute
  }

  private static func text(_ json: JSONValue) -> String { json.stringValue ?? json.description }

  private static func defaultText(_ json: JSONValue, _ type: CoreDataSchema.AttributeType) -> String? {
    switch type {
    case .boolean: json.boolValue.map { $0 ? "YES" : "NO" }
    case .date: (try? Date(json: json)).map { "\($0.timeIntervalSinceReferenceDate)" }
    default: text(json)
    }
  }

  private static var attributeType: CoreDataSchema.AttributeType {
    if let known = attributeType(of: Content.self) { return known }
    func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> CoreDataSchema.AttributeType? {
      attributeType(of: Raw.RawValue.self)
    }
    return (Content.self as? any RawRepresentable.Type).flatMap { raw($0) } ?? .transformable
  }

  private static func attributeType(of type: Any.Type) -> CoreDataSchema.AttributeType? {
    switch type {
    case is Int.Type, is Int64.Type, is UInt32.Type: .integer64
    case is Int32.Type, is UInt16.Type: .integer32
    case is Int16.Type, is Int8.Type, is UInt8.Type: .integer16
    case is Decimal.Type: .decimal
    case is Double.Type: .double
    case is Float.Type: .float
    case is String.Type: .string
    case is Bool.Type: .boolean
    case is Date.Type: .date
    case is Data.Type: .binary
    case is UUID.Type: .uuid
    case is URL.Type: .uri
    default: nil
    }
  }
}
