import Foundation

// Hierarchies whose topmost entity declares the key path of the entity's name in JSON.
extension SwiftSourceWriter {
  /// Returns the attribute for the name of the entity, if this is a topmost entity that declares its key path.
  ///
  /// - Throws: ``SwiftSourceError`` if the attribute can't hold a name.
  func entityAttribute() throws -> CoreDataSchema.Attribute? {
    guard let keyPath = schema.entityKeyPath(of: entity) else { return nil }
    let known = entity.attributes.first { $0.keyPath == keyPath }
    guard schema.lineage(of: entity).count == 1 else {
      if let known {
        throw SwiftSourceError(
          entity: entity.name, property: known.name,
          reason: "its key holds the name of the entity, so it has to be in the topmost one")
      }
      return nil
    }
    guard let known else {
      let name = String(keyPath.split(separator: ".").last ?? "")
      let isTaken = entity.attribute(name) != nil || entity.relationship(name) != nil
      if isTaken || (try? Self.identifier(name, entity, name)) == nil {
        throw SwiftSourceError(
          entity: entity.name, property: nil,
          reason:
            "no field can be called \"\(name)\"; add an attribute with the key \(keyPath) for the name of the entity")
      }
      return CoreDataSchema.Attribute(
        name: name, type: .string, userInfo: ["jsonKeyPath": keyPath, "documentation": "The name of the entity."])
    }
    if try swiftType(of: known) != "String" {
      throw SwiftSourceError(
        entity: entity.name, property: known.name, reason: "its key holds the name of the entity, so it has to be text")
    }
    return known
  }

  /// Returns the declaration of the field for the entity's name. The initializer sets it, because each class has
  /// another name.
  func fieldOfName(_ attribute: CoreDataSchema.Attribute, _ access: String) throws -> [String] {
    let name = try Self.identifier(attribute.name, entity, attribute.name)
    return [""] + documentation(attribute.userInfo, nil, indent: "  ") + ["  \(access)let \(name): Field<String>"]
  }

  /// Returns the initializer that sets this field, and the override that selects the class for a name.
  func familyMembers(_ attribute: CoreDataSchema.Attribute, _ access: String) throws -> [String] {
    let name = try Self.identifier(attribute.name, entity, attribute.name)
    let source = try self.value(of: attribute, "String", "Self.entityName").replacingOccurrences(of: "\n", with: "\n  ")
    var lines = ["", "  \(access)required init() {"]
    lines += ["    \(name) = \(source)", "    super.init()", "  }", ""]
    lines += [
      "  \(access)override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {"
    ]
    let isPlain = attribute.keyPath.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    lines += ["    switch dictionary[\(isPlain ? "" : "path: ")\(Self.literal(attribute.keyPath))]?.stringValue {"]
    var names: Set<String> = []
    for member in schema.entities where schema.lineage(of: member)[0].name == entity.name {
      guard names.insert(member.name).inserted else { continue }
      lines.append("    case \(Self.literal(member.name)): \(try self.name(ofClassOf: member)).self")
    }
    return lines + ["    default: nil", "    }", "  }"]
  }
}
