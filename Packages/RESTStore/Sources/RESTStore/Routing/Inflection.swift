/// Rules that turn nouns into plurals, for the names of collections. Later rules take precedence over earlier ones.
///
/// ```swift
/// assert(Inflection.english.plural(of: "SalesPerson") == "SalesPeople")
/// var inflection = Inflection.english
/// inflection.addIrregular("cow", plural: "kine")
/// assert(inflection.plural(of: "Cow") == "Kine")
/// ```
public struct Inflection: Sendable {
  /// A rule for words with an ending.
  private struct Rule {
    let suffix: String
    /// The number of characters that are removed at the end.
    let dropping: Int
    let replacement: String
    let wholeWord: Bool
    /// The characters that must not precede the suffix.
    let notAfter: String
  }

  /// The rules, the newest last.
  private var rules: [Rule] = []
  private var plurals = Set<String>()

  /// Creates an inflection without rules, which changes no word.
  public init() {}

  /// Adds a rule for words with an ending.
  ///
  /// - Parameters:
  ///   - suffix: the ending, in lowercase, such as `y`.
  ///   - replacement: the replacement of the ending, such as `ies`.
  ///   - notAfter: characters before the ending to which the rule does not apply, such as `aeiou`.
  public mutating func addSuffix(_ suffix: String, replacement: String, notAfter: String = "") {
    rules.append(
      Rule(
        suffix: suffix.lowercased(), dropping: suffix.count, replacement: replacement, wholeWord: false,
        notAfter: notAfter))
  }

  /// Adds a noun with an irregular plural. The plural itself is left unchanged.
  ///
  /// - Parameters:
  ///   - singular: the noun, such as `person`.
  ///   - plural: its plural, such as `people`.
  ///   - inCompounds: whether the rule also holds for words that end with the noun, such as `salesperson`.
  public mutating func addIrregular(_ singular: String, plural: String, inCompounds: Bool = false) {
    let singular = singular.lowercased()
    let plural = plural.lowercased()
    plurals.insert(plural)
    if inCompounds {
      // `women` is a plural, as `men` is.
      rules.append(Rule(suffix: plural, dropping: 0, replacement: "", wholeWord: false, notAfter: ""))
    }
    rules.append(
      Rule(
        suffix: singular, dropping: singular.count, replacement: plural, wholeWord: !inCompounds,
        notAfter: ""))
  }

  /// Adds a noun that is its own plural, such as `news`.
  public mutating func addUncountable(_ noun: String) { addIrregular(noun, plural: noun) }

  /// Returns the plural of a noun. If it has several words, in camel case or separated by `_`, `-` or blanks, the last
  /// word is changed.
  ///
  /// - Parameter noun: the noun, in any case.
  /// - Returns: the plural, in the case of the noun.
  /// - Complexity: O(*n*) in the number of rules.
  public func plural(of noun: String) -> String {
    let start = Self.startOfLastWord(in: noun)
    let word = String(noun[start...])
    let lower = word.lowercased()
    guard !lower.isEmpty, lower.count == word.count else { return noun }
    let plural = pluralOfWord(lower)
    return noun[..<start] + Self.inCase(of: word, singular: lower, plural)
  }

  /// Returns the singular of a noun in the plural: the noun whose plural it is. A word that is not a plural is
  /// unchanged.
  ///
  /// ```swift
  /// assert(Inflection.english.singular(of: "SalesPeople") == "SalesPerson")
  /// ```
  ///
  /// - Parameter noun: the noun, in any case. If it has several words, the last one is changed.
  /// - Returns: the singular, in the case of the noun.
  /// - Complexity: O(*n*²) in the number of rules.
  public func singular(of noun: String) -> String {
    let start = Self.startOfLastWord(in: noun)
    let word = String(noun[start...])
    let lower = word.lowercased()
    guard !lower.isEmpty, lower.count == word.count else { return noun }
    return noun[..<start] + Self.inCase(of: word, singular: lower, singularOfWord(lower))
  }

  private func singularOfWord(_ word: String) -> String {
    // A plural is its own plural.
    guard pluralOfWord(word) == word else { return word }
    for rule in rules.reversed() where rule.wholeWord ? word == rule.replacement : word.hasSuffix(rule.replacement) {
      let singular = word.dropLast(rule.replacement.count) + rule.suffix
      // A rule may be the wrong one for the noun: only a noun with this plural is its singular.
      if !singular.isEmpty, rule.wholeWord || singular != word, pluralOfWord(String(singular)) == word {
        return String(singular)
      }
    }
    return word
  }

  private func pluralOfWord(_ word: String) -> String {
    if plurals.contains(word) { return word }
    for rule in rules.reversed() where rule.wholeWord ? word == rule.suffix : word.hasSuffix(rule.suffix) {
      let stem = word.dropLast(rule.dropping)
      if let last = stem.last, rule.notAfter.contains(last) { continue }
      return stem + rule.replacement
    }
    return word
  }

  /// Returns the index at which the last word begins. A word begins after a separator, or at a capital that follows a
  /// lowercase letter or a digit, or ends an acronym.
  private static func startOfLastWord(in noun: String) -> String.Index {
    var start = noun.startIndex
    for index in noun.indices.dropFirst() {
      let previous = noun[noun.index(before: index)]
      let next = noun.index(after: index)
      if previous == "_" || previous == "-" || previous == " " {
        start = index
      } else if noun[index].isUppercase {
        let endsAcronym = previous.isUppercase && next < noun.endIndex && noun[next].isLowercase
        // The plural s of `IDs` begins no word.
        let isPluralEnd = endsAcronym && noun[next] == "s" && noun.index(after: next) == noun.endIndex
        if !previous.isUppercase || (endsAcronym && !isPluralEnd) { start = index }
      }
    }
    return start
  }

  /// Returns a plural in the case of the singular. The part that both have in common keeps its case. The rest is
  /// lowercase, unless the whole word is in capitals and gets more than an `s`.
  private static func inCase(of word: String, singular: String, _ plural: String) -> String {
    let common = zip(singular, plural).prefix { $0 == $1 }.count
    let isUppercase = word.count > 1 && word.allSatisfy(\.isUppercase)
    if isUppercase, plural != singular + "s" { return plural.uppercased() }
    if common == 0, word.first?.isUppercase == true { return plural.prefix(1).uppercased() + plural.dropFirst() }
    return String(word.prefix(common) + plural.dropFirst(common))
  }
}
