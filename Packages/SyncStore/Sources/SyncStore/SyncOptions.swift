/// The choices of a ``SyncModelStore``.
///
/// ```swift
/// // A server that assigns the identifiers of notes, which are strings:
/// let options = SyncOptions(isTemporary: { type, identifier in type == "Note" && identifier.count == 36 })
/// ```
public struct SyncOptions: Sendable {
  /// The clock and the sources of random values.
  public var environment: SyncEnvironment
  /// Returns whether an identifier is made up until the server assigns another one: of a type, and the identifier.
  public var isTemporary: @Sendable (_ type: String, _ identifier: String) -> Bool

  /// Creates options.
  ///
  /// - Parameters:
  ///   - environment: the clock and the sources of random values.
  ///   - isTemporary: returns whether an identifier is made up until the server assigns another one. By default these are the
  ///     negative integers, which is what the store assigns. Other identifiers are sent with the record.
  public init(
    environment: SyncEnvironment = .system,
    isTemporary: @escaping @Sendable (_ type: String, _ identifier: String) -> Bool = { _, identifier in
      identifier.utf8.first == UInt8(ascii: "-") && Int(identifier) != nil
    }
  ) {
    self.environment = environment
    self.isTemporary = isTemporary
  }
}
