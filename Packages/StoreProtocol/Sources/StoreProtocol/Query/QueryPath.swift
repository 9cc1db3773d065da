/// The way from a model to a field that a query is about: the keys of the fields on the way, as they are declared.
///
/// ```swift
/// let path: QueryPath = ["company", "name"]
/// assert("\(path)" == "company.name")
/// ```
///
/// The path without keys is an element of a list itself, inside ``QueryExpression/any(_:_:)``.
public struct QueryPath: Hashable, Sendable, CustomStringConvertible, ExpressibleByArrayLiteral {
  /// The keys, outermost first. A key is that of the declaration, or the name of the property; it may have dots.
  public var keys: [String]

  /// Creates a path from its keys.
  public init(_ keys: [String] = []) { self.keys = keys }

  /// Creates a path from a literal such as `["company", "name"]`.
  public init(arrayLiteral elements: String...) { keys = elements }

  /// The keys with dots between them.
  public var description: String { keys.isEmpty ? "$0" : keys.joined(separator: ".") }

  /// Returns the path of a field of the model at this path.
  public func appending(_ key: String) -> QueryPath { QueryPath(keys + [key]) }
}

/// The compared value of a field: the value itself, or one derived from it.
///
/// ```swift
/// let term = QueryTerm(["tags"], form: .count)
/// assert("\(term)" == "tags.count")
/// ```
public struct QueryTerm: Hashable, Sendable, CustomStringConvertible {
  /// The derivation from the value of a field.
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// Nothing: the value itself.
    case value
    /// The text in small letters, by the rules that hold for all languages; also what it is compared with.
    case ignoringCase
    /// The number of elements of a list, 0 for nil.
    case count
  }

  /// The field.
  public var path: QueryPath
  /// The derivation from its value.
  public var form: Form

  /// Creates a term.
  ///
  /// - Parameters:
  ///   - path: the field.
  ///   - form: what is made of its value.
  public init(_ path: QueryPath, form: Form = .value) {
    self.path = path
    self.form = form
  }

  /// The term as it is written in a query.
  public var description: String { form == .value ? path.description : "\(path).\(form.rawValue)" }
}
