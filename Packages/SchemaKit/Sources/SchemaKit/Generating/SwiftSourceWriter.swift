import FieldKit
import Foundation
import ModelCore

/// A writer for the model class of one entity.
struct SwiftSourceWriter {
  let schema: CoreDataSchema
  let entity: CoreDataSchema.Entity
  let options: SwiftSourceOptions
  /// Whether the class is the first of a pair: the superclass with the fields of the class that is edited by hand.
  let isOfPair: Bool
  private let parent: CoreDataSchema.Entity?
  private var needsFoundation = false

  init(
    _ schema: CoreDataSchema, _ entity: CoreDataSchema.Entity, _ options: SwiftSourceOptions = .init(),
    isOfPair: Bool = false
  ) {
    self.schema = schema
    self.entity = entity
    self.options = options
    self.isOfPair = isOfPair
    parent = entity.parentName.flatMap { schema.entity($0) }
  }

  func source() throws -> String {
    var writer = self
    return try writer.write()
  }

  /// The access modifier with a trailing space.
  private var access: String { options.access.prefix }

  private var isFinal: Bool { !isOfPair && !schema.isParent(entity) }

  private mutating func write() throws -> String {
    var lines: [String] = []
    let className = try name(ofClassOf: entity)
    let superclass = try parent.map { try name(ofClassOf: $0) }
    let keyword = isFinal ? "final class" : "class"
    let what = isOfPair ? "The fields of \(className)" : "The entity \(Self.line(entity.name)) of a model file."
    let otherwise = isOfPair ? "\(what), from the entity \(Self.line(entity.name)) of a model file." : what
    lines += documentation(entity.userInfo, otherwise, indent: "")
    let classAccess = isOfPair && options.access == .public ? "open " : access
    let declared = isOfPair ? Self.fieldsName(className) : className
    lines.append("\(classAccess)\(keyword) \(declared): \(superclass ?? "Model, SchemaMapped") {")
    lines += entityName(isTopmost: superclass == nil)
    if isOfPair, superclass == nil {
      lines += [
        "", "  \(access)override class var typeName: String {",
        "    self == \(declared).self ? \"\(declared)\" : \(Self.literal(entity.className))", "  }",
      ]
    }
    var names: Set<String> = []
    let nameHolder = try entityAttribute()
    for attribute in entity.attributes where names.insert(attribute.name).inserted {
      lines += try attribute.name == nameHolder?.name ? fieldOfName(attribute, access) : field(of: attribute)
    }
    if let nameHolder, names.insert(nameHolder.name).inserted { lines += try fieldOfName(nameHolder, access) }
    for relationship in entity.relationships where names.insert(relationship.name).inserted {
      lines += try field(of: relationship)
    }
    if let nameHolder { lines += try familyMembers(nameHolder, access) }
    if let identifier = schema.identifierName(of: entity), entity.attribute(identifier) != nil {
      let name = try Self.identifier(identifier, entity, identifier)
      let field = options.style == .properties ? Self.projected(name) : name
      lines += ["", "  \(access)override var identifierField: AnyField? { \(field) }"]
    }
    lines.append("}")
    return (heading + imports(needsFoundation: needsFoundation) + lines).joined(separator: "\n") + "\n"
  }

  var heading: [String] {
    isOfPair
      ? [
        "// Generated from the model file by `swift package generate-models`. Changes are overwritten.",
        "// swift-format-ignore-file", "",
      ]
      : [
        "// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.",
        "",
      ]
  }

  func imports(needsFoundation: Bool) -> [String] {
    let modules = (needsFoundation ? ["Foundation"] : []) + [options.module]
    let plain = modules.map { "import \($0)" }
    if options.access == .internal { return plain + [""] }
    // A package with imports that are internal by default needs the access modifier; others must not have it.
    return ["#if hasFeature(InternalImportsByDefault)"] + plain.map { "  \(access)\($0)" } + ["#else"]
      + plain.map { "  \($0)" } + ["#endif", ""]
  }

  private func entityName(isTopmost: Bool) -> [String] {
    let literal = Self.literal(entity.name)
    if isTopmost, isFinal { return ["  \(access)static let entityName = \(literal)"] }
    let override = isTopmost ? "" : "override "
    let memberAccess = isOfPair && options.access == .public && isTopmost ? "open " : access
    return ["  \(memberAccess)\(override)class var entityName: String { \(literal) }"]
  }

  // MARK: Attributes

  private mutating func field(of attribute: CoreDataSchema.Attribute) throws -> [String] {
    let name = try Self.identifier(attribute.name, entity, attribute.name)
    let type = try swiftType(of: attribute)
    if Self.isOfFoundation(type) { needsFoundation = true }
    let isIdentifier = schema.identifierName(of: entity) == attribute.name
    let initial = isIdentifier ? nil : Self.initialValue(attribute, type)
    let declaration =
      switch options.style {
      case .fields: "\(access)let \(name) = \(try value(of: attribute, type, initial))"
      case .properties: try property(of: attribute, name, type, initial)
      }
    return [""] + documentation(attribute.userInfo, nil, indent: "  ") + ["  \(declaration)"]
  }

