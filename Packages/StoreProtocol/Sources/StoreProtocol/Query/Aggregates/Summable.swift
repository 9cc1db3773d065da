public import Foundation

/// A number that stores can add up, for `sum(_:of:where:)` and `average(_:of:where:)`.
///
/// ```swift
/// let total = try await store.sum(Expense.self, of: \.amount)
/// ```
///
/// A type of your own names the total of a standard type, or has one of its own:
///
/// ```swift
/// struct Cents: Comparable {
///   var count: Int
///   static func < (left: Cents, right: Cents) -> Bool { left.count < right.count }
/// }
///
/// extension Cents: Summable {
///   struct Total: SumTotal {
///     private var total = IntegerTotal<Int>()
///     mutating func add(_ value: Cents) { total.add(value.count) }
///     mutating func remove(_ value: Cents) -> Bool { total.remove(value.count) }
///     var sum: Cents? { total.sum.map { Cents(count: $0) } }
///     func average(of count: Int) -> Double? { total.average(of: count) }
///   }
/// }
/// ```
public protocol Summable: Comparable {
  /// The type of an average: `Double` for integers.
  associatedtype Average
  /// The sum while numbers are added.
  associatedtype Total: SumTotal where Total.Value == Self, Total.Average == Average
}

/// A sum while numbers are added. It can be larger than its type until the end, so the order of the numbers does not
/// matter.
///
/// ```swift
/// var total = IntegerTotal<Int8>()
/// for number: Int8 in [100, 100, -100] { total.add(number) }
/// print(total.sum ?? 0)  // 100
/// ```
public protocol SumTotal<Value> {
  /// The type of the numbers.
  associatedtype Value
  /// The type of their average.
  associatedtype Average

  /// Creates the sum of no numbers.
  init()

  /// Adds a number.
  mutating func add(_ value: Value)

  /// Removes a number that was added.
  ///
  /// - Returns: `false` if the remaining numbers have to be added again, because the total is rounded.
  mutating func remove(_ value: Value) -> Bool

  /// The sum; nil if the type can't hold it exactly enough: an integer overflows, or a `Decimal` would lose digits.
  var sum: Value? { get }

  /// Returns the average of the numbers, rounded as its type rounds; nil if the type can't hold it.
  ///
  /// - Parameter count: the count of the numbers, at least 1.
  func average(of count: Int) -> Average?
}

/// The exact total of integers.
public struct IntegerTotal<Value: FixedWidthInteger>: SumTotal {
  private var total: Int128 = 0
  private var isTooLarge = false

  /// Creates the sum of no numbers.
  public init() {}

  /// Adds a number.
  public mutating func add(_ value: Value) { change(value) { $0.addingReportingOverflow($1) } }

  /// Removes a number that was added.
  public mutating func remove(_ value: Value) -> Bool {
    change(value) { $0.subtractingReportingOverflow($1) }
    return !isTooLarge
  }

  /// The sum; nil if it overflows.
  public var sum: Value? { isTooLarge ? nil : Value(exactly: total) }

  /// Returns the average, rounded.
  public func average(of count: Int) -> Double? { isTooLarge ? nil : Double(total) / Double(count) }

  private mutating func change(_ value: Value, _ result: (Int128, Int128) -> (Int128, Bool)) {
    // Only a type of more than 64 bit can overflow.
    guard let value = Int128(exactly: value) else { return isTooLarge = true }
    let (next, isOverflow) = result(total, value)
    total = next
    isTooLarge = isTooLarge || isOverflow
  }
}

/// The total of floating-point numbers, rounded after each addition.
public struct FloatingPointTotal<Value: BinaryFloatingPoint>: SumTotal {
  private var total: Value = 0

  /// Creates the sum of no numbers.
  public init() {}

  /// Adds a number.
  public mutating func add(_ value: Value) { total += value }

  /// Returns `false`, because the total is rounded.
  public mutating func remove(_ value: Value) -> Bool { false }

  /// The sum.
  public var sum: Value? { total }

  /// Returns the average.
  public func average(of count: Int) -> Value? { total / Value(count) }
}

extension Summable where Self: FixedWidthInteger {
  /// The total of integers.
  public typealias Total = IntegerTotal<Self>
  /// The type of an average.
  public typealias Average = Double
}

extension Summable where Self: BinaryFloatingPoint {
  /// The total of floating-point numbers.
  public typealias Total = FloatingPointTotal<Self>
  /// The type of an average.
  public typealias Average = Self
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
  /// The total of decimal numbers.
  public typealias Total = DecimalTotal
  /// The type of an average.
  public typealias Average = Decimal
}
