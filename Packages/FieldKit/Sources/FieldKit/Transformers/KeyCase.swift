/// The spellings of a key of several words.
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

  /// Returns the key in this case. A key that is spelled this way already is unchanged. Separators at the ends of a key
  /// are removed: `_id` becomes `id`.
  ///
  /// Consecutive words of one letter are one word where only capitals would separate them: `a_b_c` is `Abc` in upper
  /// camel case. A key without lowercase letters is split at its separators only: `SHA256SUM` is one word.
  ///
  /// - Complexity: O(*n*) in the length of the key.
  public func key(_ key: String) -> String {
    var spelled = joined(Self.words(of: key))
    // Words joined without separators may be split differently when they are read again. The result is stable after one
    // or two passes; the bound ends the loop for letters of unusual case.
    for _ in 0..<8 {
      let again = joined(Self.words(of: spelled))
      if again == spelled { break }
      spelled = again
    }
    return spelled
  }

  private func joined(_ words: [String]) -> String {
    switch self {
    case .lower: words.joined(separator: " ")
    case .upper: words.joined(separator: " ").uppercased()
    case .capitalized: words.map(Self.capitalized).joined(separator: " ")
    case .upperCamel: words.map(Self.capitalized).joined()
    case .lowerCamel: words.prefix(1).joined() + words.dropFirst().map(Self.capitalized).joined()
    case .snake: words.joined(separator: "_")
    case .kebab: words.joined(separator: "-")
    }
  }

  /// Returns the word with a capital first. Not its upper case, which is two capitals for some letters.
  private static func capitalized(_ word: String) -> String {
    guard let first = word.unicodeScalars.first else { return word }
    return first.properties.titlecaseMapping + String(String.UnicodeScalarView(word.unicodeScalars.dropFirst()))
  }

  /// Returns the words of a key, in lower case. A word begins at a separator or at a capital after a lowercase letter
  /// or digit. It also begins at the last capital of an acronym before a lowercase letter (`HTTPRequest`), except for a
  /// plural s (`widgetIDs`).
  static func words(of key: String) -> [String] {
    var words: [String] = []
    var word = ""
    let characters = Array(key)
    let isAllCapitals = !characters.contains(where: isSmall)
    for (index, character) in characters.enumerated() {
      if isSeparator(character) {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if !isAllCapitals, !word.isEmpty, isCapital(character) {
        let previous = characters[index - 1]
        let next = index + 1 < characters.count ? characters[index + 1] : nil
        let beginsWordAfterAcronym =
          isCapital(previous) && next.map(isSmall) == true && !isPluralEnd(characters, at: index + 1)
        if isSmall(previous) || previous.isNumber || beginsWordAfterAcronym {
          words.append(word)
          word = ""
        }
      }
      word.append(contentsOf: character.lowercased())
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  private static func isSeparator(_ character: Character) -> Bool {
    character == "_" || character == "-" || character == " "
  }

  // Some letters are upper or lower case by name, but have no other case.
  private static func isCapital(_ character: Character) -> Bool {
    character.isUppercase && character.lowercased() != String(character)
  }

  private static func isSmall(_ character: Character) -> Bool {
    character.isLowercase && character.uppercased() != String(character)
  }

  /// Returns whether a lowercase s ends an acronym in the plural: `IDs` at the end or before the next word.
  private static func isPluralEnd(_ characters: [Character], at index: Int) -> Bool {
    guard characters[index] == "s" else { return false }
    let next = index + 1 < characters.count ? characters[index + 1] : nil
    return next.map { isCapital($0) || isSeparator($0) } ?? true
  }
}
