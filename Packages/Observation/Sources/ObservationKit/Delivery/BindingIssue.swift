#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A ring of observers that did not settle, so that its notifications were dropped.
///
/// Bindings end by themselves. Closures that set their own observable to something else each time never settle. After
/// ``deliveryLimit`` rounds within one set the remaining notifications are dropped: the last value stays, and the issue
/// is reported to ``handler``.
///
/// ```swift
/// BindingIssue.handler = { issue in print(issue) }
/// ```
public struct BindingIssue: Sendable, CustomStringConvertible {
  /// The type of the value that did not settle.
  public let valueType: Any.Type
  /// The number of rounds that were delivered.
  public let passes: Int

  /// The maximum number of delivery rounds that one set may cause.
  public static let deliveryLimit = 100_000

  /// A message with the cause, the state that was kept, and the remedy.
  public var description: String {
    let subject = valueType == Any.self ? "Values set in a transaction" : "A value of type \(valueType)"
    return """
      \(subject) did not settle after \(passes) rounds: observers set it again in each. The last value is kept and \
      further notifications are dropped; look for two observers that set each other's values.
      """
  }

  /// The closure that receives issues, on the thread that set the value. By default it writes the description to
  /// standard error.
  public static var handler: @Sendable (BindingIssue) -> Void {
    get { currentHandler.withLock { $0.call } }
    set { currentHandler.withLock { $0.call = newValue } }
  }

  /// A handler. A lock of the closure itself would wrap it once more at each access, until a call overflows the stack.
  private struct Handler {
    var call: @Sendable (BindingIssue) -> Void
  }

  private static let currentHandler = Lock(
    Handler { issue in
      _ = "ModelKit: \(issue)\n".withCString { write(2, $0, strlen($0)) }
    })

  static func report(valueType: Any.Type) { handler(BindingIssue(valueType: valueType, passes: deliveryLimit)) }
}
