/// The format of numbers in reports.
public enum Format {
  /// Returns a time with three digits and a suitable unit: `36.1 ns`, `1.65 µs`, `230 ms`.
  public static func time(_ nanoseconds: Double) -> String {
    var value = nanoseconds
    for unit in ["ns", "µs", "ms"] {
      // Rounding would turn 999.6 into 1000.
      if value < 999.5 { return "\(digits(value)) \(unit)" }
      value /= 1_000
    }
    return "\(digits(value)) s"
  }

  /// Returns a ratio with two decimal places, or three if it is small.
  public static func ratio(_ value: Double) -> String { decimal(value, places: value < 0.1 ? 3 : 2) }

  /// Returns a count with separators of thousands: `20,000`.
  public static func count(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text = "," + text }
      text = String(digit) + text
    }
    return number < 0 ? "-" + text : text
  }

  /// Returns a number with a fixed number of decimal places.
  public static func decimal(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    let unit = (0..<places).reduce(1) { power, _ in power * 10 }
    let scaled = Int((abs(value) * Double(unit)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % unit)
    return "\(sign)\(scaled / unit).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
  }

  private static func digits(_ value: Double) -> String {
    decimal(value, places: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
  }
}
