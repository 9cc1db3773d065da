/// A set of characters that a text may consist of.
///
/// ```swift
/// let color = Field<String>()
///   .require(.characters(in: .hexadecimal)).require(.length(6))
/// let code = Field<String>().require(.characters(in: .digits.union("- ")))
/// ```
///
/// Unlike Foundation's `CharacterSet`, it is a set of characters and not of scalars, and does not need Foundation. For
/// Unicode's classes test the characters: `require { $0.allSatisfy(\.isLetter) }`.
public struct CharacterGroup: Hashable, Sendable, ExpressibleByStringLiteral {
  /// A text with every character of the group.
  public let text: String
  let members: Set<Character>

  /// Creates a group of the characters of a text.
  public init(_ text: String) {
    self.text = text
    members = Set(text)
  }

  /// Creates a group of the characters of a text.
  public init(stringLiteral text: String) { self.init(text) }

  /// Returns whether a character is in the group.
  public func contains(_ character: Character) -> Bool { members.contains(character) }

  /// Returns a group with the characters of both groups.
  public func union(_ other: CharacterGroup) -> CharacterGroup { CharacterGroup(text + other.text) }

  /// Returns whether two groups have the same characters.
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
