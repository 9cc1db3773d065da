/// The result of the last validation.
///
/// ```swift
/// let age = Field(7).require(.range(18...))
/// assert(age.validate() == .invalid(["must be greater than or equal to 18"]))
/// ```
public enum ValidationState: Hashable, Sendable {
  /// Not validated since the value was last set. Neither valid nor invalid.
  case unknown
  /// Broken rules, one message each, in the order of the rules.
  case invalid([String])
  /// Every rule holds.
  case valid

  /// Whether validation ran and found nothing wrong.
  public var isValid: Bool { self == .valid }

  /// Whether validation ran and found something wrong.
  public var isInvalid: Bool { if case .invalid = self { true } else { false } }

  /// The messages of `invalid`; empty otherwise.
  public var messages: [String] { if case .invalid(let messages) = self { messages } else { [] } }
}
