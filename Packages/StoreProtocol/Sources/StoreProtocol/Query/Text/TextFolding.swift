internal import Foundation

/// The folding of texts for comparisons that ignore case, or case and accents. It is the same for every locale and
/// system.
///
/// - `case`: each scalar is replaced by its full case folding, as Unicode defines it. So `ß` is `ss`, and a final sigma
///   is a sigma.
/// - `caseAndAccents`: each scalar is replaced by its compatibility decomposition (NFKD). Nonspacing marks and
///   invisible scalars, such as a soft hyphen, are removed. Each remaining scalar is replaced by its full case folding.
///
/// A letter without a decomposition, such as `ø`, keeps its form.
enum TextFolding: Sendable {
  case `case`
  case caseAndAccents

  /// The number of scalars that are decomposed at once. The decomposition sorts marks, which takes quadratic time for
  /// a long run of them.
  private static let chunkSize = 128

  /// Returns the folded text.
  ///
  /// - Complexity: O(*n*).
  func folded(_ text: String) -> String {
    if let folded = Self.foldedASCII(text) { return folded }
    var folded = String.UnicodeScalarView()
    folded.reserveCapacity(text.utf8.count)
    if self == .case {
      for scalar in text.unicodeScalars { Self.append(scalar, to: &folded) }
      return String(folded)
    }
    var chunk = String.UnicodeScalarView()
    var count = 0
    func decompose() {
      for scalar in String(chunk).decomposedStringWithCompatibilityMapping.unicodeScalars
      where !Self.isRemoved(scalar) { Self.append(scalar, to: &folded) }
      chunk.removeAll(keepingCapacity: true)
      count = 0
    }
    for scalar in text.unicodeScalars where !Self.isRemoved(scalar) {
      chunk.append(scalar)
      count += 1
      if count == Self.chunkSize { decompose() }
    }
    decompose()
    return String(folded)
  }

  /// Returns the lowercase text; nil if it is not ASCII.
  private static func foldedASCII(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { utf8 in
      guard utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
      return String(unsafeUninitializedCapacity: utf8.count) { folded in
        for number in utf8.indices { folded[number] = lowercased(utf8[number]) }
        return utf8.count
      }
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return false }
    return scalar.properties.generalCategory == .nonspacingMark || scalar.properties.isDefaultIgnorableCodePoint
  }

  /// Appends the full case folding of a scalar.
  private static func append(_ scalar: Unicode.Scalar, to text: inout String.UnicodeScalarView) {
    if scalar.isASCII { return text.append(Unicode.Scalar(lowercased(UInt8(scalar.value)))) }
    // The capital of a dotless i is an ordinary I, but Unicode does not fold the two together.
    if scalar == "\u{131}" { return text.append(scalar) }
    // The lowercase of the uppercase joins all forms of a letter, such as both small sigmas. A capital sharp s has its
    // uppercase only through its lowercase.
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        text.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
  }
}

extension QueryTerm.Form {
  /// The folding of texts that are compared in this form; nil for none.
  var folding: TextFolding? {
    switch self {
    case .ignoringCase: .case
    case .ignoringCaseAndAccents: .caseAndAccents
    case .value, .count: nil
    }
  }

  /// Returns a text as it is compared in this form.
  func folded(_ text: String) -> String { folding?.folded(text) ?? text }
}
