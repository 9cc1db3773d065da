@_spi(ModelKitInternals) public import FieldKit

/// What a rule about several fields found: which fields are to blame for what.
struct ModelRuleFailure {
  let fields: [AnyField]
  let violation: RuleViolation
}

extension ModelIsolation where Self: ModelObject {
  /// Adds a rule about several fields of this model. Declare it in `init`:
  ///
  /// ```swift
  /// final class Event: Model {
  ///   let start = Field<Date>()
  ///   let end = Field<Date>()
  ///   required init() {
  ///     super.init()
  ///     requireAll(start, end, blaming: [end], message: "must not be before start") { $0 <= $1 }
  ///   }
  /// }
  /// ```
  ///
  /// The rule is checked by ``validate()`` after the rules of the single fields, if all the fields have values; whether they
  /// have to is for the fields to say, with `requireNotNil()`. The message goes to the fields that are blamed, and is
  /// forgotten there as soon as they are set.
  ///
  /// - Parameters:
  ///   - fields: the fields whose values the rule needs.
  ///   - blamed: the fields that are invalid if the rule is broken. Nil: all that the rule needs.
  ///   - code: a stable name for the kind of rule.
  ///   - message: what is wrong, as the end of a sentence about the field.
  ///   - test: gets the values; returns whether they go together. Don't capture the model: it keeps the rule.
  public func requireAll<each Value>(
    _ fields: repeat Field<each Value>, blaming blamed: [AnyField]? = nil, code: String = "custom",
    message: String = "is invalid", test: @escaping (repeat each Value) -> Bool
  ) {
    var needed: [AnyField] = []
    for field in repeat each fields { needed.append(field) }
    let culprits = blamed ?? needed
    let values = ValuesOfFields(fields: (repeat each fields), test: test)
    detailsForWriting.rules.append {
      if values.goTogether() { return nil }
      return ModelRuleFailure(fields: culprits, violation: RuleViolation(code: code, message: message))
    }
  }
}

/// Fields and what is asked of their values. A type of its own: Swift 6.3 crashes over a closure that captures a pack.
private struct ValuesOfFields<each Value> {
  let fields: (repeat Field<each Value>)
  let test: (repeat each Value) -> Bool

  private struct Missing: Error {}

  /// Whether a value is missing, or all pass the test.
  func goTogether() -> Bool {
    func value<One>(of field: Field<One>) throws -> One {
      guard let value = field.value else { throw Missing() }
      return value
    }
    do {
      return test(repeat try value(of: each fields))
    } catch {
      return true
    }
  }
}
