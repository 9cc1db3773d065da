extension Rule {
  /// A rule that there is a value. Message: `is required`.
  @inlinable
  public static var notNil: Rule {
    let key = InternKey.Numbers(.notNil, type: Value.self)
    return known(key) ?? .notNil(for: key)
  }

  @usableFromInline
  static func notNil(for key: InternKey.Numbers) -> Rule {
    .shared(key) { RuleBody(code: "notNil", allowsNil: false) { _ in nil } }
  }
}

extension Rule where Value: Blankable {
  /// A rule that there is a value that is not blank: no text that is empty or only white space, no empty list.
  ///
  /// Message, for a missing value too: `cannot be blank`.
  @inlinable
  public static var notBlank: Rule { .notBlankValue }

  @inlinable
  static var notBlankValue: Rule {
    let key = InternKey.Numbers(.notBlank, type: Value.self)
    return known(key) ?? .notBlank(for: key)
  }

  @usableFromInline
  static func notBlank(for key: InternKey.Numbers) -> Rule {
    .shared(key) {
      RuleBody(code: "notBlank", allowsNil: false, nilMessage: "cannot be blank") {
        $0.isBlank ? RuleFailure(message: "cannot be blank") : nil
      }
    }
  }
}

extension Rule where Value == String {
  /// A rule that the text has a character that is not white space.
  ///
  /// Message, for a missing text too: `cannot be blank`. Declared in addition to the rule for all blankable values, so
  /// that `Rule.notBlank` alone refers to texts.
  @inlinable
  public static var notBlank: Rule { .notBlankValue }
}

extension Rule where Value: Equatable {
  /// Returns a rule that the value is one of those given. A missing value passes. Message: `must be one of S, M, L`.
  ///
  /// ```swift
  /// let size = Field<String>().require(.oneOf("S", "M", "L"))
  /// ```
  public static func oneOf(_ values: Value...) -> Rule { .oneOf(values) }

  /// Returns a rule that the value is one of a list. A missing value passes. Message: `must be one of S, M, L`.
  ///
  /// To replace other values when they are set, rather than report them, give the field a domain.
  ///
  /// - Complexity: O(*n*) for every check, where *n* is the number of values.
  public static func oneOf(_ values: [Value]) -> Rule {
    let make = {
      let names = values.map { String(describing: $0) }.joined(separator: ", ")
      return RuleBody<Value>(code: "oneOf", arguments: ["values": .array(values.map { ruleArgument($0) })]) {
        values.contains($0) ? nil : RuleFailure(message: "must be one of \(names)")
      }
    }
    guard let text = identity(of: values) else { return Rule(body: make()) }
    return .shared(InternKey(.init(.oneOf, type: Value.self), text, nil), make: make)
  }

  /// Returns a text that identifies the values, for types that are known to be immutable.
  private static func identity(of values: [Value]) -> String? {
    if let texts = values as? [String] {
      return texts.reduce(into: "") { $0 += "\($1.utf8.count):\($1)" }
    }
    if let numbers = values as? [Int] { return numbers.reduce(into: "") { $0 += "\($1)," } }
    return nil
  }
}
