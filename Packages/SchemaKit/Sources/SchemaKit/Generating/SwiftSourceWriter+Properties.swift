// Declarations of ordinary properties.
extension SwiftSourceWriter {
  /// Returns the declaration of an attribute's property, such as `@Field(.notNil, key: "n") var name: String?`.
  ///
  /// - Parameter initial: the source of its initial value.
  func property(
    of attribute: CoreDataSchema.Attribute, _ name: String, _ type: String, _ initial: String?
  ) throws -> String {
    try checkStorage(of: attribute.name)
    var rules = Self.rules(of: attribute, type)
    if let rule = try Self.code("swiftRule", attribute, entity) { rules.append(rule) }
    let transformer = try Self.code("swiftTransformer", attribute, entity).map { ".transform(with: \($0))" }
    var arguments: [String] = []
    if attribute.keyPath != attribute.name { arguments.append("key: \(Self.literal(attribute.keyPath))") }
    if let element = listElement(of: attribute) {
      let rules = rules.map { ".require(\($0))" } + [transformer].compactMap(\.self)
      let list = try Self.list(of: element, arguments + Self.configuration(rules), attribute, entity)
      return "@\(list) \(options.access.prefix)var \(name): [\(element)]?"
    }
    arguments += Self.configuration([transformer].compactMap(\.self))
    // Other initial values are of an optional type, since a text may not be one of them.
    let isRequired =
      rules.first == ".notNil" && initial != nil && ["Int", "Double", "Float", "Bool", "String", "Date"].contains(type)
    if isRequired { rules.removeFirst() }
    let all = (rules + arguments).joined(separator: ", ")
    return "@\(isRequired ? "Required" : "Field")\(all.isEmpty ? "" : "(\(all))") \(options.access.prefix)var \(name): "
      + "\(type)\(isRequired ? "" : "?")\(initial.map { " = \($0)" } ?? "")"
  }

  /// Returns the declaration of a relationship's property, such as `@ModelField(inverse: \\.$books) var author:
  /// Author?`.
  func property(
    of relationship: CoreDataSchema.Relationship, _ name: String, _ related: String, _ arguments: [String]
  ) throws -> String {
    try checkStorage(of: relationship.name)
    let rules = Self.rules(of: relationship).map { ".require(\($0))" }
    let all = (arguments + Self.configuration(rules)).joined(separator: ", ")
    let wrapper = relationship.isToMany ? "ModelArrayField" : "ModelField"
    return "@\(wrapper)\(all.isEmpty ? "" : "(\(all))") \(options.access.prefix)var \(name): "
      + (relationship.isToMany ? "[\(related)]?" : "\(related)?")
  }

  /// Returns the name of a property's field: `$title`.
  static func projected(_ name: String) -> String {
    "$" + (name.hasPrefix("`") ? "\(name.dropFirst().dropLast())" : name)
  }

  private static func configuration(_ calls: [String]) -> [String] {
    calls.isEmpty ? [] : ["configure: { $0\(calls.joined()) }"]
  }

  /// Checks that no other property has the name of a property's storage, which Swift derives from the name.
  ///
  /// - Throws: ``SwiftSourceError``.
  private func checkStorage(of name: String) throws {
    guard entity.attribute("_\(name)") != nil || entity.relationship("_\(name)") != nil else { return }
    throw SwiftSourceError(
      entity: entity.name, property: name,
      reason: "the property _\(name) has the name of its storage; rename one of them, or generate fields")
  }
}
