// Identifiers and names come from files and servers as well as from code. A message is to show them on one line, and stay short.
@_spi(ModelKitInternals)
extension String {
  /// The most characters, counted as Unicode scalars, that a message shows of an identifier or a name.
  private static let longestInMessage = 80

  /// An identifier as a message shows it: in quotation marks, with escapes for what can't be seen, and cut if it is very long.
  public var quotedForMessage: String {
    let start = unicodeScalars.prefix(Self.longestInMessage)
    let quoted = String(start).debugDescription.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isInvisible {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return start.endIndex == endIndex ? quoted : quoted + "…"
  }

  /// The name of a type or a field as a message shows it: as it is if it looks like one, and quoted like an identifier
  /// otherwise.
  public var nameForMessage: String {
    let isName =
      !isEmpty && unicodeScalars.dropFirst(Self.longestInMessage).isEmpty
      && unicodeScalars.allSatisfy { $0.properties.isXIDContinue || ".-<>,()@$#/:[]".unicodeScalars.contains($0) }
    return isName ? self : quotedForMessage
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
