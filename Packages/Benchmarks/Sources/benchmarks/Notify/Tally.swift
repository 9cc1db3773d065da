/// A sum of the values that observers receive.
final class Tally {
  private(set) var sum: UInt64 = 0

  func add(_ number: Int?) { sum &+= UInt64(truncatingIfNeeded: number ?? -1) }

  /// Returns the sum since the last call.
  func take() -> UInt64 {
    defer { sum = 0 }
    return sum
  }
}

/// Returns the values of a round, each different from the one before, even across rounds.
func numbers(of round: Int, count: Int) -> Range<Int> { round * count..<(round + 1) * count }
