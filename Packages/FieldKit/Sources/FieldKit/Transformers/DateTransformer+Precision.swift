#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DateTransformer {
  /// Whether a date may be read back as another one: `true`, because every format has a smallest unit.
  public var losesPrecision: Bool { true }

  /// Returns the date that is read back after this one was written, by calculation. Returns nil if only the text can
  /// decide.
  func normalized(_ date: Date) -> Date? {
    guard let unit = parts.flatMap(Self.milliseconds), abs(date.timeIntervalSince1970) < 1e12 else { return nil }
    let milliseconds = Self.millisecondsSince1970(date)
    let rest = milliseconds % unit
    let kept = milliseconds - (rest < 0 ? rest + unit : rest)
    let below = (kept % 1_000 + 1_000) % 1_000
    // As the text is read.
    return ISO8601Text.date((kept - below) / 1_000, DigitScanner.Fraction(number: below, power: 1_000))
  }

  /// Returns the milliseconds since 1970, rounded down.
  static func millisecondsSince1970(_ date: Date) -> Int {
    // A date may be slightly earlier than the millisecond it was created from.
    let tolerance = 2 * max(date.timeIntervalSince1970.ulp, date.timeIntervalSinceReferenceDate.ulp)
    return Int(((date.timeIntervalSince1970 + tolerance) * 1_000).rounded(.down))
  }

  /// Returns the smallest unit that a format writes, if it writes all larger ones, too.
  private static func milliseconds(of parts: [Part]) -> Int? {
    var written: Set<Int> = []
    for part in parts {
      switch part {
      case .literal: continue
      case .year: written.insert(0)
      case .month: written.insert(1)
      case .day: written.insert(2)
      case .hour: written.insert(3)
      case .minute: written.insert(4)
      case .second: written.insert(5)
      case .millisecond: written.insert(6)
      }
    }
    guard written.count >= 3, written == Set(0..<written.count) else { return nil }
    return [86_400_000, 3_600_000, 60_000, 1_000, 1][written.count - 3]
  }
}
