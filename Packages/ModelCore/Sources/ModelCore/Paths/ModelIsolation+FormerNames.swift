public import FieldKit

// What the libraries that this one follows called things: the compiler says what they are called here.

extension ModelIsolation where Self: ModelObject {
  /// `field(at:)` finds the field at a path.
  @available(*, unavailable, renamed: "field(at:)")
  public func fieldForKeyPath(_ path: FieldPath) -> AnyField? { field(at: path) }
}
