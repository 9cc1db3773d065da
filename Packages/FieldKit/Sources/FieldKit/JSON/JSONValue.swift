/// A JSON value that crosses isolations and package borders: `Sendable`, `Hashable` and built from literals.
///
/// ```swift
/// var person: JSONValue = ["name": "Bob", "age": 42, "tags": ["red", "blue"]]
/// person["age"] = 43
/// person[path: "company.name"] = "Acme"
/// ```
///
/// Numbers keep their exact value. An integer that fits an `Int` is an ``int(_:)``. A number with a fraction or an
/// exponent that a `Double` spells in the same way is a ``double(_:)``. Every other number is a ``number(_:)``, which
/// keeps its digits.
///
/// Two values are equal when they denote the same value, in whichever case it is stored: `.int(1) == .double(1)`. A
/// `Double` denotes its shortest spelling that reads back to the same `Double`, so `.double(0.1)` is exactly one tenth.
///
/// Strings and keys are equal as Swift strings are: a precomposed letter equals the same letter with a combining
/// accent.
public enum JSONValue: Sendable {
  /// The JSON value `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// An integer that fits an `Int`.
  case int(Int)
  /// A number which this `Double` spells exactly. Infinity and not-a-number can be held and compared, but not written.
  case double(Double)
  /// A number that neither `Int` nor `Double` represents exactly, as the digits of its source.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// An array of values.
  case array([JSONValue])
  /// An object: unordered members with unique keys.
  case object([String: JSONValue])
}

/// The attributes of one model, by key.
public typealias AttributeDictionary = [String: JSONValue]

extension JSONValue {
  /// The six kinds of JSON values.
  public enum Kind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The value `null`.
    case null
    /// `true` or `false`.
    case bool
    /// Any number.
    case number
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object

    /// The kind with its article, as it is used in sentences: "a string", "an array".
    public var description: String {
      switch self {
      case .null: "null"
      case .bool: "a boolean"
      case .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    }
  }

  /// The kind of the JSON value.
  public var kind: Kind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .int, .double, .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// The type of the value with its article, for error messages: "a string", "an integer", "null".
  ///
  /// A number is "an integer" if ``intValue`` is not nil, else "a number".
  public var typeDescription: String {
    switch self {
    case .int: "an integer"
    case .double, .number: intValue == nil ? Kind.number.description : "an integer"
    default: kind.description
    }
  }
}
