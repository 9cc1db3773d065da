extension CoreDataSchema {
  /// The type of an attribute.
  public enum AttributeType: Hashable, Sendable {
    /// A whole number of 16, 32 or 64 bits.
    case integer16, integer32, integer64
    /// A number: with 38 decimal digits, or binary of 64 or 32 bits.
    case decimal, double, float
    /// Text.
    case string
    /// A boolean.
    case boolean
    /// A point in time.
    case date
    /// Bytes.
    case binary
    /// A UUID.
    case uuid
    /// A URL.
    case uri
    /// A type that a value transformer reads and writes.
    case transformable
    /// A group of attributes; see ``CoreDataSchema/composites``.
    case composite
    /// The identifier of a managed object.
    case objectID
    /// No type, as a transient attribute may have.
    case undefined
    /// An unknown type, in the spelling of the file.
    case other(String)

    private static let spellings: [(AttributeType, String)] = [
      (.integer16, "Integer 16"), (.integer32, "Integer 32"), (.integer64, "Integer 64"), (.decimal, "Decimal"),
      (.double, "Double"), (.float, "Float"), (.string, "String"), (.boolean, "Boolean"), (.date, "Date"),
      (.binary, "Binary"), (.uuid, "UUID"), (.uri, "URI"), (.transformable, "Transformable"),
      (.composite, "Composite"), (.objectID, "ObjectID"), (.undefined, "Undefined"),
    ]

    private static let types = Dictionary(uniqueKeysWithValues: spellings.map { ($1, $0) })
    private static let texts = Dictionary(uniqueKeysWithValues: spellings.map { ($0, $1) })

    /// Creates the type with a spelling.
    public init(spelling: String) { self = Self.types[spelling] ?? .other(spelling) }

    /// The spelling of the type in a file.
    public var spelling: String {
      if case .other(let spelling) = self { return spelling }
      return Self.texts[self] ?? "Undefined"
    }

    /// Whether it is a whole number.
    public var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
  }
}
