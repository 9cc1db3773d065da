public import FieldKit

// The names that this library's predecessors used: the compiler suggests the current ones.

extension ModelIsolation where Self: ModelObject {
  /// The previous name of `field(at:)`, which returns the field at a path.
  @available(*, unavailable, renamed: "field(at:)")
  public func fieldForKeyPath(_ path: FieldPath) -> AnyField? { field(at: path) }
}
