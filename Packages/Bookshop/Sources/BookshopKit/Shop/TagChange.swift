/// One change of the tags of a book.
package enum TagChange: Hashable, Sendable {
  case add(String)
  case remove(String)

  /// Reads `+new` or `-old`.
  ///
  /// - Throws: ``ShopError/notATagChange(_:)``.
  package init(_ text: String) throws {
    let tag = String(text.dropFirst())
    switch text.first {
    case "+" where !tag.isEmpty: self = .add(tag)
    case "-" where !tag.isEmpty && !tag.hasPrefix("-"): self = .remove(tag)
    default: throw ShopError.notATagChange(text)
    }
  }
}
