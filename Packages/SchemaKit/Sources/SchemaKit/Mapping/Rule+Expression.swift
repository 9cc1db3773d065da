public import FieldKit
import Foundation

extension Rule where Value == String {
  /// The whole text matches a regular expression in the syntax of model files, which is that of ICU. A missing text passes.
  ///
  /// Texts of more than 1,000 characters are refused without matching; a hostile expression is the caller's risk. One that
  /// is no regular expression is matched by no text.
  ///
  /// - Parameter expression: the expression, as it stands in the file.
  public static func matching(expression: String) -> Rule {
    let maximumLength = 1_000
    let compiled = try? NSRegularExpression(pattern: "\\A(?:\(expression))\\z")
    return Rule(
      code: "matching", arguments: ["pattern": .string(expression), "maximumLength": .int(maximumLength)],
      message: "does not have the right form"
    ) { text in
      guard let compiled, text.count <= maximumLength else { return false }
      return compiled.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
  }
}
