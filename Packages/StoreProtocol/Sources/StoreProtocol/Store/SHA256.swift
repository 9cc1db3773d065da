/// SHA-256 (FIPS 180-4), for short texts.
@_spi(ModelKitInternals)
public enum SHA256 {
  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = primes(64).map { fraction(of: $0, cubeRoot: true) }

  /// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  private static let start: [UInt32] = primes(8).map { fraction(of: $0, cubeRoot: false) }

  /// The 32 bytes of the digest.
  public static func digest(of message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += bytes(of: UInt64(message.count) * 8)
    var state = start
    for block in stride(from: 0, to: padded.count, by: 64) { mix(padded[block..<block + 64], into: &state) }
    return state.flatMap(bytes)
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
      block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let early = words[index - 15]
      let late = words[index - 2]
      words.append(
        words[index - 16] &+ (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) &+ words[index - 7]
          &+ (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10))
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for (word, constant) in zip(words, constants) {
      let choice = (e & f) ^ (~e & g)
      let first = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ constant &+ word
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
      (a, b, c, d, e, f, g, h) = (first &+ second, a, b, c, d &+ first, e, f, g)
    }
    for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
  }

  private static func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 { value >> count | value << (32 - count) }

  private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func primes(_ count: Int) -> [UInt64] {
    var found: [UInt64] = []
    var candidate: UInt64 = 2
    while found.count < count {
      if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
      candidate += 1
    }
    return found
  }

  /// Returns the first 32 fractional bits of a root, computed in integers: a `Double` is not exact enough on every
  /// platform.
  private static func fraction(of prime: UInt64, cubeRoot: Bool) -> UInt32 {
    // The largest r with r² ≤ prime · 2⁶⁴ (or r³ ≤ prime · 2⁹⁶) is the root times 2³².
    var root: UInt64 = 0
    for bit in (0..<37).reversed() {
      let candidate = root | 1 << UInt64(bit)
      let square = UInt128(candidate) * UInt128(candidate)
      let fits = cubeRoot ? square * UInt128(candidate) <= UInt128(prime) << 96 : square <= UInt128(prime) << 64
      if fits { root = candidate }
    }
    return UInt32(truncatingIfNeeded: root)
  }
}
