/// The contents of a rule. Immutable, so that rules and threads may share it if its `check` captures Sendable values
/// only.
@usableFromInline
final class RuleBody<Value> {
  let code: String
  let arguments: AttributeDictionary
  let allowsNil: Bool
  /// The message for a missing value.
  let nilMessage: String
  /// The message for all violations, if one was set.
  let message: String?
  let check: (Value) -> RuleFailure?
  /// Whether all rules that are created alike share this body. Set before any other code has a reference, so that there
  /// is no conflicting access to check for.
  @exclusivity(unchecked) @usableFromInline var isShared = false

  init(
    code: String, arguments: AttributeDictionary = [:], allowsNil: Bool = true, nilMessage: String = "is required",
    message: String? = nil, check: @escaping (Value) -> RuleFailure?
  ) {
    self.code = code
    self.arguments = arguments
    self.allowsNil = allowsNil
    self.nilMessage = nilMessage
    self.message = message
    self.check = check
  }

  func saying(_ message: String) -> RuleBody {
    RuleBody(
      code: code, arguments: arguments, allowsNil: allowsNil, nilMessage: nilMessage, message: message, check: check)
  }

  func allowingNil(_ allowsNil: Bool) -> RuleBody {
    RuleBody(
      code: code, arguments: arguments, allowsNil: allowsNil, nilMessage: nilMessage, message: message, check: check)
  }
}

/// The violation of a rule by a value.
struct RuleFailure {
  var message: String
  var detail: String?
}
