import StoreProtocol

/// One component of a path, which stays a single component whatever text it is made from.
struct PathComponent {
  /// The component as it is sent: letters, digits and `-._~` unchanged, everything else percent-encoded.
  let encoded: String

  /// Encodes a text.
  ///
  /// Returns nil for texts that no encoding makes safe: the empty text, `.`, `..`, and `a/../b`. Servers and proxies
  /// read `%2E` as a dot, and nginx resolves the dots after it decoded `%2F`.
  init?(_ text: String) {
    guard !text.isEmpty, !Self.hasDots(text) else { return nil }
    encoded = Self.percentEncoded(text)
  }

  /// Returns whether a path has a component of dots, encoded or not. Transports, proxies and servers resolve them, and
  /// some of them after they decoded the whole path or cut the parameters of a component.
  static func hasDots(_ path: String) -> Bool {
    guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return false }
    var text = path
    // Each of several servers may decode the path once.
    while true {
      let components = text.split { $0 == "/" || $0 == "\\" }
      if components.contains(where: { [".", ".."].contains($0.prefix { $0 != ";" }) }) { return true }
      let decoded = decoded(text)
      if decoded == text { return false }
      text = decoded
    }
  }

  /// Returns a percent-encoded text as plain text; invalid sequences are left unchanged.
  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Character(Unicode.Scalar(bytes[index + 1])).hexDigitValue,
        let low = Character(Unicode.Scalar(bytes[index + 2])).hexDigitValue
      {
        decoded.append(UInt8(high * 16 + low))
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  /// Returns a text with everything but unreserved characters percent-encoded, for paths and queries.
  static func percentEncoded(_ text: String) -> String {
    if text.utf8.allSatisfy(isUnreserved) { return text }
    var encoded = ""
    encoded.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isUnreserved(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
        continue
      }
      let digits = String(byte, radix: 16, uppercase: true)
      encoded += digits.count == 1 ? "%0" + digits : "%" + digits
    }
    return encoded
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