  /// Returns the expression that creates the field of an attribute.
  ///
  /// - Parameter initial: the source of its initial value.
  func value(of attribute: CoreDataSchema.Attribute, _ type: String, _ initial: String?) throws -> String {
    var arguments = initial.map { [$0] } ?? []
    if attribute.keyPath != attribute.name { arguments.append("key: \(Self.literal(attribute.keyPath))") }
    var declaration = ""
    if let element = listElement(of: attribute) {
      declaration += try Self.list(of: element, arguments, attribute, entity)
    } else {
      declaration += "Field<\(type)>(\(arguments.joined(separator: ", ")))"
    }
    for rule in Self.rules(of: attribute, type) { declaration += "\n    .require(\(rule))" }
    if let rule = try Self.code("swiftRule", attribute, entity) { declaration += "\n    .require(\(rule))" }
    if let transformer = try Self.code("swiftTransformer", attribute, entity) {
      declaration += "\n    .transform(with: \(transformer))"
    }
    return declaration
  }

  /// Returns whether a type needs an import of Foundation.
  static func isOfFoundation(_ type: String) -> Bool {
    type.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      .contains { ["Date", "Data", "UUID", "URL", "Decimal"].contains($0) }
  }

  func swiftType(of attribute: CoreDataSchema.Attribute) throws -> String {
    if let type = attribute.userInfo["swiftType"] {
      guard !type.isEmpty, type.allSatisfy({ $0.isLetter || $0.isNumber || "_.<>[]: ,".contains($0) }) else {
        throw SwiftSourceError(
          entity: entity.name, property: attribute.name, reason: "its swiftType is not a type: \(type)")
      }
      return type
    }
    func valueType<T: ValueTransforming>(of transformer: T) -> String { "\(T.Value.self)" }
    if let type = attribute.jsonTransformerName.flatMap({ options.transformerTypes[$0] }) { return type }
    if let transformer = attribute.jsonTransformerName.flatMap({ schema.storage.transformers[$0] }) {
      return Self.shortened(valueType(of: transformer))
    }
    // The single file of swiftSource(for:) can't declare the types of composites.
    if isOfPair, let composite = attribute.compositeName.flatMap({ schema.composite($0) }) {
      return try Self.identifier(composite.name, entity, nil)
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

  // MARK: Relationships

  private func field(of relationship: CoreDataSchema.Relationship) throws -> [String] {
    let name = try Self.identifier(relationship.name, entity, relationship.name)
    guard let destination = relationship.destinationName.flatMap({ schema.entity($0) }) else {
      throw SwiftSourceError(
        entity: entity.name, property: relationship.name, reason: "it refers to an entity that does not exist")
    }
    let related = try self.name(ofClassOf: destination)
    var arguments: [String] = []
    if relationship.keyPath != relationship.name { arguments.append("key: \(Self.literal(relationship.keyPath))") }
    if relationship.isForeignKey { arguments.append("foreignKey: true") }
    switch relationship.modelDeleteRule {
    case .nullify: break
    case .cascade: arguments.append("deleteRule: .cascade")
    case .deny: arguments.append("deleteRule: .deny")
    }
    let inverse = try inverseToDeclare(of: relationship, destination)
    // The compiler can't resolve a wrapper whose argument is a key path to itself.
    let isOwnInverse = relationship.inverseName == relationship.name && destination.name == entity.name
    let isProperty = options.style == .properties && !isOwnInverse
    if let inverse { arguments.append("inverse: \\.\(isProperty ? Self.projected(inverse) : inverse)") }
    if isProperty {
      let declaration = try property(of: relationship, name, related, arguments)
      return [""] + documentation(relationship.userInfo, nil, indent: "  ") + ["  \(declaration)"]
    }
    let one = "ModelField<\(related)>(\(arguments.joined(separator: ", ")))"
    // An explicit type spares the compiler inferring both directions of the relation at once.
    let type = relationship.isToMany ? "ModelArrayField<\(related)>" : "ModelField<\(related)>"
    var value = relationship.isToMany ? "\(one)*" : one
    let rules = Self.rules(of: relationship)
    if !rules.isEmpty, relationship.isToMany { value = "(\(one)*)" }
    for rule in rules { value += "\n    .require(\(rule))" }
    return [""] + documentation(relationship.userInfo, nil, indent: "  ") + [
      "  \(access)let \(name): \(type) = \(value)"
    ]
  }

  /// Returns the inverse if this side declares it: only one side does.
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
}
