@_spi(ModelKitInternals) import FieldKit

/// The reason why a stream of models ended early, or why one of its elements was skipped.
///
/// ```swift
/// do {
///   for try await person in Person.stream(fromJSON: url, at: "people") { … }
/// } catch {
///   print(error)
/// }
/// // Element 41 (line 42, column 3, byte 8204) can't be read: people[41].age:
/// // expected an integer, found the string "x".
/// // 41 elements were delivered before it.
/// ```
public struct ModelStreamError: Error, CustomStringConvertible {
  /// The kind of the error. More may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the error, the same as that of the constant.
    public let name: String

    /// Creates a code with a name, which equals every other code with that name.
    public init(_ name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// The bytes are not JSON, or there is no list where one is to be read. The cause is a `JSONSyntaxError`.
    public static let invalidJSON = Self("invalidJSON")
    /// The bytes end inside the document. The cause is a `JSONSyntaxError`.
    public static let truncated = Self("truncated")
    /// An element is valid JSON, but the model rejects it. The cause is a ``ModelDecodingError``.
    public static let invalidElement = Self("invalidElement")
    /// A limit of the options was exceeded. The cause is a `JSONSyntaxError`.
    public static let tooLarge = Self("tooLarge")
    /// The file can't be read.
    public static let unreadable = Self("unreadable")
  }

  /// The kind of the error.
  public let code: Code
  /// The index of the element in the list, or of its line without counting blank lines; nil if the error is in no
  /// element.
  public let index: Int?
  /// The number of elements delivered before the error.
  public let deliveredCount: Int
  /// The number of bytes before the error, or before the rejected element.
  public let offset: Int
  /// The line of ``offset``, from 1.
  public let line: Int
  /// The character in the line, from 1.
  public let column: Int
  /// The reason, without a full stop.
  public let message: String
  /// The error that reading the whole document would throw, if there is one.
  public let cause: (any Error)?

  /// A sentence with the reason and the position, and one with the number of delivered elements.
  public var description: String {
    let message = message.shortenedForMessage(atMost: 700)
    let place = "line \(line), column \(column), byte \(offset)"
    let what =
      switch code {
      case .unreadable: message
      case .truncated: "The document is cut off at \(place): \(message)"
      default:
        if let index {
          "Element \(index) (\(place)) can't be read: \(message)"
        } else if (cause as? JSONSyntaxError)?.code == .missingArray {
          "The document has no list at \(place): \(message)"
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
