/// The hash of identifiers in a table of slots. It depends on the secret, which a checkpoint stores.
///
/// The secret is random, so identifiers can't be chosen to collide in one slot.
struct IdentifierHash: Sendable, Equatable {
  let first: UInt64
  let second: UInt64

  /// A hash with a new secret.
  init() {
    var random = SystemRandomNumberGenerator()
    (first, second) = (random.next(), random.next())
  }

  init(first: UInt64, second: UInt64) { (self.first, self.second) = (first, second) }

  /// Returns a number for an identifier, 0 or more.
  func callAsFunction(_ identifier: UnsafeRawBufferPointer) -> Int {
    var state = first ^ UInt64(identifier.count)
    var offset = 0
    while offset + 8 <= identifier.count {
      state = Self.fold(state ^ identifier.loadUnaligned(fromByteOffset: offset, as: UInt64.self), second | 1)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < identifier.count {
      rest = rest << 8 | UInt64(identifier[offset])
      offset += 1
    }
    state = Self.fold(state ^ rest, 0x9e37_79b9_7f4a_7c15 ^ second)
    return Int(truncatingIfNeeded: Self.fold(state, 0xd6e8_feb8_6659_fd93) & UInt64(Int.max))
  }

  /// Returns both halves of a product, one over the other: each bit depends on all.
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
