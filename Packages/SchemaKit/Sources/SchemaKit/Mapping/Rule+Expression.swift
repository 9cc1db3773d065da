public import FieldKit
import Foundation

extension Rule where Value == String {
  /// Returns a rule that the whole text matches a regular expression in ICU syntax, as in model files. A missing text
  /// passes.
  ///
  /// Texts of more than 1,000 characters fail without being matched. An expression can still be slow: use only trusted
  /// ones. An invalid expression matches no text.
  ///
  /// - Parameter expression: the expression as in the file.
  public static func matching(expression: String) -> Rule {
    let maximumLength = 1_000
    let compiled = try? NSRegularExpression(pattern: "\\A(?:\(expression))\\z")
    return Rule(
      code: "matching", arguments: ["pattern": .string(expression), "maximumLength": .int(maximumLength)],
      message: "has the wrong format"
    ) { text in
      guard let compiled, text.count <= maximumLength else { return false }
      return compiled.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
  }
}
