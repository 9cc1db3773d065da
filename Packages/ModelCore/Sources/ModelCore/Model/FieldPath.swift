/// A way through nested models and lists, such as `authors[3].books[0].year`.
///
/// ```swift
/// let path: FieldPath = "author.books[2].title"
/// assert(path.components.count == 4)
/// ```
public struct FieldPath: Hashable, Sendable {
  /// One step: into a field, or into an element of a list.
  public enum Component: Hashable, Sendable {
    /// A field or member by its key.
    case key(String)
    /// An element by its position, from 0.
    case index(Int)
  }

  /// The steps from the outside in.
  public var components: [Component]

  /// Creates a path from steps.
  public init(_ components: [Component] = []) { self.components = components }

  /// Reads a path: keys separated by dots, positions in brackets.
  public init(_ text: String) {
    components = []
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
  }

  /// A path of one key, whatever characters it has.
  init(verbatim key: String) { components = [.key(key)] }

  /// The path of something inside what this path leads to.
  public func appending(_ other: FieldPath) -> FieldPath { FieldPath(components + other.components) }

  func inside(_ outer: Component) -> FieldPath { FieldPath([outer] + components) }
}

extension FieldPath: CustomStringConvertible, ExpressibleByStringLiteral {
  /// Creates a path from a literal such as `"company.name"`.
  public init(stringLiteral value: String) { self.init(value) }

  /// The path as it is written.
  public var description: String {
    var text = ""
    for component in components {
      switch component {
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      case .index(let index): text += "[\(index)]"
      }
    }
    return text
  }
}
