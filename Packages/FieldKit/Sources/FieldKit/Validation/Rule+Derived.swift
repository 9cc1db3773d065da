extension Rule {
  /// Something made of the value keeps a rule.
  ///
  /// ```swift
  /// let name = Field<String>().require(.derived("first letter", { $0.first }, satisfies: .range("A"..."Z")))
  /// name.value = "ada"
  /// print(name.validate().messages)   // ["first letter must be less than or equal to Z"]
  /// ```
  ///
  /// The violation has the code and the arguments of the inner rule, and the name as the argument `of`. A missing value
  /// passes. If there is a value and nothing can be made of it, the inner rule's ``allowsNil`` decides.
  ///
  /// - Parameters:
  ///   - name: what the message begins with; nil if the message of `rule` says enough.
  ///   - derive: makes something of the value, or nil.
  ///   - rule: what has to hold for it.
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
