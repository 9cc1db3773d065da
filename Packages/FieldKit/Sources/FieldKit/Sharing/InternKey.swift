/// The key of an object in an ``InternTable``: its kind, its value type, and its parts.
///
/// Two keys are equal when their parts are equal; the hash only selects the bucket.
@usableFromInline
struct InternKey: Sendable {
  /// The kind of a shared object. The numbers only have to differ.
  @frozen
  @usableFromInline
  enum Kind: UInt64, Sendable {
    case declaration, ruleOfDeclaration
    case range, length, count, notBlank, notNil, characters, email, oneOf
    case message, nilPolicy, ofAnotherModule
  }

  /// The numeric part of a key, and mostly all of it: a lookup by it copies no texts.
  @frozen
  @usableFromInline
  struct Numbers: Sendable {
    /// The kind, the variant, and whether there are texts.
    @usableFromInline let kind: UInt64
    @usableFromInline let type: ObjectIdentifier
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64

    /// Creates a key without texts.
    ///
    /// - Parameters:
    ///   - kind: the kind of the object.
    ///   - variant: distinguishes objects of one kind and type, such as the shape of a range; below 128.
    ///   - type: the type of the value.
    ///   - first: a number that is part of the key.
    ///   - second: a second number.
    @inlinable
    init(_ kind: Kind, variant: UInt64 = 0, type: Any.Type, first: UInt64 = 0, second: UInt64 = 0) {
      self.kind = kind.rawValue << 8 | variant
      self.type = ObjectIdentifier(type)
      self.first = first
      self.second = second
    }

    @inline(__always)
    init(_ numbers: Numbers, hasTexts: Bool) {
      kind = hasTexts ? numbers.kind | 128 : numbers.kind
      type = numbers.type
      first = numbers.first
      second = numbers.second
    }

    @inline(__always)
    var hash: UInt64 {
      var hash = kind
      InternKey.mix(UInt64(UInt(bitPattern: type)), into: &hash)
      InternKey.mix(first, into: &hash)
      InternKey.mix(second, into: &hash)
      return hash ^ hash &>> 32
    }

    @inline(__always)
    func matches(_ other: Numbers) -> Bool {
      type == other.type && kind == other.kind && first == other.first && second == other.second
    }
  }

  let numbers: Numbers
  let firstText: String?
  let secondText: String?
  let hash: UInt64

  /// Creates a key of numbers alone.
  init(_ numbers: Numbers) {
    self.numbers = numbers
    firstText = nil
    secondText = nil
    hash = numbers.hash
  }

  /// Creates a key of numbers and texts.
  @usableFromInline
  init(_ numbers: Numbers, _ firstText: String?, _ secondText: String?) {
    self.numbers = Numbers(numbers, hasTexts: true)
    self.firstText = firstText
    self.secondText = secondText
    hash = Self.hash(of: self.numbers, firstText, secondText)
  }

  @inline(__always)
  static func hash(of numbers: Numbers, _ firstText: String?, _ secondText: String?) -> UInt64 {
    var hash = numbers.hash
    if let firstText { mix(firstText, into: &hash) }
    if let secondText {
      mix(~1, into: &hash)
      mix(secondText, into: &hash)
    }
    return hash ^ hash &>> 32
  }

  func matches(_ other: InternKey) -> Bool {
    hash == other.hash && numbers.matches(other.numbers) && firstText == other.firstText
      && secondText == other.secondText
  }

  /// Returns the address of an object that is never freed.
  @inlinable
  static func address(of immortal: AnyObject?) -> UInt64 {
    guard let immortal else { return 0 }
    return UInt64(UInt(bitPattern: ObjectIdentifier(immortal)))
  }

  @inline(__always)
  fileprivate static func mix(_ word: UInt64, into hash: inout UInt64) {
    let mixed = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    hash = mixed ^ mixed &>> 29
  }

  /// Mixes in the length and both ends of a text: enough to distinguish names of any length.
  @inline(__always)
  private static func mix(_ text: String, into hash: inout UInt64) {
    let utf8 = text.utf8
    let ends: (UInt64, UInt64, Int)? = utf8.withContiguousStorageIfAvailable { bytes in
      guard let start = bytes.baseAddress else { return (0, 0, 0) }
      let head = word(UnsafeRawPointer(start), count: min(bytes.count, 8))
      let tail = bytes.count > 8 ? UnsafeRawPointer(start + (bytes.count - 8)).loadUnaligned(as: UInt64.self) : 0
      return (head, tail, bytes.count)
    }
    guard let ends else { return mix(UInt64(truncatingIfNeeded: text.hashValue), into: &hash) }
    mix(ends.0, into: &hash)
    mix(ends.1 ^ UInt64(truncatingIfNeeded: ends.2), into: &hash)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    if count == 8 { return bytes.loadUnaligned(as: UInt64.self) }
    var word: UInt64 = 0
    if count >= 4 {
      let head = UInt64(bytes.loadUnaligned(as: UInt32.self))
      return head &<< 32 | UInt64((bytes + (count - 4)).loadUnaligned(as: UInt32.self))
    }
    for index in 0..<count { word = word &<< 8 | UInt64(bytes.load(fromByteOffset: index, as: UInt8.self)) }
    return word
  }
}
