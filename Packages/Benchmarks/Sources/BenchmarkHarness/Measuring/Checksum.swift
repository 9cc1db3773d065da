/// A checksum that shows whether two sides of a comparison did the same work.
///
/// ```swift
/// var checksum = Checksum()
/// checksum.add(person.name)
/// checksum.add(person.age)
/// return checksum.value
/// ```
///
/// It depends on every value and on their order (FNV-1a over 64-bit words), and is the same in every process.
public struct Checksum {
  /// The checksum of the values added so far.
  public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates the checksum of no values.
  public init() {}

  /// Adds an integer.
  public mutating func add(_ number: Int) { mix(UInt64(bitPattern: Int64(number))) }

  /// Adds a number exactly.
  public mutating func add(_ number: Double) { mix(number.bitPattern) }

  /// Adds a boolean.
  public mutating func add(_ flag: Bool) { mix(flag ? 1 : 2) }

  /// Adds a text and its length.
  public mutating func add(_ text: String) {
    var word: UInt64 = 0
    var count = 0
    for byte in text.utf8 {
      word = word << 8 | UInt64(byte)
      count += 1
      if count.isMultiple(of: 8) {
        mix(word)
        word = 0
      }
    }
    mix(word)
    add(count)
  }

  /// Adds a list of texts and its length.
  public mutating func add(_ texts: [String]) {
    for text in texts { add(text) }
    add(texts.count)
  }

  /// Adds a value or its absence.
  public mutating func add(_ number: Int?) {
    if let number { add(number) } else { mix(.max) }
  }

  /// Adds a value or its absence.
  public mutating func add(_ number: Double?) {
    if let number { add(number) } else { mix(.max) }
  }

  /// Adds a value or its absence.
  public mutating func add(_ flag: Bool?) {
    if let flag { add(flag) } else { mix(.max) }
  }

  /// Adds a value or its absence.
  public mutating func add(_ text: String?) {
    if let text { add(text) } else { mix(.max) }
  }

  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    value ^= value >> 32
  }
}
