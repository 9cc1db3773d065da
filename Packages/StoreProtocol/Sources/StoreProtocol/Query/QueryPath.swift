/// The path from a model to a field in a query: the declared keys of the relations on the path and of the field.
///
/// ```swift
/// let path: QueryPath = ["company", "name"]
/// assert("\(path)" == "company.name")
/// ```
///
/// Inside ``QueryExpression/any(_:_:)`` the path without keys is the element of the list itself.
public struct QueryPath: Hashable, Sendable, CustomStringConvertible, ExpressibleByArrayLiteral {
  /// The keys, outermost first. A key is that of the declaration, or the name of the property. It can contain dots.
  public var keys: [String]

  /// Creates a path from its keys.
  public init(_ keys: [String] = []) { self.keys = keys }

  /// Creates a path from a literal such as `["company", "name"]`.
  public init(arrayLiteral elements: String...) { keys = elements }

  /// The keys, separated by dots.
  public var description: String { keys.isEmpty ? "$0" : keys.joined(separator: ".") }

  /// Returns the path of a field with a key of the model at this path.
  public func appending(_ key: String) -> QueryPath { QueryPath(keys + [key]) }
}

/// A term of a comparison: the value of a field, or a value derived from it.
///
/// ```swift
/// let term = QueryTerm(["tags"], form: .count)
/// assert("\(term)" == "tags.count")
/// ```
public struct QueryTerm: Hashable, Sendable, CustomStringConvertible {
  /// The derivation of a term from the value of its field.
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// The value itself.
    case value
    /// The text with its case folded, independent of the locale. The operand is folded, too.
    case ignoringCase
    /// The text without case and accents, independent of the locale. The operand is folded, too.
    case ignoringCaseAndAccents
    /// The number of elements of a list; 0 for nil.
    case count
  }

  /// The field.
  public var path: QueryPath
  /// The derivation from the value of the field.
  public var form: Form

  /// Creates a term.
  ///
  /// - Parameters:
  ///   - path: the field.
  ///   - form: the derivation from the value of the field.
  public init(_ path: QueryPath, form: Form = .value) {
    self.path = path
    self.form = form
  }

  /// The term as it is written in a query.
  public var description: String { form == .value ? path.description : "\(path).\(form.rawValue)" }
}
