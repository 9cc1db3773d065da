import FieldKit
import Foundation
import ModelCore

/// Writes the model class of one entity.
struct SwiftSourceWriter {
  private let schema: CoreDataSchema
  private let entity: CoreDataSchema.Entity
  private let parent: CoreDataSchema.Entity?
  private var needsFoundation = false

  init(_ schema: CoreDataSchema, _ entity: CoreDataSchema.Entity) {
    self.schema = schema
    self.entity = entity
    parent = entity.parentName.flatMap { schema.entity($0) }
  }

  func source() throws -> String {
    var writer = self
    return try writer.write()
  }

  private mutating func write() throws -> String {
    var lines: [String] = []
    let className = try name(ofClassOf: entity)
    let superclass = try parent.map { try name(ofClassOf: $0) }
    let isFinal = !schema.entities.contains { $0.parentName == entity.name }
    let keyword = isFinal ? "final class" : "class"
    lines += documentation(entity.userInfo, "The entity \(Self.line(entity.name)) of a model file.", indent: "")
    lines.append("\(keyword) \(className): \(superclass ?? "Model, SchemaMapped") {")
    let override = superclass == nil ? "" : "override "
    let member = superclass == nil && isFinal ? "static let entityName =" : "\(override)class var entityName: String {"
    let literal = Self.literal(entity.name)
    lines.append("  \(member) \(literal)" + (member.hasSuffix("{") ? " }" : ""))
    var names: Set<String> = []
    for attribute in entity.attributes where names.insert(attribute.name).inserted {
      lines += try field(of: attribute)
    }
    for relationship in entity.relationships where names.insert(relationship.name).inserted {
      lines += try field(of: relationship)
    }
    if let identifier = schema.identifierName(of: entity), entity.attribute(identifier) != nil {
      let name = try Self.identifier(identifier, entity, identifier)
      lines += ["", "  override var identifierField: (any FieldProtocol)? { \(name) }"]
    }
    lines.append("}")
    let heading = [
      "// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.",
      "",
    ]
    let imports = (needsFoundation ? ["import Foundation"] : []) + ["import SchemaKit", ""]
    return (heading + imports + lines).joined(separator: "\n") + "\n"
  }

  // MARK: Attributes

  private mutating func field(of attribute: CoreDataSchema.Attribute) throws -> [String] {
    let name = try Self.identifier(attribute.name, entity, attribute.name)
    let type = try swiftType(of: attribute)
    if ["Date", "Data", "UUID", "URL", "Decimal"].contains(where: type.contains) { needsFoundation = true }
    var arguments: [String] = []
    if schema.identifierName(of: entity) != attribute.name, let value = Self.initialValue(attribute, type) {
      arguments.append(value)
    }
    if attribute.keyPath != attribute.name { arguments.append("key: \(Self.literal(attribute.keyPath))") }
    var declaration = "  let \(name) = Field<\(type)>(\(arguments.joined(separator: ", ")))"
    for rule in Self.rules(of: attribute, type) { declaration += "\n    .require(\(rule))" }
    return [""] + documentation(attribute.userInfo, nil, indent: "  ") + [declaration]
  }

  private func swiftType(of attribute: CoreDataSchema.Attribute) throws -> String {
    if let type = attribute.userInfo["swiftType"] {
      guard !type.isEmpty, type.allSatisfy({ $0.isLetter || $0.isNumber || "_.<>[]: ,".contains($0) }) else {
        throw SwiftSourceError(
          entity: entity.name, property: attribute.name, reason: "its swiftType is no type: \(type)")
      }
      return type
    }
    func valueType<T: ValueTransforming>(of transformer: T) -> String { "\(T.Value.self)" }
    if let transformer = attribute.jsonTransformerName.flatMap({ schema.storage.transformers[$0] }) {
      return Self.shortened(valueType(of: transformer))
    }
    return switch attribute.type {
    case .integer16, .integer32, .integer64: "Int"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .boolean: "Bool"
    case .date: "Date"
    case .binary: "Data"
    case .uuid: "UUID"
    case .uri: "URL"
    case .transformable, .composite, .objectID, .undefined, .other: "JSONValue"
    }
  }

  private static func initialValue(_ attribute: CoreDataSchema.Attribute, _ type: String) -> String? {
    guard let json = attribute.defaultValue, let text = attribute.defaultText else { return nil }
    switch type {
    case "Int": return json.intValue.map(grouped)
    case "Double", "Float": return json.description
    case "Bool": return json.boolValue.map { "\($0)" }
    case "String": return json.stringValue.map(literal)
    case "Decimal": return "Decimal(string: \(literal(text)))"
    case "Date": return Double(text).map { "Date(timeIntervalSinceReferenceDate: \($0))" }
    case "UUID": return "UUID(uuidString: \(literal(text)))"
    case "URL": return "URL(string: \(literal(text)))"
    case "Data": return "Data(base64Encoded: \(literal(text)))"
    default: return nil
    }
  }

