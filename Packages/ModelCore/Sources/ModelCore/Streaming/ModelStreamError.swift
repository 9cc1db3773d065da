@_spi(ModelKitInternals) import FieldKit

/// Why a stream of models ended before its end, or which element of it was skipped.
///
/// ```swift
/// do { for try await person in Person.stream(fromJSON: url, at: "people") { … } } catch { print(error) }
/// // Element 41 (line 42, column 3, byte 8204) can't be read: people[41].age: expected an integer, found the string "x".
/// // 41 elements were delivered before it.
/// ```
public struct ModelStreamError: Error, CustomStringConvertible {
  /// What kind of mistake it is. More may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the mistake, the same as that of the constant.
    public let name: String

    /// Makes a code of a name, which equals every other code of that name.
    public init(_ name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// The bytes are not JSON, or there is no list where one is to be read. The cause is a `JSONSyntaxError`.
    public static let invalidJSON = Self("invalidJSON")
    /// The bytes end inside of the document. The cause is a `JSONSyntaxError`.
    public static let truncated = Self("truncated")
    /// An element is JSON, but not what the model takes. The cause is a ``ModelDecodingError``.
    public static let invalidElement = Self("invalidElement")
    /// A limit of the options was passed. The cause is a `JSONSyntaxError`.
    public static let tooLarge = Self("tooLarge")
    /// The file can't be read.
    public static let unreadable = Self("unreadable")
  }

  /// The kind of mistake.
  public let code: Code
  /// The position of the element in the list, or among the lines that are not blank; nil if the mistake is outside of them.
  public let index: Int?
  /// How many elements were delivered before.
  public let deliveredCount: Int
  /// The number of bytes before the mistake, or before the element that is refused.
  public let offset: Int
  /// The line of ``offset``, from 1.
  public let line: Int
  /// The character in the line, from 1.
  public let column: Int
  /// What was wrong, without a full stop.
  public let message: String
  /// The error that the reading of a whole document would throw, if there is one.
  public let cause: (any Error)?

  /// A sentence that tells what was wrong and where, and one that tells what was delivered.
  public var description: String {
    let message = message.wordsForMessage(atMost: 700)
    let place = "line \(line), column \(column), byte \(offset)"
    let what =
      switch code {
      case .unreadable: message
      case .truncated: "The document is cut off at \(place): \(message)"
      default:
        if let index {
          "Element \(index) (\(place)) can't be read: \(message)"
        } else if (cause as? JSONSyntaxError)?.code == .missingArray {
          "This document does not fit at \(place): \(message)"
        } else {
          "Invalid JSON at \(place): \(message)"
        }
      }
    let delivered =
      switch deliveredCount {
      case 0: "No element was delivered before it"
      case 1: "1 element was delivered before it"
      default: "\(deliveredCount) elements were delivered before it"
      }
    return "\(what). \(delivered)."
  }
}
