/// One thing that has to hold for a value to be valid.
///
/// A rule has a stable code and arguments beside its English message, so that an app can word its own.
///
/// ```swift
/// let even = Rule<Int>(code: "even", message: "must be even") { $0 % 2 == 0 }
/// let count = Field<Int>().require(even).require(.range(0...10))
/// ```
public struct Rule<Value> {
  /// What kind of rule this is, such as `range` or `notBlank`. Never changes between versions.
  public var code: String
  /// What the rule was told, such as `["minimum": 0, "maximum": 130]`.
  public var arguments: AttributeDictionary
  /// Whether a field without a value passes. Otherwise nil breaks the rule.
  public var allowsNil: Bool
  private let check: (Value) -> String?

  /// Creates a rule with one message.
  ///
  /// - Parameters:
  ///   - code: a stable name for the kind of rule.
  ///   - arguments: what the rule compares with.
  ///   - message: what to say when the rule is broken, as the end of a sentence about the field.
  ///   - allowsNil: whether a field without a value passes.
  ///   - test: returns whether the value passes.
  public init(
    code: String = "custom", arguments: AttributeDictionary = [:], message: String = "is invalid",
    allowsNil: Bool = true, test: @escaping (Value) -> Bool
  ) {
    self.init(code: code, arguments: arguments, allowsNil: allowsNil, message: message) {
      test($0) ? nil : message
    }
  }

  /// Creates a rule whose message depends on the value.
  init(
    code: String, arguments: AttributeDictionary, allowsNil: Bool = true, message: String,
    check: @escaping (Value) -> String?
  ) {
    self.code = code
    self.arguments = arguments
    self.allowsNil = allowsNil
    self.message = message
    self.check = check
  }

  /// What the rule says of a missing value.
  let message: String

  /// The message for a value that breaks the rule, or nil if it passes.
  ///
  /// - Parameter value: the value to judge; nil is judged by ``allowsNil`` alone.
  public func violation(of value: Value?) -> String? {
    if let value { check(value) } else { allowsNil ? nil : message }
  }
}
