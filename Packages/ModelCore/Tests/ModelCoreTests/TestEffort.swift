import Foundation

/// How much the randomized tests try.
///
/// `MODELKIT_TEST_EFFORT=20` in the environment lets them try 20 times as much, and every case of which they try a
/// sample otherwise. `MODELKIT_TEST_SEED` is the seed that they begin with, for another run, or for the seed that a
/// failure names.
enum TestEffort {
  static let factor = ProcessInfo.processInfo.environment["MODELKIT_TEST_EFFORT"].flatMap(Int.init) ?? 1
  static let firstSeed = ProcessInfo.processInfo.environment["MODELKIT_TEST_SEED"].flatMap(UInt64.init) ?? 1

  /// As many seeds as the effort asks for.
  static func seeds(_ count: Int) -> Range<UInt64> { firstSeed..<firstSeed + UInt64(count * factor) }
}
