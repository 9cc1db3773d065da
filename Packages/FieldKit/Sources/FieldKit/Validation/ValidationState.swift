/// The result of the last validation.
///
/// ```swift
/// let age = Field(7).require(.range(18...))
/// assert(age.validate() == .invalid(["must be greater than or equal to 18"]))
/// ```
public enum ValidationState: Hashable, Sendable {
  /// Not validated since the value was last set. Neither valid nor invalid.
  case unknown
  /// The messages of the violations, in the order of the rules.
  case invalid([String])
  /// All rules are met.
  case valid
  /// All rules are met but asynchronous ones, which are being checked.
  case validating

  /// Whether the value was validated without a violation.
  public var isValid: Bool { self == .valid }

  /// Whether the value was validated with a violation.
  public var isInvalid: Bool { if case .invalid = self { true } else { false } }

  /// The messages of `invalid`; empty otherwise.
  public var messages: [String] { if case .invalid(let messages) = self { messages } else { [] } }
}
