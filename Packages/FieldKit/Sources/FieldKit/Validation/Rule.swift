/// One thing that has to hold for a value to be valid.
///
/// A rule has a stable code and arguments beside its English message, so that an app can word its own. The rules that come
/// with the library are made once: fields that are declared alike share them.
///
/// ```swift
/// let even = Rule<Int>(code: "even", message: "must be even") { $0 % 2 == 0 }
/// let count = Field<Int>().require(even).require(.range(0...10).message("must fit in the box"))
/// ```
///
/// - Note: Not `Sendable`, because a test of one's own may use whatever lives where the field lives.
public struct Rule<Value> {
  @usableFromInline let body: RuleBody<Value>

  @inlinable
  init(body: RuleBody<Value>) { self.body = body }

  /// Creates a rule of one's own.
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
    body = RuleBody(code: code, arguments: arguments, allowsNil: allowsNil, nilMessage: message) {
      test($0) ? nil : RuleFailure(message: message)
    }
  }

  /// The rule with a key, if it was made before. Inlined, as what follows it when it was not is rare.
  @inlinable
  static func known(_ key: InternKey.Numbers) -> Rule? {
    guard let body = sharedObject(for: key) else { return nil }
    return Rule(body: unsafeDowncast(body, to: RuleBody<Value>.self))
  }

  /// A rule that comes with the library.
  static func shared(_ key: InternKey.Numbers, make: () -> RuleBody<Value>) -> Rule {
    .shared(InternKey(key), make: make)
  }

  /// A rule that comes with the library.
  ///
  /// - Parameters:
  ///   - key: what tells it from other rules.
  ///   - make: makes the rule of nothing but immutable values that are safe in all threads.
  static func shared(_ key: InternKey, make: () -> RuleBody<Value>) -> Rule {
    Rule(
      body: InternTable.shared.object(for: key) { isShared in
        let body = make()
        body.isShared = isShared
        return body
      })
  }

  /// A rule that is made once for all fields of a type, for rules of the library's other modules.
  ///
  /// - Parameters:
  ///   - code: a stable name for the kind of rule. With the message it has to say which test it is.
  ///   - message: what to say when the rule is broken, as the end of a sentence about the field.
  ///   - test: returns whether the value passes.
  @_spi(ModelKitInternals)
  public static func shared(code: String, message: String, test: @escaping @Sendable (Value) -> Bool) -> Rule {
    .shared(InternKey(.init(.ofAnotherModule, type: Value.self), code, message)) {
      RuleBody(code: code, nilMessage: message) { test($0) ? nil : RuleFailure(message: message) }
    }
  }

  /// What kind of rule this is, such as `range` or `notBlank`. Never changes between versions.
  public var code: String { body.code }

  /// What the rule was told, such as `["minimum": 0, "maximum": 130]`.
  public var arguments: AttributeDictionary { body.arguments }

  /// Whether a field without a value passes. Otherwise nil breaks the rule.
  public var allowsNil: Bool { body.allowsNil }

  /// The same rule that says something else when it is broken, in whatever way.
  ///
  /// - Parameter message: the end of a sentence about the field.
  public func message(_ message: String) -> Rule {
    guard body.isShared else { return Rule(body: body.saying(message)) }
    let key = InternKey(.init(.message, type: Value.self, first: InternKey.address(of: body)), message, nil)
    return .shared(key) { body.saying(message) }
  }

  /// The same rule with another opinion of fields without a value.
  public func allowingNil(_ allowsNil: Bool) -> Rule {
    if body.allowsNil == allowsNil { return self }
    guard body.isShared else { return Rule(body: body.allowingNil(allowsNil)) }
    let key = InternKey.Numbers(.nilPolicy, type: Value.self, first: InternKey.address(of: body))
    return .shared(key) { body.allowingNil(allowsNil) }
  }

  /// What is wrong with a value, or nil if it passes.
  ///
  /// - Parameter value: the value to judge; nil is judged by ``allowsNil`` alone.
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
