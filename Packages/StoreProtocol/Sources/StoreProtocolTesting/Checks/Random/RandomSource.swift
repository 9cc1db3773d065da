/// Random numbers that a seed determines (SplitMix64).
struct RandomSource: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator of the numbers of a seed.
  init(seed: UInt64) { state = seed }

  /// Returns the next number.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 to below a bound.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns one of some values.
  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  /// Returns a value; nil about one time in as many as given.
  mutating func maybe<Value>(oneIn chance: Int = 5, _ value: (inout RandomSource) -> Value) -> Value? {
    below(chance) == 0 ? nil : value(&self)
  }
}
