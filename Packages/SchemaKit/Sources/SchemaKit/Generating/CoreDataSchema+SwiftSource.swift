public import FieldKit
import ModelCore

extension CoreDataSchema {
  /// Returns the Swift source of an entity's model class as one file. It has the fields with keys, default values and
  /// rules, and the relations with inverses. The notes of the user info become its documentation.
  ///
  /// ```swift
  /// let source = try schema.swiftSource(
  ///   for: "Author", transformers: ["Date": .date(format: "yyyy-MM-dd")])
  /// ```
  ///
  /// The class is ``SchemaMapped`` and works without a schema. In a scope with the schema, transformers read and write
  /// its transformable attributes. The same schema gives the same text, byte by byte. It compiles without warnings in
  /// Swift 6 mode, together with the classes of related entities.
  ///
  /// The user info of an entity, attribute or relationship gives its documentation under `documentation` or `comment`.
  /// An attribute's `swiftType` names the type of the values, such as an enumeration. If the user info of a topmost
  /// entity has `entityKeyPath`, each model stores the name of its entity there. A model is then read as the class of
  /// the entity it names.
  ///
  /// - Parameters:
  ///   - name: the name of the entity.
  ///   - transformers: the value transformers by name, which give transformable attributes their types. Those of
  ///     ``with(transformers:)`` are used as well. An attribute without a transformer is a `JSONValue`.
  ///   - style: the style of the declarations.
  /// - Throws: ``SwiftSourceError`` if the entity does not exist or a name is not valid in Swift.
  public func swiftSource(
    for name: String, transformers: [String: any ValueTransforming] = [:], style: SwiftSourceOptions.Style = .fields
  ) throws -> String {
    guard let entity = entity(name) else {
      throw SwiftSourceError(entity: name, property: nil, reason: "there is no such entity")
    }
    let schema = transformers.isEmpty ? self : with(transformers: transformers)
    return try SwiftSourceWriter(schema, entity, SwiftSourceOptions(style: style)).source()
  }
}

/// An error for a schema that can't be written as Swift source.
public struct SwiftSourceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity.
  public let entity: String
  /// The attribute or relationship; nil for an error of the entity itself.
  public let property: String?
  /// The reason why no source can be generated.
  public let reason: String

  /// The entity or property, and the reason.
  public var description: String {
    "No Swift source was generated for \(property.map { "\(entity).\($0)" } ?? entity): \(reason)."
  }
}
