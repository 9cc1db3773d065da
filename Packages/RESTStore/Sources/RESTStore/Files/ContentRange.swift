/// The value of a `Content-Range` header in bytes: `bytes 5-9/10`, `bytes 5-9/*`, or `bytes */10`.
struct ContentRange: Equatable {
  /// The positions of the first and the last byte; nil for a range that the server does not have.
  var bounds: ClosedRange<Int>?
  /// The length of the whole file; nil if the server does not know it.
  var total: Int?

  /// Reads a header; returns nil if there is none, or it is malformed.
  init?(_ header: String?) {
    guard let header else { return nil }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1] == "*" || Self.number(parts[1]) != nil else { return nil }
    total = Self.number(parts[1])
    if parts[0] == "*" { return }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else {
      return nil
    }
    bounds = first...last
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
