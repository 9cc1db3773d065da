extension Rule where Value == String {
  /// Returns a rule that the whole text matches a regular expression. A missing text passes.
  ///
  /// Matching backtracks, so some patterns take exponential time on some texts. Texts longer than `maximumLength` are
  /// rejected without matching; a hostile pattern is still the caller's risk. Expressions can't be compared, so every
  /// field keeps its own rule.
  ///
  /// - Parameters:
  ///   - pattern: the regular expression.
  ///   - maximumLength: the longest text to match, in characters.
  public static func matching<Output>(_ pattern: Regex<Output>, maximumLength: Int = 1_000) -> Rule {
    Rule(
      body: RuleBody(code: "matching", arguments: ["maximumLength": .int(maximumLength)]) { value in
        if value.count > maximumLength {
          return RuleFailure(
            message: "is too long to be checked (more than \(maximumLength) characters)", detail: "tooLong")
        }
        return (try? pattern.wholeMatch(in: value)) == nil ? RuleFailure(message: "has the wrong format") : nil
      })
  }

  /// Returns a rule that every character occurs in a text. A missing or empty text passes.
  public static func characters(in allowed: String) -> Rule {
    .shared(InternKey(.init(.characters, type: String.self), allowed, nil)) {
      .characters(in: CharacterGroup(allowed))
    }
  }

  /// Returns a rule that every character is in a group. A missing or empty text passes.
  public static func characters(in allowed: CharacterGroup) -> Rule {
    .shared(InternKey(.init(.characters, type: String.self), allowed.text, nil)) { .characters(in: allowed) }
  }

  /// A rule that the text is an email address: `ada@example.org`. A missing text passes, an empty one does not.
  ///
  /// The text has one `@`, up to 64 bytes before it and a domain with a dot after it. It has 254 bytes at most, no
  /// white space and no empty part between dots. Letters of all languages are allowed. Quoted names (`"a b"@c.de`) and
  /// addresses without domain (`a@[127.0.0.1]`) are not. The rule does not check whether the address exists.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text, for any text.
  public static var email: Rule {
    .shared(InternKey.Numbers(.email, type: String.self)) {
      RuleBody(code: "email") {
        EmailSyntax.accepts($0) ? nil : RuleFailure(message: "must be an email address")
      }
    }
  }
}

extension RuleBody where Value == String {
  fileprivate static func characters(in allowed: CharacterGroup) -> RuleBody {
    RuleBody(code: "characters", arguments: ["in": .string(allowed.text)]) {
      $0.allSatisfy(allowed.contains) ? nil : RuleFailure(message: "contains invalid characters")
    }
  }
}
