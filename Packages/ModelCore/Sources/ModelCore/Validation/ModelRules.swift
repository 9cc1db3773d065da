@_spi(ModelKitInternals) public import FieldKit

/// The failure of a rule over several fields: the invalid fields and the violation.
struct ModelRuleFailure {
  let fields: [AnyField]
  let violation: RuleViolation
}

extension ModelIsolation where Self: ModelObject {
  /// Adds a rule over several fields of this model. Declare it in `init`:
  ///
  /// ```swift
  /// final class Event: Model {
  ///   let start = Field<Date>()
  ///   let end = Field<Date>()
  ///   required init() {
  ///     super.init()
  ///     requireAll(
  ///       start, end, blaming: [end], message: "must not be before start"
  ///     ) { $0 <= $1 }
  ///   }
  /// }
  /// ```
  ///
  /// The rule is checked by ``validate()`` after the rules of the single fields, if all its fields have values. Use
  /// `requireNotNil()` to require values. The message is an error of the blamed fields, and is removed when they are
  /// set.
  ///
  /// - Parameters:
  ///   - fields: the fields whose values the rule tests.
  ///   - blamed: the fields that are invalid if the rule is broken; nil for all fields of the rule.
  ///   - code: a stable name for the kind of rule.
  ///   - message: the error, as the end of a sentence about the field.
  ///   - test: receives the values; returns whether they are valid. Don't capture the model: it retains the rule.
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

/// Fields and the test of their values. A separate type, because Swift 6.3 crashes over a closure that captures a pack.
private struct ValuesOfFields<each Value> {
  let fields: (repeat Field<each Value>)
  let test: (repeat each Value) -> Bool

  private struct Missing: Error {}

  /// Returns whether a value is missing, or all pass the test.
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
