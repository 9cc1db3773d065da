/// A dotted path into a JSON value: `author.books[0].title`.
///
/// Components are separated by dots; each is a key, followed by any number of indices in brackets. Brackets around
/// anything but digits belong to the key. The empty path is the value itself.
struct JSONPath {
  enum Component: Equatable {
    case key(String)
    case index(Int)
  }

  let components: [Component]

  init(_ path: String) {
    guard !path.isEmpty else {
      components = []
      return
    }
    var components: [Component] = []
    for part in path.split(separator: ".", omittingEmptySubsequences: false) {
      var key = part
      var indices: [Component] = []
      while let (rest, index) = Self.lastIndex(of: key) {
        indices.append(.index(index))
        key = rest
      }
      // "[0].name" starts with an index, and "a.[0]" means the same as "a[0]".
      if !key.isEmpty || indices.isEmpty { components.append(.key(String(key))) }
      components += indices.reversed()
    }
    self.components = components
  }

  /// Splits `name[12]` into `name` and 12, or returns nil if there is no index at the end.
  private static func lastIndex(of part: Substring) -> (rest: Substring, index: Int)? {
    guard part.last == "]", let bracket = part.lastIndex(of: "[") else { return nil }
    let digits = part[part.index(after: bracket)...].dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    guard let index = Int(digits) else { return nil }
    return (part[..<bracket], index)
  }
}
