@_spi(ModelKitInternals) import FieldKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A programming error in a call that can't throw, reported without ending the program.
///
/// Examples are a subscript set to a value of another type, and an observer of a missing field. The model is
/// unchanged. For values from outside the program use ``ModelIsolation/set(_:at:)``, which throws.
///
/// ```swift
/// ModelIssue.handler = { issue in print(issue) }
/// person["aeg"] = 7  // aeg was not set: Person has no field "aeg".
/// ```
public struct ModelIssue: Sendable, CustomStringConvertible {
  /// The underlying error, such as a `FieldError`.
  public let error: any Error

  /// A message with the failure and the state that is kept.
  public var description: String { "\(error)" }

  /// The closure that receives issues. The default writes the description to standard error. It is called on the thread
  /// that made the mistake.
  public static var handler: @Sendable (ModelIssue) -> Void {
    get { currentHandler.withLock { $0.call } }
    set { currentHandler.withLock { $0.call = newValue } }
  }

  /// A handler. A lock of the closure itself would wrap it once more at each access, until a call overflows the stack.
  private struct Handler {
    var call: @Sendable (ModelIssue) -> Void
  }

  private static let currentHandler = Lock(Handler { write($0.description) })

  /// Writes a line to standard error.
  static func write(_ text: String) {
    _ = "ModelKit: \(text)\n".withCString { bytes in
      #if canImport(Darwin)
        Darwin.write(2, bytes, strlen(bytes))
      #elseif canImport(Glibc)
        Glibc.write(2, bytes, strlen(bytes))
      #elseif canImport(Musl)
        Musl.write(2, bytes, strlen(bytes))
      #elseif canImport(Android)
        Android.write(2, bytes, strlen(bytes))
      #endif
    }
  }

  /// Reports an error to the handler.
  @_spi(ModelKitInternals)
  public static func report(_ error: any Error) { handler(ModelIssue(error: error)) }
}
