#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ChangeStamp {
  /// Creates the stamp of a date, rounded to nanoseconds; the first stamp of all for a date before 1970.
  init(_ date: Date) {
    let nanoseconds = (date.timeIntervalSince1970 * 1_000_000_000).rounded()
    self.init(nanoseconds: UInt64(exactly: nanoseconds).map { max($0, 1) } ?? (nanoseconds < 1 ? 1 : .max))
  }

  /// The time of the stamp; nil for `never`.
  public var date: Date? {
    if self == .never { return nil }
    // Calculated as `Date()` does it, so that a date taken before a set is never rounded to one after it.
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Date(timeIntervalSinceReferenceDate: Double(seconds) - 978_307_200 + 1e-9 * Double(rest))
  }
}
