/// A violation of one rule by one field, with the code and the arguments for messages of your own.
///
/// ```swift
/// let age = Field(7).require(.range(18...))
/// age.validate()
/// for violation in age.violations {
///   switch (violation.code, violation.detail) {
///   case ("range", "minimum"):
///     print("mindestens \(violation.arguments["minimum"] ?? nil)")
///   default: print(violation.message)
///   }
/// }
/// ```
public struct RuleViolation: Hashable, Sendable, CustomStringConvertible {
  /// The code of the violated rule, such as `range`. Stable between versions.
  ///
  /// The codes of the library are `range`, `length`, `count`, `notNil`, `notBlank`, `characters`, `matching`, `email`
  /// and `oneOf`. Rules of your own without a code have `custom`, and messages added by an app `manual`.
  public var code: String
  /// The arguments of the rule, such as `["minimum": 0, "maximum": 130]`.
  public var arguments: AttributeDictionary
  /// The message in English, as the end of a sentence about the field, or the message given in the declaration.
  public var message: String
  /// The variant of the violation; nil if the rule has only one.
  ///
  /// `minimum`, `maximum` and `below` name the violated bound and are keys of ``arguments``. `equal` means that both
  /// bounds are the same, `missing` that there is no value, and `tooLong` that a text was too long to check.
  public var detail: String?
  /// The index of the violating element, if the rule is about the elements of a list.
  public var index: Int?

  /// Creates a violation.
  ///
  /// - Parameters:
  ///   - code: the code of the violated rule.
  ///   - arguments: the arguments of the rule.
  ///   - message: the message, as the end of a sentence about the field.
  ///   - detail: the variant of the violation.
  ///   - index: the index of the element, for lists.
  public init(
    code: String = "manual", arguments: AttributeDictionary = [:], message: String, detail: String? = nil,
    index: Int? = nil
  ) {
    self.code = code
    self.arguments = arguments
    self.message = message
    self.detail = detail
    self.index = index
  }

  /// The message, after the index of the element: `[2] cannot be blank`.
  public var description: String { index.map { "[\($0)] \(message)" } ?? message }

  func inElement(_ index: Int) -> RuleViolation {
    var violation = self
    violation.index = index
    return violation
  }
}
