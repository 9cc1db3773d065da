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

/// A conflict of two live models of one type with the same identifier in one scope.
///
/// The first model stays registered under the identifier, and every read finds it. The second is reported to
/// ``ModelScope/conflictHandler``. It is registered once the first is deallocated or has another identifier.
public struct IdentityConflict: CustomStringConvertible {
  /// The model that is registered under the identifier.
  public let canonical: ModelObject
  /// The model that got the same identifier later.
  public let other: ModelObject
  /// The identifier.
  public let identifier: String

  /// The conflict, the state that is kept, and the remedy.
  public var description: String {
    """
    Two live models of \(canonical.layout.typeName) have the identifier \(identifier.quotedForMessage). The first one \
    stays registered; give the other one an identifier of its own, or use canonicalInstance(in:).
    """
  }

  static func writeToStandardError(_ conflict: IdentityConflict) {
    _ = "ModelKit: \(conflict)\n".withCString { write(2, $0, strlen($0)) }
  }
}
