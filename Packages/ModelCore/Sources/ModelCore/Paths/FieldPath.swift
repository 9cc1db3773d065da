/// A path through nested models and lists, such as `authors[3].books[0].year`.
///
/// ```swift
/// let path: FieldPath = "author.books[2].title"
/// assert(path == ["author", "books", 2, "title"])
/// let all: FieldPath = "author.*"
/// assert(all.matches("author.name"))
/// ```
///
/// A path whose last component is written `*` matches everything at and below the rest of it: see ``isWildcard``.
public struct FieldPath: Hashable, Sendable {
  /// One component: a field, or an element of a list.
  public enum Component: Hashable, Sendable {
    /// A field or member with a key.
    case key(String)
    /// An element at an index, from 0.
    case index(Int)
  }

  /// The components from the outside in, without the `*` of a wildcard.
  public var components: [Component]

  /// Whether the path matches every path that begins with its components, and not only its equal.
  public var isWildcard: Bool

  /// Creates a path from components.
  ///
  /// - Parameters:
  ///   - components: the components from the outside in.
  ///   - isWildcard: whether the path matches every path that begins with them.
  public init(_ components: [Component], isWildcard: Bool = false) {
    self.components = components
    self.isWildcard = isWildcard
  }

  /// Creates the empty path, which is the path of its starting point.
  public init() { self.init([]) }

  /// Parses a path: keys separated by dots, indices in brackets, and a last key `*` for a wildcard.
  public init(_ text: String) {
    var components: [Component] = []
    for part in text.split(separator: ".") {
      let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
      if let key = pieces.first, !key.isEmpty { components.append(.key(String(key))) }
      for piece in pieces.dropFirst() {
        if piece.hasSuffix("]"), let index = Int(piece.dropLast()) {
          components.append(.index(index))
        } else {
          components.append(.key("[" + piece))
        }
      }
    }
    self.init(takingWildcardFrom: components)
  }

  /// Parses a path of keys with another separator, such as `"company/name"`; a last key `*` makes it a wildcard.
  ///
  /// - Parameters:
  ///   - text: the keys. Their dots and brackets have no meaning.
  ///   - separator: the character between keys.
  public init(_ text: String, separator: Character) {
    self.init(takingWildcardFrom: text.split(separator: separator).map { .key(String($0)) })
  }

  private init(takingWildcardFrom components: [Component]) {
    self.components = components
    isWildcard = components.last == .key("*")
    if isWildcard { self.components.removeLast() }
  }

  /// Creates a path of one key with any characters.
  init(verbatim key: String) { self.init([.key(key)]) }

  /// Whether the path has no components, so that it is the path of its starting point.
  public var isEmpty: Bool { components.isEmpty }

  // MARK: Comparing

  /// Returns whether another path begins with this one. Every path begins with itself and with the empty path.
  public func isPrefix(of other: FieldPath) -> Bool { other.components.starts(with: components) }

  /// Returns whether this path matches another one. A wildcard matches every path that begins with its components, any
  /// other path only an equal one.
  public func matches(_ other: FieldPath) -> Bool { isWildcard ? isPrefix(of: other) : self == other }

  // MARK: Composing

  /// Returns the path of a member, relative to the value at this path.
  public func appending(_ other: FieldPath) -> FieldPath {
    FieldPath(components + other.components, isWildcard: other.isWildcard)
  }

  /// Returns the path of a member of the value at this path.
  ///
  /// - Parameter key: one key with any characters.
  public func appending(key: String) -> FieldPath { FieldPath(components + [.key(key)]) }

  /// Returns the path relative to an outer value, of which this path's starting point is a member.
  public func prepending(_ outer: FieldPath) -> FieldPath {
    FieldPath(outer.components + components, isWildcard: isWildcard)
  }

  /// Returns the path without its first components.
  public func dropFirst(_ count: Int = 1) -> FieldPath {
    FieldPath(Array(components.dropFirst(count)), isWildcard: isWildcard)
  }

  func inside(_ outer: Component) -> FieldPath { FieldPath([outer] + components, isWildcard: isWildcard) }
}

extension FieldPath: CustomStringConvertible, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// Creates a path from a literal such as `"company.name"`.
  public init(stringLiteral value: String) { self.init(value) }

  /// Creates a path from a literal such as `["company", "employees", 2, "name"]`. Its strings are keys verbatim, even
  /// with dots; a last `"*"` makes it a wildcard.
  public init(arrayLiteral elements: Component...) { self.init(takingWildcardFrom: elements) }

  /// The path as text.
  public var description: String {
    var text = ""
    for component in isWildcard ? components + [.key("*")] : components {
      switch component {
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      case .index(let index): text += "[\(index)]"
      }
    }
    return text
  }
}

extension FieldPath.Component: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Creates a component for a field or member with a key of any characters.
  public init(stringLiteral value: String) { self = .key(value) }

  /// Creates a component for an element.
  public init(integerLiteral value: Int) { self = .index(value) }
}
