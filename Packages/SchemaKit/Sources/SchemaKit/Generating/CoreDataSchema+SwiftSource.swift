public import FieldKit
import ModelCore

extension CoreDataSchema {
  /// Swift source of the model class of an entity: a file of its own, with fields, keys, first values, rules, relations with
  /// both sides, and what people noted about the entity as its documentation.
  ///
  /// ```swift
  /// let source = try schema.swiftSource(for: "Author", transformers: ["Date": .date(format: "yyyy-MM-dd")])
  /// ```
  ///
  /// The class is ``SchemaMapped``: it works by itself, and in a scope with the schema its transformable attributes are read
  /// and written by their transformers. The same schema gives the same text, byte by byte. It compiles without warnings in
  /// the Swift 6 mode, together with the classes of the entities it leads to.
  ///
  /// The user info of an entity, attribute or relationship becomes its documentation: `documentation`, or else `comment`.
  /// For attributes `swiftType` names the type of the values, such as that of an enumeration. Where the user info of a
  /// topmost entity has `entityKeyPath`, each model has the name of its entity there, and reading one makes it of the class
  /// of the entity it names.
  ///
  /// - Parameters:
  ///   - name: the name of the entity.
  ///   - transformers: the value transformers by name, which give transformable attributes their types. Those of
  ///     ``with(transformers:)`` count as well. Without either, such an attribute is a `JSONValue`.
  /// - Throws: ``SwiftSourceError`` if there is no such entity, or a name can't be one in Swift.
  public func swiftSource(
    for name: String, transformers: [String: any ValueTransforming] = [:]
  ) throws -> String {
    guard let entity = entity(name) else {
      throw SwiftSourceError(entity: name, property: nil, reason: "there is no such entity")
    }
    let schema = transformers.isEmpty ? self : with(transformers: transformers)
    return try SwiftSourceWriter(schema, entity).source()
  }
}

/// A schema of which no Swift source can be made.
public struct SwiftSourceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity.
  public let entity: String
  /// The attribute or relationship; nil if it is about the entity.
  public let property: String?
  /// What is in the way.
  public let reason: String

  /// What is in the way, and where.
  public var description: String {
    "There can be no Swift source for \(property.map { "\(entity).\($0)" } ?? entity): \(reason)."
  }
}
