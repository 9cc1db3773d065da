extension Rule {
  /// Returns a rule about a value that is derived from the field's value.
  ///
  /// ```swift
  /// let name = Field<String>().require(
  ///   .derived("first letter", { $0.first }, satisfies: .range("A"..."Z")))
  /// name.value = "ada"
  /// print(name.validate().messages)
  /// // ["first letter must be less than or equal to Z"]
  /// ```
  ///
  /// The violation has the code and the arguments of the inner rule, and the name as the argument `of`. A missing value
  /// passes. If nothing can be derived from a value, the inner rule's ``allowsNil`` decides.
  ///
  /// - Parameters:
  ///   - name: the beginning of the message; nil to use the message of `rule` alone.
  ///   - derive: derives the value to check, or returns nil.
  ///   - rule: the rule for the derived value.
  public static func derived<Derived>(
    _ name: String?, _ derive: @escaping (Value) -> Derived?, satisfies rule: Rule<Derived>
  ) -> Rule {
    var arguments = rule.arguments
    if let name { arguments["of"] = .string(name) }
    return Rule(
      body: RuleBody(code: rule.code, arguments: arguments) { value in
        guard let violation = rule.violation(of: derive(value)) else { return nil }
        return RuleFailure(
          message: name.map { "\($0) \(violation.message)" } ?? violation.message, detail: violation.detail)
      })
  }
}
