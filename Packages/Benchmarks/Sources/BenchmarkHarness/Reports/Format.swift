/// How numbers are written in reports.
public enum Format {
  /// A time with three digits and the unit that fits: `36.1 ns`, `1.65 µs`, `230 ms`.
  public static func time(_ nanoseconds: Double) -> String {
    var value = nanoseconds
    for unit in ["ns", "µs", "ms"] {
      // 999.6 would be written as 1000.
      if value < 999.5 { return "\(digits(value)) \(unit)" }
      value /= 1_000
    }
    return "\(digits(value)) s"
  }

  /// A ratio with two digits behind the point, or three where it is small.
  public static func ratio(_ value: Double) -> String { decimal(value, places: value < 0.1 ? 3 : 2) }

  /// A count with its thousands apart: `20,000`.
  public static func count(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text = "," + text }
      text = String(digit) + text
    }
    return number < 0 ? "-" + text : text
  }

  /// A number with a fixed number of digits behind the point.
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
