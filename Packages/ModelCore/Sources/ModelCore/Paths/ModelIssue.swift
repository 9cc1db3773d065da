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

/// A mistake in the use of a model that can't be thrown where it is made, and must not end the program: a subscript was set
/// to a value that does not fit, or an observer waits for a field that is not there.
///
/// Nothing was changed. Where the value comes from elsewhere, use ``ModelIsolation/set(_:at:)``, which throws.
///
/// ```swift
/// ModelIssue.handler = { issue in print(issue) }
/// person["aeg"] = 7  // aeg was not set: Person has no field "aeg".
/// ```
public struct ModelIssue: Sendable, CustomStringConvertible {
  /// What would have been thrown, such as a `FieldError`.
  public let error: any Error

  /// What was wrong, and what was kept.
  public var description: String { "\(error)" }

  /// What is done about an issue. Writes the description to standard error unless it is replaced; called on the thread
  /// that made the mistake.
  public static var handler: @Sendable (ModelIssue) -> Void {
    get { currentHandler.withLock { $0 } }
    set { currentHandler.withLock { $0 = newValue } }
  }

  private static let currentHandler = Lock<@Sendable (ModelIssue) -> Void> { write($0.description) }

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

  static func report(_ error: any Error) { handler(ModelIssue(error: error)) }
}
