@_spi(ModelKitInternals) import StoreProtocol

/// The folder names of groups: any string becomes a short name of lowercase letters, digits and a few signs.
///
/// Different groups have different folders, even on file systems that ignore case or normalise Unicode. No group name
/// can lead outside the parent folder.
enum GroupFolder {
  private static let longest = 120

  /// Returns the name of the folder of a group.
  ///
  /// - `a`–`z`, `0`–`9`, `-` and `_` stand for themselves, every other UTF-8 byte is `%` and two hexadecimal digits.
  /// - A name of more than 120 characters is cut to 48 and continued with `~` and its SHA-256.
  /// - The default group is `@default`. (The first rule never produces `@` or `~`.)
  static func name(of group: String) -> String {
    if group.isEmpty { return "@default" }
    let encoded = group.utf8.reduce(into: [UInt8]()) { result, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        result.append(byte)
      default:
        result.append(UInt8(ascii: "%"))
        result.append(contentsOf: hexadecimal(byte))
      }
    }
    guard encoded.count > longest else { return String(decoding: encoded, as: UTF8.self) }
    let digest = SHA256.digest(of: Array(group.utf8)).flatMap(hexadecimal)
    return String(decoding: encoded.prefix(48) + [UInt8(ascii: "~")] + digest, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
  }
}
