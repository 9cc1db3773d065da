/// The ways to write a key of several words.
///
/// Acronyms stay words: `imageURL` becomes `image_url`, `widgetIDs` becomes `widget_ids`.
///
/// ```swift
/// assert(KeyCase.snake.key("lightName") == "light_name")
/// assert(KeyCase.upperCamel.key("light_name") == "LightName")
/// ```
public enum KeyCase: Hashable, Sendable, CaseIterable {
  /// `light name`
  case lower
  /// `LIGHT NAME`
  case upper
  /// `Light Name`
  case capitalized
  /// `LightName`
  case upperCamel
  /// `lightName`
  case lowerCamel
  /// `light_name`
  case snake
  /// `light-name`
  case kebab

  /// The key in this case.
  ///
  /// - Complexity: O(*n*) in the length of the key.
  public func key(_ key: String) -> String {
    let words = Self.words(of: key)
    func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }
    return switch self {
    case .lower: words.joined(separator: " ")
    case .upper: words.joined(separator: " ").uppercased()
    case .capitalized: words.map(capitalized).joined(separator: " ")
    case .upperCamel: words.map(capitalized).joined()
    case .lowerCamel: words.prefix(1).joined() + words.dropFirst().map(capitalized).joined()
    case .snake: words.joined(separator: "_")
    case .kebab: words.joined(separator: "-")
    }
  }

  /// The words of a key, in lower case. A word begins at a separator, at a capital after a small letter or digit, and at
  /// the last capital of an acronym that a small letter follows (`HTTPRequest`), except for a plural s (`widgetIDs`).
  static func words(of key: String) -> [String] {
    var words: [String] = []
    var word = ""
    let characters = Array(key)
    for (index, character) in characters.enumerated() {
      if character == "_" || character == "-" || character == " " {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if character.isUppercase, index > 0, !word.isEmpty {
        let previous = characters[index - 1]
        let next = index + 1 < characters.count ? characters[index + 1] : nil
        let beginsWordAfterAcronym =
          previous.isUppercase && next?.isLowercase == true && !isPluralEnd(characters, at: index + 1)
        if previous.isLowercase || previous.isNumber || beginsWordAfterAcronym {
          words.append(word)
          word = ""
        }
      }
      word.append(contentsOf: character.lowercased())
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// Whether a small s ends an acronym in the plural: `IDs` at the end or before the next word.
  private static func isPluralEnd(_ characters: [Character], at index: Int) -> Bool {
    guard characters[index] == "s" else { return false }
    let next = index + 1 < characters.count ? characters[index + 1] : nil
    return next.map { $0.isUppercase || $0 == "_" || $0 == "-" || $0 == " " } ?? true
  }
}
