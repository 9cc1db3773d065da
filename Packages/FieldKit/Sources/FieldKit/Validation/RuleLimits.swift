#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The bounds of any range expression.
@frozen
@usableFromInline
struct RuleLimits<Bound: Comparable> {
  @usableFromInline let minimum: Bound?
  @usableFromInline let maximum: Bound?
  @usableFromInline let excludesMaximum: Bool
  /// The test for ranges whose bounds are not known.
  @usableFromInline let contains: ((Bound) -> Bool)?

  // Inlined, so that the casts are removed if the type of the range is known at compile time.
  @inlinable
  init<Bounds: RangeExpression>(_ range: Bounds) where Bounds.Bound == Bound {
    var minimum: Bound?
    var maximum: Bound?
    var excludesMaximum = false
    var contains: ((Bound) -> Bool)?
    if let range = range as? ClosedRange<Bound> {
      minimum = range.lowerBound
      maximum = range.upperBound
    } else if let range = range as? Range<Bound> {
      minimum = range.lowerBound
      maximum = range.upperBound
      excludesMaximum = true
    } else if let range = range as? PartialRangeFrom<Bound> {
      minimum = range.lowerBound
    } else if let range = range as? PartialRangeThrough<Bound> {
      maximum = range.upperBound
    } else if let range = range as? PartialRangeUpTo<Bound> {
      maximum = range.upperBound
      excludesMaximum = true
    } else {
      contains = { range.contains($0) }
    }
    self.minimum = minimum
    self.maximum = maximum
    self.excludesMaximum = excludesMaximum
    self.contains = contains
  }

  /// Returns the key of a rule with these limits, if they are numbers or dates.
  @inlinable
  func key(_ kind: InternKey.Kind, type: Any.Type) -> InternKey.Numbers? {
    if contains != nil { return nil }
    let variant: UInt64 = (minimum == nil ? 0 : 1) | (maximum == nil ? 0 : 2) | (excludesMaximum ? 4 : 0)
    var words: (UInt64, UInt64) = (0, 0)
    if let minimum {
      guard let word = Self.word(minimum) else { return nil }
      words.0 = word
    }
    if let maximum {
      guard let word = Self.word(maximum) else { return nil }
      words.1 = word
    }
    return InternKey.Numbers(kind, variant: variant, type: type, first: words.0, second: words.1)
  }

  /// Returns the bits of a bound, if its type is known to be immutable and small.
  @inlinable
  static func word(_ bound: Bound) -> UInt64? {
    if Bound.self == Int.self { return UInt64(truncatingIfNeeded: unsafeBitCast(bound, to: Int.self)) }
    if Bound.self == Double.self { return unsafeBitCast(bound, to: Double.self).bitPattern }
    if Bound.self == Float.self { return UInt64(unsafeBitCast(bound, to: Float.self).bitPattern) }
    if Bound.self == Date.self {
      return unsafeBitCast(bound, to: Date.self).timeIntervalSinceReferenceDate.bitPattern
    }
    if Bound.self == Int64.self { return UInt64(bitPattern: unsafeBitCast(bound, to: Int64.self)) }
    if Bound.self == Int32.self { return UInt64(truncatingIfNeeded: unsafeBitCast(bound, to: Int32.self)) }
    if Bound.self == Int16.self { return UInt64(truncatingIfNeeded: unsafeBitCast(bound, to: Int16.self)) }
    if Bound.self == Int8.self { return UInt64(truncatingIfNeeded: unsafeBitCast(bound, to: Int8.self)) }
    if Bound.self == UInt.self { return UInt64(unsafeBitCast(bound, to: UInt.self)) }
    if Bound.self == UInt64.self { return unsafeBitCast(bound, to: UInt64.self) }
    if Bound.self == UInt32.self { return UInt64(unsafeBitCast(bound, to: UInt32.self)) }
    if Bound.self == UInt16.self { return UInt64(unsafeBitCast(bound, to: UInt16.self)) }
    if Bound.self == UInt8.self { return UInt64(unsafeBitCast(bound, to: UInt8.self)) }
    return nil
  }
}

extension RuleLimits {
  /// Returns the key of a rule with these limits, if they are texts.
  func textKey(_ kind: InternKey.Kind, type: Any.Type) -> InternKey? {
    guard Bound.self == String.self, contains == nil else { return nil }
    return InternKey(
      .init(kind, variant: excludesMaximum ? 4 : 0, type: type), minimum as? String, maximum as? String)
  }

  var arguments: AttributeDictionary {
    var arguments: AttributeDictionary = [:]
    if let minimum { arguments["minimum"] = ruleArgument(minimum) }
    if let maximum { arguments[excludesMaximum ? "below" : "maximum"] = ruleArgument(maximum) }
    return arguments
  }

  /// Returns the violation of the limits by a value, or nil.
  ///
  /// - Parameter subject: the beginning of the message, such as `"length "`.
  func failure(of value: Bound, subject: String) -> RuleFailure? {
    if let contains {
      return contains(value) ? nil : RuleFailure(message: "\(subject)is out of range")
    }
    let isTooSmall = minimum.map { !(value >= $0) } ?? false
    let isTooLarge = maximum.map { excludesMaximum ? !(value < $0) : !(value <= $0) } ?? false
    guard isTooSmall || isTooLarge else { return nil }
    if let minimum, let maximum, minimum == maximum, !excludesMaximum {
      return RuleFailure(message: "\(subject)must be equal to \(minimum)", detail: "equal")
    }
    if isTooSmall, let minimum {
      return RuleFailure(message: "\(subject)must be greater than or equal to \(minimum)", detail: "minimum")
    }
    guard let maximum else { return nil }
    return excludesMaximum
      ? RuleFailure(message: "\(subject)must be less than \(maximum)", detail: "below")
      : RuleFailure(message: "\(subject)must be less than or equal to \(maximum)", detail: "maximum")
  }
}

/// Returns an argument of a rule as JSON. A value without JSON form becomes text.
func ruleArgument(_ value: Any) -> JSONValue {
  switch value {
  case let value as Int: return .int(value)
  case let value as Double where value.isFinite: return .double(value)
  case let value as Float where value.isFinite: return .double(Double(value.description) ?? Double(value))
  case let value as any BinaryInteger: return .number(JSONNumber(validated: String(describing: value)))
  case let value as Decimal:
    if let number = JSONNumber(value.description) { return .number(number) }
    return .string(value.description)
  case let value as Date:
    if let text = try? ISO8601Text.text(from: value) { return .string(text) }
    return .string(String(describing: value))
  default: return .string(String(describing: value))
  }
}