  private static func rules(of attribute: CoreDataSchema.Attribute, _ type: String) -> [String] {
    var rules: [String] = []
    if !attribute.isOptional, !attribute.isDerived { rules.append(".notNil") }
    var limits: (String?, String?) = (nil, nil)
    switch type {
    case "Int":
      let range = CoreDataSchema.Attribute.range(of: attribute.type)
      let isLimited = attribute.type == .integer16 || attribute.type == .integer32
      let minimum = attribute.minimumText.flatMap { Int($0) }.map { max($0, range.lowerBound) }
      let maximum = attribute.maximumText.flatMap { Int($0) }.map { min($0, range.upperBound) }
      limits = (
        (minimum ?? (isLimited ? range.lowerBound : nil)).map(grouped),
        (maximum ?? (isLimited ? range.upperBound : nil)).map(grouped)
      )
      if let minimum, let maximum, minimum > maximum { limits = (nil, nil) }
    case "Double", "Float":
      let (minimum, maximum) = (
        attribute.minimumText.flatMap { Double($0) }, attribute.maximumText.flatMap { Double($0) }
      )
      if let minimum, let maximum, minimum > maximum { break }
      limits = (minimum.map { "\($0)" }, maximum.map { "\($0)" })
    case "String" where attribute.type == .string:
      let (minimum, maximum) = (attribute.minimumText.flatMap { Int($0) }, attribute.maximumText.flatMap { Int($0) })
      if let minimum, let maximum, minimum > maximum { break }
      limits = (minimum.map { "\($0)" }, maximum.map { "\($0)" })
    default: break
    }
    if limits.0 != nil || limits.1 != nil {
      rules.append("\(type == "String" ? ".length" : ".range")(\(limits.0 ?? "")...\(limits.1 ?? ""))")
    }
    if type == "String", let pattern = attribute.regularExpression {
      rules.append(".matching(expression: \(literal(pattern)))")
    }
    return rules
  }

  // MARK: Relationships

  private func field(of relationship: CoreDataSchema.Relationship) throws -> [String] {
    let name = try Self.identifier(relationship.name, entity, relationship.name)
    guard let destination = relationship.destinationName.flatMap({ schema.entity($0) }) else {
      throw SwiftSourceError(
        entity: entity.name, property: relationship.name, reason: "it leads to an entity that is not there")
    }
    let related = try self.name(ofClassOf: destination)
    var arguments: [String] = []
    if relationship.keyPath != relationship.name { arguments.append("key: \(Self.literal(relationship.keyPath))") }
    switch relationship.modelDeleteRule {
    case .nullify: break
    case .cascade: arguments.append("deleteRule: .cascade")
    case .deny: arguments.append("deleteRule: .deny")
    }
    if let inverse = try inverseToDeclare(of: relationship, destination) { arguments.append("inverse: \\.\(inverse)") }
    let one = "ModelField<\(related)>(\(arguments.joined(separator: ", ")))"
    // With the type written out the compiler need not look at both sides at once.
    let type = relationship.isToMany ? "ModelArrayField<\(related)>" : "ModelField<\(related)>"
    var value = relationship.isToMany ? "\(one)*" : one
    let rules = Self.rules(of: relationship)
    if !rules.isEmpty, relationship.isToMany { value = "(\(one)*)" }
    for rule in rules { value += "\n    .require(\(rule))" }
    return [""] + documentation(relationship.userInfo, nil, indent: "  ") + ["  let \(name): \(type) = \(value)"]
  }

  /// The inverse, if it is to be declared on this side: it is declared on one of them.
  private func inverseToDeclare(
    of relationship: CoreDataSchema.Relationship, _ destination: CoreDataSchema.Entity
  ) throws -> String? {
    guard let name = relationship.inverseName else { return nil }
    let lineage = schema.lineage(of: destination)
    guard let owner = lineage.last(where: { $0.relationship(name) != nil }), let inverse = owner.relationship(name)
    else {
      return nil
    }
    let isMutual = inverse.inverseName == relationship.name
    if isMutual, (owner.name, name) < (entity.name, relationship.name) { return nil }
    return try Self.identifier(name, owner, name)
  }

  private static func rules(of relationship: CoreDataSchema.Relationship) -> [String] {
    if !relationship.isToMany { return relationship.isOptional ? [] : [".notNil"] }
    let maximum = relationship.maximumCount.flatMap { $0 > 0 ? $0 : nil }
    let minimum = relationship.minimumCount ?? (relationship.isOptional ? 0 : 1)
    if minimum <= 0 { return maximum.map { [".count(...\($0))"] } ?? [] }
    // A list that may be empty, but has at least so many members otherwise, is left to the schema.
    if relationship.isOptional || maximum.map({ $0 < minimum }) == true { return [] }
    return [".count(\(minimum)...\(maximum.map { "\($0)" } ?? ""))"]
  }
}
