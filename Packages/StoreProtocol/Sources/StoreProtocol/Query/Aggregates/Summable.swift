public import Foundation

/// A number that stores can add up, for `sum(_:of:where:)` and `average(_:of:where:)`.
///
/// ```swift
/// let total = try await store.sum(Expense.self, of: \.amount)
/// ```
public protocol Summable: Comparable {
  /// The type of an average: `Double` for integers.
  associatedtype Average

  /// The sum of no numbers.
  static var zero: Self { get }

  /// Returns the sum of two numbers, or nil if the type can't hold it exactly enough: an integer overflows, or a
  /// `Decimal` would lose digits.
  func adding(_ other: Self) -> Self?

  /// Returns this total divided by a count.
  func divided(by count: Int) -> Average
}

extension Summable where Self: FixedWidthInteger {
  /// Returns the sum, or nil if it overflows.
  public func adding(_ other: Self) -> Self? {
    let (sum, isOverflow) = addingReportingOverflow(other)
    return isOverflow ? nil : sum
  }

  /// Returns the quotient as a floating-point number.
  public func divided(by count: Int) -> Double { Double(self) / Double(count) }
}

extension Summable where Self: BinaryFloatingPoint {
  /// Returns the sum, rounded by the rules of the type.
  public func adding(_ other: Self) -> Self? { self + other }

  /// Returns the quotient, rounded as the type rounds.
  public func divided(by count: Int) -> Self { self / Self(count) }
}

extension Int: Summable {}
extension Int8: Summable {}
extension Int16: Summable {}
extension Int32: Summable {}
extension Int64: Summable {}
extension UInt: Summable {}
extension UInt8: Summable {}
extension UInt16: Summable {}
extension UInt32: Summable {}
extension UInt64: Summable {}
extension Float: Summable {}
extension Double: Summable {}

extension Decimal: Summable {
  /// Returns the exact sum, or nil if it has more digits than a `Decimal` can hold.
  public func adding(_ other: Decimal) -> Decimal? {
    let sum = self + other
    return sum - other == self && sum - self == other ? sum : nil
  }

  /// Returns the quotient, rounded to the digits of a `Decimal`.
  public func divided(by count: Int) -> Decimal { self / Decimal(count) }
}
