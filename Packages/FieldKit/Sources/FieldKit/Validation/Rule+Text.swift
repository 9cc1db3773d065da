extension Rule where Value == String {
  /// The text is there and not empty. White space counts as text.
  public static var notBlank: Rule {
    Rule(code: "notBlank", message: "cannot be blank", allowsNil: false) { !$0.isEmpty }
  }

  /// The whole text matches a regular expression.
  ///
  /// Matching backtracks, so some patterns take exponential time on some texts. Longer texts than `maximumLength` are
  /// refused without matching; a hostile pattern is still the caller's risk.
  ///
  /// - Parameters:
  ///   - pattern: the regular expression.
  ///   - maximumLength: the longest text to match, in characters.
  public static func matching<Output>(_ pattern: Regex<Output>, maximumLength: Int = 1_000) -> Rule {
    Rule(
      code: "matching", arguments: ["maximumLength": .int(maximumLength)], message: "is required"
    ) { value in
      if value.count > maximumLength { return "is too long to be checked (more than \(maximumLength) characters)" }
      return (try? pattern.wholeMatch(in: value)) == nil ? "does not have the right form" : nil
    }
  }

  /// Every character is one of the given ones.
  public static func characters(in allowed: String) -> Rule {
    let characters = Set(allowed)
    return Rule(code: "characters", arguments: ["in": .string(allowed)], message: "contains invalid characters") {
      $0.allSatisfy(characters.contains)
    }
  }
}
