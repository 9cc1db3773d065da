extension Rule where Value: Comparable {
  /// The value lies in a range: closed, half-open or one-sided.
  public static func range<Range: RangeExpression>(_ range: Range) -> Rule where Range.Bound == Value {
    let bounds = RuleBounds(range)
    return Rule(code: "range", arguments: bounds.arguments, message: "is required") { value in
      range.contains(value) ? nil : bounds.violation(of: value, subject: "")
    }
  }
}

extension Rule where Value == String {
  /// The text has as many characters (grapheme clusters) as the range says.
  public static func length<Range: RangeExpression>(_ range: Range) -> Rule where Range.Bound == Int {
    let bounds = RuleBounds(range)
    return Rule(code: "length", arguments: bounds.arguments, message: "is required") { value in
      let count = value.count
      return range.contains(count) ? nil : bounds.violation(of: count, subject: "length ")
    }
  }
}

extension Rule {
  /// The array has as many elements as the range says.
  public static func count<Range: RangeExpression, Element>(_ range: Range) -> Rule
  where Value == [Element], Range.Bound == Int {
    let bounds = RuleBounds(range)
    return Rule(code: "count", arguments: bounds.arguments, message: "is required") { value in
      range.contains(value.count) ? nil : bounds.violation(of: value.count, subject: "count ")
    }
  }
}

/// The two ends of any range expression, for the messages of rules.
private struct RuleBounds<Bound: Comparable> {
  var minimum: Bound?
  var maximum: Bound?
  var excludesMaximum = false

  init(_ range: some RangeExpression<Bound>) {
    switch range {
    case let range as ClosedRange<Bound>: (minimum, maximum) = (range.lowerBound, range.upperBound)
    case let range as Range<Bound>:
      (minimum, maximum, excludesMaximum) = (range.lowerBound, range.upperBound, true)
    case let range as PartialRangeFrom<Bound>: minimum = range.lowerBound
    case let range as PartialRangeThrough<Bound>: maximum = range.upperBound
    case let range as PartialRangeUpTo<Bound>: (maximum, excludesMaximum) = (range.upperBound, true)
    default: break
    }
  }

  var arguments: AttributeDictionary {
    var arguments: AttributeDictionary = [:]
    if let minimum { arguments["minimum"] = Self.json(minimum) }
    if let maximum { arguments[excludesMaximum ? "below" : "maximum"] = Self.json(maximum) }
    return arguments
  }

  private static func json(_ bound: Bound) -> JSONValue {
    switch bound {
    case let bound as Int: .int(bound)
    case let bound as Double: .double(bound)
    default: .string(String(describing: bound))
    }
  }

  func violation(of value: Bound, subject: String) -> String {
    if let minimum, let maximum, minimum == maximum, !excludesMaximum {
      return "\(subject)must be equal to \(minimum)"
    }
    if let minimum, value < minimum { return "\(subject)must be greater than or equal to \(minimum)" }
    if let maximum {
      return excludesMaximum
        ? "\(subject)must be less than \(maximum)" : "\(subject)must be less than or equal to \(maximum)"
    }
    return "\(subject)is out of range"
  }
}
