/// A condition that a value has to meet to be valid.
///
/// A rule has a stable code and arguments in addition to its English message, so that an app can word its own message.
/// The rules of the library are created once: fields that are declared alike share them.
///
/// ```swift
/// let even = Rule<Int>(code: "even", message: "must be even") { $0 % 2 == 0 }
/// let count = Field<Int>()
///   .require(even).require(.range(0...10).message("must fit in the box"))
/// ```
///
/// - Note: Not `Sendable`, because a test of your own may use anything in the isolation of the field.
public struct Rule<Value> {
  @usableFromInline let body: RuleBody<Value>

  @inlinable
  init(body: RuleBody<Value>) { self.body = body }

  /// Creates a rule with a test of your own.
  ///
  /// - Parameters:
  ///   - code: a stable name for the kind of rule.
  ///   - arguments: the values that the rule compares with.
  ///   - message: the message for a violation, as the end of a sentence about the field.
  ///   - allowsNil: whether a field without a value passes.
  ///   - test: returns whether the value passes.
  public init(
    code: String = "custom", arguments: AttributeDictionary = [:], message: String = "is invalid",
    allowsNil: Bool = true, test: @escaping (Value) -> Bool
  ) {
    body = RuleBody(code: code, arguments: arguments, allowsNil: allowsNil, nilMessage: message) {
      test($0) ? nil : RuleFailure(message: message)
    }
  }

  /// Returns the rule with a key, if it was created before. Inlined, because that is the common case.
  @inlinable
  static func known(_ key: InternKey.Numbers) -> Rule? {
    guard let body = sharedObject(for: key) else { return nil }
    return Rule(body: unsafeDowncast(body, to: RuleBody<Value>.self))
  }

  /// Returns a rule of the library.
  static func shared(_ key: InternKey.Numbers, make: () -> RuleBody<Value>) -> Rule {
    .shared(InternKey(key), make: make)
  }

  /// Returns a rule of the library.
  ///
  /// - Parameters:
  ///   - key: identifies the rule.
  ///   - make: creates the rule from immutable values that are safe in all threads.
  static func shared(_ key: InternKey, make: () -> RuleBody<Value>) -> Rule {
    Rule(
      body: InternTable.shared.object(for: key) { isShared in
        let body = make()
        body.isShared = isShared
        return body
      })
  }

  /// Returns a rule that is created once for all fields of a type, for rules of the library's other modules.
  ///
  /// - Parameters:
  ///   - code: a stable name for the kind of rule. Code and message together have to identify the test.
  ///   - message: the message for a violation, as the end of a sentence about the field.
  ///   - test: returns whether the value passes.
  @_spi(ModelKitInternals)
  public static func shared(code: String, message: String, test: @escaping @Sendable (Value) -> Bool) -> Rule {
    .shared(InternKey(.init(.ofAnotherModule, type: Value.self), code, message)) {
      RuleBody(code: code, nilMessage: message) { test($0) ? nil : RuleFailure(message: message) }
    }
  }

  /// The code of the rule, such as `range` or `notBlank`. Stable between versions.
  public var code: String { body.code }

  /// The arguments of the rule, such as `["minimum": 0, "maximum": 130]`.
  public var arguments: AttributeDictionary { body.arguments }

  /// Whether a field without a value passes. Otherwise nil violates the rule.
  public var allowsNil: Bool { body.allowsNil }

  /// Returns the same rule with another message for all its violations.
  ///
  /// - Parameter message: the end of a sentence about the field.
  public func message(_ message: String) -> Rule {
    guard body.isShared else { return Rule(body: body.saying(message)) }
    let key = InternKey(.init(.message, type: Value.self, first: InternKey.address(of: body)), message, nil)
    return .shared(key) { body.saying(message) }
  }

  /// Returns the same rule with another treatment of fields without a value.
  public func allowingNil(_ allowsNil: Bool) -> Rule {
    if body.allowsNil == allowsNil { return self }
    guard body.isShared else { return Rule(body: body.allowingNil(allowsNil)) }
    let key = InternKey.Numbers(.nilPolicy, type: Value.self, first: InternKey.address(of: body))
    return .shared(key) { body.allowingNil(allowsNil) }
  }

  /// Returns the violation of this rule by a value, or nil if the value passes.
  ///
  /// - Parameter value: the value to check; for nil, ``allowsNil`` alone decides.
  public func violation(of value: Value?) -> RuleViolation? {
    let failure: RuleFailure
    if let value {
      guard let found = body.check(value) else { return nil }
      failure = found
    } else {
      if body.allowsNil { return nil }
      failure = RuleFailure(message: body.nilMessage, detail: "missing")
    }
    return RuleViolation(
      code: body.code, arguments: body.arguments, message: body.message ?? failure.message, detail: failure.detail)
  }
}
