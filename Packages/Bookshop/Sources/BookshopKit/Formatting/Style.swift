import Foundation

/// The style of text: with colours on a terminal, and plain elsewhere or if `NO_COLOR` is set.
package struct Style: Hashable, Sendable {
  /// Whether to write escape sequences.
  package var isColoured: Bool

  package init(isColoured: Bool) { self.isColoured = isColoured }

  /// Creates the style for one of the standard streams.
  package init(
    forStandardStream descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    isColoured =
      isatty(descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// Returns text in the style of headings and titles.
  package func bold(_ text: String) -> String { wrapped(text, "1") }
  /// Returns text in the style of secondary information.
  package func dim(_ text: String) -> String { wrapped(text, "2") }
  /// Returns text in the style of failures.
  package func red(_ text: String) -> String { wrapped(text, "31") }
  /// Returns text in the style of ratings.
  package func yellow(_ text: String) -> String { wrapped(text, "33") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
