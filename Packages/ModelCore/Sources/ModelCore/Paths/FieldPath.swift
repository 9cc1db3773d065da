/// A way through nested models and lists, such as `authors[3].books[0].year`.
///
/// ```swift
/// let path: FieldPath = "author.books[2].title"
/// assert(path == ["author", "books", 2, "title"])
/// let all: FieldPath = "author.*"
/// assert(all.matches("author.name"))
/// ```
///
/// A path whose last step is written `*` stands for everything at and below the rest of it: see ``isWildcard``.
public struct FieldPath: Hashable, Sendable {
  /// One step: into a field, or into an element of a list.
  public enum Component: Hashable, Sendable {
    /// A field or member by its key.
    case key(String)
    /// An element by its position, from 0.
    case index(Int)
  }

  /// The steps from the outside in. The `*` of a wildcard is not one of them.
  public var components: [Component]

  /// Whether the path stands for everything that begins with its components, and not just for the place they lead to.
  public var isWildcard: Bool

  /// Creates a path from steps.
  ///
  /// - Parameters:
  ///   - components: the steps from the outside in.
  ///   - isWildcard: whether the path stands for everything that begins with them.
  public init(_ components: [Component], isWildcard: Bool = false) {
    self.components = components
    self.isWildcard = isWildcard
  }

  /// Creates a path that leads to where it starts from.
  public init() { self.init([]) }

  /// Reads a path: keys separated by dots, positions in brackets, and a last key `*` for a wildcard.
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

  private init(takingWildcardFrom components: [Component]) {
    self.components = components
    isWildcard = components.last == .key("*")
    if isWildcard { self.components.removeLast() }
  }

  /// A path of one key, whatever characters it has.
  init(verbatim key: String) { self.init([.key(key)]) }

  /// Whether the path has no steps: it leads to where it starts from.
  public var isEmpty: Bool { components.isEmpty }

  // MARK: Comparing

  /// Whether another path begins with this one. Every path begins with itself and with the empty path.
  public func isPrefix(of other: FieldPath) -> Bool { other.components.starts(with: components) }

  /// Whether this path stands for another one: a wildcard for every path that begins with its components, any other path
  /// for its equal.
  public func matches(_ other: FieldPath) -> Bool { isWildcard ? isPrefix(of: other) : self == other }

  // MARK: Composing

  /// The path of something inside what this path leads to.
  public func appending(_ other: FieldPath) -> FieldPath {
    FieldPath(components + other.components, isWildcard: other.isWildcard)
  }

  /// The path of a member of what this path leads to.
  ///
  /// - Parameter key: one key, whatever characters it has.
  public func appending(key: String) -> FieldPath { FieldPath(components + [.key(key)]) }

  /// The same path, seen from further outside.
  public func prepending(_ outer: FieldPath) -> FieldPath {
    FieldPath(outer.components + components, isWildcard: isWildcard)
  }

  /// The same path, seen from what has its beginning as a member.
  ///
  /// - Parameter key: one key, whatever characters it has.
  public func prepending(key: String) -> FieldPath { inside(.key(key)) }

  /// The path without its first steps.
  public func dropFirst(_ count: Int = 1) -> FieldPath {
    FieldPath(Array(components.dropFirst(count)), isWildcard: isWildcard)
  }

  func inside(_ outer: Component) -> FieldPath { FieldPath([outer] + components, isWildcard: isWildcard) }
}

extension FieldPath: CustomStringConvertible, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// Creates a path from a literal such as `"company.name"`.
  public init(stringLiteral value: String) { self.init(value) }

  /// Creates a path from a literal such as `["company", "employees", 2, "name"]`. Its texts are keys as they are, also with
  /// dots; a last `"*"` makes it a wildcard.
  public init(arrayLiteral elements: Component...) { self.init(takingWildcardFrom: elements) }

  /// The path as it is written.
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
  /// A step into a field or member, whatever characters its key has.
  public init(stringLiteral value: String) { self = .key(value) }

  /// A step into an element.
  public init(integerLiteral value: Int) { self = .index(value) }
}
