// Values, identifiers and names come from files and servers as well as from code. A message is to show them on one line, and
// stay short.
@_spi(ModelKitInternals)
extension String {
  /// An identifier, a key or a text as a message shows it: in quotation marks, with escapes for characters that can't be
  /// seen, and cut if it is very long.
  public var quotedForMessage: String { quotedForMessage(atMost: 80) }

  /// A text as a message shows it: see ``quotedForMessage``.
  ///
  /// - Parameter longest: The most characters that are shown, counted as Unicode scalars.
  /// - Complexity: O(`longest`).
  public func quotedForMessage(atMost longest: Int) -> String {
    let start = unicodeScalars.prefix(longest)
    let quoted = String(start).debugDescription.escapingInvisible()
    return start.endIndex == endIndex ? quoted : quoted + "…"
  }

  /// The name of a type or a field as a message shows it: as it is if it looks like one, and quoted like an identifier
  /// otherwise.
  public var nameForMessage: String {
    let isName =
      !isEmpty && unicodeScalars.dropFirst(80).isEmpty
      && unicodeScalars.allSatisfy { $0.properties.isXIDContinue || ".-<>,()@$#/:[]".unicodeScalars.contains($0) }
    return isName ? self : quotedForMessage
  }

  /// A path as a message shows it: on one line, and without its middle if it is very long.
  public var pathForMessage: String {
    let longest = 160
    if utf8.count <= longest { return escapingInvisible() }
    let start = unicodeScalars.prefix(longest / 2)
    let end = unicodeScalars.suffix(longest / 2)
    if start.endIndex >= end.startIndex { return escapingInvisible() }
    return String(start).escapingInvisible() + "…" + String(end).escapingInvisible()
  }

  /// Words from elsewhere, such as the text of another error, as a message shows them: on one line, and cut if they are very
  /// long.
  ///
  /// - Parameter longest: The most characters that are shown, counted as Unicode scalars.
  public func wordsForMessage(atMost longest: Int = 300) -> String {
    if utf8.count <= longest { return escapingInvisible() }
    let start = unicodeScalars.prefix(longest)
    let words = String(start).escapingInvisible()
    return start.endIndex == endIndex ? words : words + "…"
  }

  private func escapingInvisible() -> String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isInvisible: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it breaks the line, changes the direction of the text, or leaves no trace at all.
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
    default: false
    }
  }
}
