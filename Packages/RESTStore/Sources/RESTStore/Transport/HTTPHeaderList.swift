/// The header fields of a request or response, in order. Names are compared without regard to case, and a name may
/// occur more than once.
///
/// ```swift
/// var headers: HTTPHeaderList = ["Accept": "application/json"]
/// headers.add("Accept", "text/plain")
/// assert(headers["accept"] == "application/json, text/plain")
/// ```
public struct HTTPHeaderList: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// One line of a header.
  public struct Entry: Sendable, Hashable {
    /// The name as it was written.
    public let name: String
    /// The value.
    public let value: String
  }

  /// All lines, in order.
  public private(set) var entries: [Entry] = []

  /// Creates a list without lines.
  public init() {}

  /// Creates a list from names and values, in the order in which they are written.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }

  /// The value of a name: all of its lines, joined by commas; nil if there are none. Setting replaces them.
  ///
  /// - Complexity: O(*n*) in the number of lines.
  public subscript(name: String) -> String? {
    get {
      let values = values(for: name)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    set {
      entries.removeAll { Self.isSame($0.name, name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// Returns every value of a name, in order.
  ///
  /// - Complexity: O(*n*) in the number of lines.
  public func values(for name: String) -> [String] {
    entries.filter { Self.isSame($0.name, name) }.map(\.value)
  }

  /// Returns whether two names are equal without regard to case. Names are ASCII, so their bytes are compared.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    func lowercased(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    return left.utf8.count == right.utf8.count
      && zip(left.utf8, right.utf8).allSatisfy { $0 == $1 || lowercased($0) == lowercased($1) }
  }

  /// Adds a line at the end, even if there are others with this name.
  public mutating func add(_ name: String, _ value: String) { entries.append(Entry(name: name, value: value)) }

  /// Replaces the lines of all names in another list by those of that list.
  mutating func replace(with other: HTTPHeaderList) {
    for entry in other.entries { self[entry.name] = nil }
    for entry in other.entries { add(entry.name, entry.value) }
  }

  /// The first line that must not be sent: its name is not a token, or its value has a control character. A line break
  /// in a value could inject another header or a body.
  var firstUnsafeEntry: Entry? {
    entries.first { entry in
      let isToken = !entry.name.isEmpty && entry.name.utf8.allSatisfy(Self.isTokenCharacter)
      let isPlain = entry.value.utf8.allSatisfy { $0 == UInt8(ascii: "\t") || ($0 >= 0x20 && $0 != 0x7F) }
      return !isToken || !isPlain
    }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
