// Values, identifiers and names come from files and servers as well as from code. A message has to show them on one
// line, and stay short.
@_spi(ModelKitInternals)
extension String {
  /// The text in quotation marks, with escapes for invisible characters, and cut if it is very long.
  public var quotedForMessage: String { quotedForMessage(atMost: 80) }

  /// Returns the text as a message shows it: see ``quotedForMessage``.
  ///
  /// - Parameter longest: the largest number of Unicode scalars that are shown.
  /// - Complexity: O(`longest`).
  func quotedForMessage(atMost longest: Int) -> String {
    let start = unicodeScalars.prefix(longest)
    let quoted = String(start).debugDescription.escapingInvisible()
    return start.endIndex == endIndex ? quoted : quoted + "…"
  }

  /// The name of a type or a field as a message shows it: unchanged if it has the form of a name, and quoted otherwise.
  public var nameForMessage: String {
    let isName =
      !isEmpty && unicodeScalars.dropFirst(80).isEmpty
      && unicodeScalars.allSatisfy { $0.properties.isXIDContinue || ".-<>,()@$#/:[]".unicodeScalars.contains($0) }
    return isName ? self : quotedForMessage
  }

  /// The path as a message shows it: on one line, and without its middle if it is very long.
  public var pathForMessage: String {
    let longest = 160
    if utf8.count <= longest { return escapingInvisible() }
    let start = unicodeScalars.prefix(longest / 2)
    let end = unicodeScalars.suffix(longest / 2)
    if start.endIndex >= end.startIndex { return escapingInvisible() }
    return String(start).escapingInvisible() + "…" + String(end).escapingInvisible()
  }

  /// Returns words from elsewhere, such as the text of another error, as a message shows them. They are on one line,
  /// and cut if they are very long.
  ///
  /// - Parameter longest: the largest number of Unicode scalars that are shown.
  public func shortenedForMessage(atMost longest: Int = 300) -> String {
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
  /// Whether the scalar breaks the line, changes the direction of the text, or is invisible.
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
    default: false
    }
  }
}
