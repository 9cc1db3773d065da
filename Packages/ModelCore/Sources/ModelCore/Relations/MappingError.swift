@_spi(ModelKitInternals) import FieldKit

/// A relation that was asked for by name is not there, or is not what it was taken for. Nothing was changed.
///
/// ```swift
/// do { try author.add(book, forKey: "novels") } catch MappingError.unknownRelationship(let name) { print(name) }
/// ```
public enum MappingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The model has no relation of that name.
  case unknownRelationship(String)
  /// The relation leads to models of another class.
  case wrongModelType(relationship: String, expected: String, found: String)
  /// The relation leads to one model, and can be set, but nothing can be added to it or removed from it.
  case leadsToOne(String)
  /// The relation leads to many models, and was used as if it led to one.
  case leadsToMany(String)

  /// What was wrong, and what to do.
  public var description: String {
    switch self {
    case .unknownRelationship(let name):
      "There is no relation \(name.quotedForMessage): look for the name of the property, or the key it was declared with."
    case .wrongModelType(let name, let expected, let found):
      "The relation \(name.quotedForMessage) stays as it is: it leads to \(expected), not to \(found)."
    case .leadsToOne(let name):
      "The relation \(name.quotedForMessage) stays as it is: it leads to one model. Use set(_:forKey:) for it."
    case .leadsToMany(let name):
      "The relation \(name.quotedForMessage) stays as it is: it leads to many models. Use add, remove, or set a list for it."
    }
  }
}
