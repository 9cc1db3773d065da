/// A writer for the type of a composite's values: a structure with a member for each attribute.
struct CompositeWriter {
  let schema: CoreDataSchema
  let composite: CoreDataSchema.Composite
  let options: SwiftSourceOptions

  func source() throws -> String {
    // The class writer spells names and types; it treats a composite as an entity without relations.
    let entity = CoreDataSchema.Entity(name: composite.name, attributes: composite.attributes)
    let writer = SwiftSourceWriter(schema, entity, options, isOfPair: true)
    let name = try writer.name(ofClassOf: entity)
    if schema.isInsideItself(composite) {
      throw SwiftSourceError(entity: composite.name, property: nil, reason: "the composite contains itself")
    }
    let access = options.access.prefix
    var members: [(name: String, type: String, key: String)] = []
    for attribute in composite.attributes {
      if attribute.keyPath.contains(".") {
        throw SwiftSourceError(
          entity: composite.name, property: attribute.name,
          reason: "its key has dots, which the parts of a composite can't")
      }
      members.append(
        (
          try SwiftSourceWriter.identifier(attribute.name, entity, attribute.name),
          try writer.swiftType(of: attribute), attribute.keyPath
        ))
    }
    var lines = ["/// The composite \(SwiftSourceWriter.line(composite.name)) of a model file."]
    lines.append("\(access)struct \(name): Codable, Hashable, Sendable {")
    for (attribute, member) in zip(composite.attributes, members) {
      lines += writer.documentation(attribute.userInfo, nil, indent: "  ")
      lines.append("  \(access)var \(member.name): \(member.type)?")
    }
    let parameters = members.map { "\($0.name): \($0.type)? = nil" }.joined(separator: ", ")
    lines += ["", "  \(access)init(\(parameters)) {"] + members.map { "    self.\($0.name) = \($0.name)" } + ["  }"]
    if zip(composite.attributes, members).contains(where: { $0.name != $1.key }) {
      lines += ["", "  private enum CodingKeys: String, CodingKey {"]
      lines += members.map { "    case \($0.name) = \(SwiftSourceWriter.literal($0.key))" } + ["  }"]
    }
    lines.append("}")
    let needsFoundation = members.contains { SwiftSourceWriter.isOfFoundation($0.type) }
    return (writer.heading + writer.imports(needsFoundation: needsFoundation) + lines).joined(separator: "\n") + "\n"
  }
}

extension CoreDataSchema {
  /// Returns the file with the type of a composite's values. It is rewritten whenever the schema changes. The files of
  /// ``swiftFiles(for:options:)`` use the type.
  ///
  /// - Parameters:
  ///   - name: the name of the composite.
  ///   - options: the access level and the imports.
  /// - Throws: ``SwiftSourceError`` if the composite does not exist or a name is not valid in Swift.
  public func swiftFile(
    forComposite name: String, options: SwiftSourceOptions = .init()
  ) throws -> SwiftSourceFile {
    guard let composite = composite(name) else {
      throw SwiftSourceError(entity: name, property: nil, reason: "there is no such composite")
    }
    let text = try CompositeWriter(schema: self, composite: composite, options: options).source()
    return SwiftSourceFile(name: "\(name)+Generated.swift", text: text, isRewritten: true)
  }
}
