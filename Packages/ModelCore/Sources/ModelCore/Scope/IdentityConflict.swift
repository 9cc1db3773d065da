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

/// Two live models of one type came to have the same identifier in one scope.
///
/// The first one stays the object for it, and everything that is read finds that one. The second is told to
/// ``ModelScope/conflictHandler``; it takes the first one's place once that is gone or has another identifier.
public struct IdentityConflict: CustomStringConvertible {
  /// The model that had the identifier, and stays the object for it.
  public let canonical: ModelObject
  /// The model that came to have the same one.
  public let other: ModelObject
  /// The identifier.
  public let identifier: String

  /// What was wrong, what was kept, and what to do.
  public var description: String {
    """
    Two live models of \(canonical.layout.typeName) have the identifier \(identifier.quotedForMessage). The one that had it first stays \
    the object for it; give the other one an identifier of its own, or use canonicalInstance(in:).
    """
  }

  static func writeToStandardError(_ conflict: IdentityConflict) {
    _ = "ModelKit: \(conflict)\n".withCString { write(2, $0, strlen($0)) }
  }
}
