/// The syntax of email addresses, in the form in which people write them.
enum EmailSyntax {
  /// Returns whether a text is an address, in one pass.
  static func accepts(_ text: String) -> Bool {
    guard text.utf8.count <= 254 else { return false }
    let parts = text.unicodeScalars.split(separator: "@", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    return isLocalPart(parts[0]) && isDomain(parts[1])
  }

  private typealias Part = Substring.UnicodeScalarView

  private static func isLocalPart(_ part: Part) -> Bool {
    Substring(part).utf8.count <= 64
      && part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
        !atom.isEmpty && atom.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains($0) }
      }
  }

  private static func isDomain(_ part: Part) -> Bool {
    let labels = part.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, let last = labels.last else { return false }
    // A domain that ends in a number is an IP address.
    guard last.contains(where: { !("0"..."9").contains($0) }) else { return false }
    return labels.allSatisfy { label in
      Substring(label).utf8.count <= 63 && label.first != "-" && label.last != "-" && !label.isEmpty
        && label.allSatisfy { isLetterOrDigit($0) || $0 == "-" }
    }
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "a"..."z", "A"..."Z": true
    default:
      scalar.value >= 0x80
        && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || scalar.properties.canonicalCombiningClass != .notReordered)
    }
  }
}
