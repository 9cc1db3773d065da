/// One broken rule of one field, with all that is needed to say it in another language or in other words.
///
/// ```swift
/// let age = Field(7).require(.range(18...))
/// age.validate()
/// for violation in age.violations {
///   switch (violation.code, violation.detail) {
///   case ("range", "minimum"): print("mindestens \(violation.arguments["minimum"] ?? nil)")
///   default: print(violation.message)
///   }
/// }
/// ```
public struct RuleViolation: Hashable, Sendable, CustomStringConvertible {
  /// What kind of rule was broken, such as `range`. Never changes between versions.
  ///
  /// The library's own are `range`, `length`, `count`, `notNil`, `notBlank`, `characters`, `matching`, `email`, `oneOf`,
  /// `custom` for rules of one's own that give no code, and `manual` for messages added by hand.
  public var code: String
  /// What the rule compares with, such as `["minimum": 0, "maximum": 130]`.
  public var arguments: AttributeDictionary
  /// What is wrong, in English, as the end of a sentence about the field, or what the declaration says instead.
  public var message: String
  /// In which of several ways the rule was broken; nil if there is only one.
  ///
  /// `minimum`, `maximum` and `below` name the end that was missed and are keys of ``arguments``; `equal` says that both
  /// ends are the same. `missing` means that there is no value, `tooLong` that a text was not even looked at.
  public var detail: String?
  /// The place of the element that breaks the rule, if the rule is about the elements of a list.
  public var index: Int?

  /// Describes what is wrong with a field.
  ///
  /// - Parameters:
  ///   - code: what kind of rule was broken.
  ///   - arguments: what the rule compares with.
  ///   - message: what is wrong, as the end of a sentence about the field.
  ///   - detail: in which way the rule was broken.
  ///   - index: the place of the element, for lists.
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

  /// The message, after the place of the element: `[2] cannot be blank`.
  public var description: String { index.map { "[\($0)] \(message)" } ?? message }

  func inElement(_ index: Int) -> RuleViolation {
    var violation = self
    violation.index = index
    return violation
  }
}
