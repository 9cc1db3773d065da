/// Writes the type of the values of a composite: a structure with a member for each attribute.
struct CompositeWriter {
  let schema: CoreDataSchema
  let composite: CoreDataSchema.Composite
  let options: SwiftSourceOptions

  func source() throws -> String {
    // The writer of classes knows how names and types are spelled; for it a composite is an entity without relations.
    let entity = CoreDataSchema.Entity(name: composite.name, attributes: composite.attributes)
    let writer = SwiftSourceWriter(schema, entity, options, isOfPair: true)
    let name = try writer.name(ofClassOf: entity)
    if schema.isInsideItself(composite) {
      throw SwiftSourceError(entity: composite.name, property: nil, reason: "it would be a part of itself")
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
  /// The file with the type of a composite's values, which is rewritten whenever the schema changes. The files of entities
  /// that ``swiftFiles(for:options:)`` gives use it.
  ///
  /// - Parameters:
  ///   - name: the name of the composite.
  ///   - options: who can use the type, and what is imported.
  /// - Throws: ``SwiftSourceError`` if there is no such composite, or a name can't be one in Swift.
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
