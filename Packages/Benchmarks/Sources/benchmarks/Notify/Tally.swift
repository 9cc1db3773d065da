/// Where observers add up what they are told.
final class Tally {
  private(set) var sum: UInt64 = 0

  func add(_ number: Int?) { sum &+= UInt64(truncatingIfNeeded: number ?? -1) }

  /// What was added since the last call.
  func take() -> UInt64 {
    defer { sum = 0 }
    return sum
  }
}

/// The values that a round sets: each different from the one before, also across rounds.
func numbers(of round: Int, count: Int) -> Range<Int> { round * count..<(round + 1) * count }
