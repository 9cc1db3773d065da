import FieldKit

/// Makes random JSON values and documents, the same ones for the same seed.
struct JSONGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }

  mutating func value(depth: Int = 4) -> JSONValue {
    switch below(depth > 0 ? 10 : 7) {
    case 0: .null
    case 1: .bool(next() & 1 == 0)
    case 2, 3: .int(int())
    case 4: .double(double())
    case 5, 6: .string(string())
    case 7, 8: .array((0..<below(6)).map { _ in value(depth: depth - 1) })
    default:
      .object(Dictionary((0..<below(6)).map { _ in (string(), value(depth: depth - 1)) }, uniquingKeysWith: { $1 }))
    }
  }

  mutating func int() -> Int {
    let bits = Int(truncatingIfNeeded: next())
    return next() & 1 == 0 ? bits : bits >> Int(next() % 64)
  }

  mutating func double() -> Double {
    switch below(4) {
    case 0: return Double(int() % 100_000) / 100
    case 1: return Double(bitPattern: 0x3FE0_0000_0000_0000 | next() >> 12)
    default:
      let value = Double(bitPattern: next())
      return value.isFinite ? value : 0.5
    }
  }

  mutating func string() -> String {
    var string = ""
    for _ in 0..<below(next() & 7 == 0 ? 60 : 10) {
      let scalar: UInt32 =
        switch below(8) {
        case 0: UInt32(below(0x20))
        case 1: [0x22, 0x5C, 0x2F, 0x7F][below(4)]
        case 2: UInt32(below(0x800))
        case 3: UInt32(below(0x11_0000))
        default: 0x61 + UInt32(below(26))
        }
      if let scalar = Unicode.Scalar(scalar) { string.unicodeScalars.append(scalar) }
    }
    return string
  }

  /// A spelling of a number as people and programs write them.
  mutating func numeral() -> String {
    var text = next() & 3 == 0 ? "-" : ""
    let integerDigits = below(4) == 0 ? 0 : below(20)
    text += integerDigits == 0 ? "0" : String(1 + below(9)) + digits(integerDigits - 1)
    if below(3) != 0 { text += "." + String(repeating: "0", count: below(4)) + digits(1 + below(18)) }
    if below(3) == 0 { text += ["e", "E", "e+", "e-", "E-"][below(5)] + String(below(below(4) == 0 ? 400 : 30)) }
    return text
  }

  private mutating func digits(_ count: Int) -> String {
    var digits = ""
    for _ in 0..<max(0, count) { digits += String(below(10)) }
    return digits
  }

  /// The same document with blanks and escapes where JSON allows them.
  mutating func spaced(_ value: JSONValue) -> String {
    switch value {
    case .array(let elements):
      "[" + blank() + elements.map { spaced($0) + blank() }.joined(separator: "," + blank()) + "]"
    case .object(let members):
      "{" + blank()
        + members.map { escaped($0) + blank() + ":" + blank() + spaced($1) + blank() }.joined(separator: "," + blank())
        + "}"
    case .string(let string): escaped(string)
    default: value.description
    }
  }

  private mutating func blank() -> String {
    [" ", "\n", "\t", "\r\n", "", "", "", "                  "][below(8)]
  }

  private mutating func escaped(_ string: String) -> String {
    var text = "\""
    for unit in string.utf16 {
      let digits = String(unit, radix: 16, uppercase: next() & 1 == 0)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return text + "\""
  }
}
