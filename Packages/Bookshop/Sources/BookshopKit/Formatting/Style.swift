import Foundation

/// How text is set off: with colours on a terminal, and not at all elsewhere or where `NO_COLOR` is set.
package struct Style: Hashable, Sendable {
  /// Whether to write escape sequences.
  package var isColoured: Bool

  package init(isColoured: Bool) { self.isColoured = isColoured }

  /// The style for one of the standard streams.
  package init(
    forStandardStream descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    isColoured =
      isatty(descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// Headings and titles.
  package func bold(_ text: String) -> String { wrapped(text, "1") }
  /// What is beside the point.
  package func dim(_ text: String) -> String { wrapped(text, "2") }
  /// What did not work.
  package func red(_ text: String) -> String { wrapped(text, "31") }
  /// Stars.
  package func yellow(_ text: String) -> String { wrapped(text, "33") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
