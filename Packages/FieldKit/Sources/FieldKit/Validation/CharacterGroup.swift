/// Characters that a text may be made of.
///
/// ```swift
/// let color = Field<String>().require(.characters(in: .hexadecimal)).require(.length(6))
/// let code = Field<String>().require(.characters(in: .digits.union("- ")))
/// ```
///
/// A type of its own and not Foundation's `CharacterSet`, which is a set of scalars, not of characters, and would need all
/// of Foundation. For Unicode's classes ask the characters: `require { $0.allSatisfy(\.isLetter) }`.
public struct CharacterGroup: Hashable, Sendable, ExpressibleByStringLiteral {
  /// A text with every character of the group.
  public let text: String
  let members: Set<Character>

  /// A group of the characters of a text.
  public init(_ text: String) {
    self.text = text
    members = Set(text)
  }

  /// A group of the characters of a text.
  public init(stringLiteral text: String) { self.init(text) }

  /// Whether a character is in the group.
  public func contains(_ character: Character) -> Bool { members.contains(character) }

  /// The characters of both groups.
  public func union(_ other: CharacterGroup) -> CharacterGroup { CharacterGroup(text + other.text) }

  /// Groups with the same characters are equal.
  public static func == (left: CharacterGroup, right: CharacterGroup) -> Bool { left.members == right.members }

  /// Hashes the characters.
  public func hash(into hasher: inout Hasher) { hasher.combine(members) }

  /// `0` to `9`.
  public static let digits = CharacterGroup("0123456789")
  /// `a` to `z` and `A` to `Z`.
  public static let latinLetters = CharacterGroup("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// `0` to `9` and `A` to `F`.
  public static let uppercaseHexadecimal = CharacterGroup("0123456789ABCDEF")
  /// `0` to `9` and `a` to `f`.
  public static let lowercaseHexadecimal = CharacterGroup("0123456789abcdef")
  /// `0` to `9`, `a` to `f` and `A` to `F`.
  public static let hexadecimal = CharacterGroup("0123456789abcdefABCDEF")
}
