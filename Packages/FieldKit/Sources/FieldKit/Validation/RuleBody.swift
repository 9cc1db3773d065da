/// What a rule is made of. Immutable, so that rules and threads may share it if its `check` is made of Sendable values.
@usableFromInline
final class RuleBody<Value> {
  let code: String
  let arguments: AttributeDictionary
  let allowsNil: Bool
  /// What is said of a missing value.
  let nilMessage: String
  /// What is said instead of everything else, if anything.
  let message: String?
  let check: (Value) -> RuleFailure?
  /// Whether all rules that are made alike have it together. Set before anybody else sees it, so that there is no
  /// conflicting access to check for.
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

/// In which way a value breaks a rule.
struct RuleFailure {
  var message: String
  var detail: String?
}
