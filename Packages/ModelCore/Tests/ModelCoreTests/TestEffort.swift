import Foundation

/// The effort of the randomized tests.
///
/// `MODELKIT_TEST_EFFORT=20` in the environment runs 20 times as many seeds, and every case of tests that otherwise run
/// a sample. `MODELKIT_TEST_SEED` is the first seed, for a different run or to repeat a failure.
enum TestEffort {
  static let factor = ProcessInfo.processInfo.environment["MODELKIT_TEST_EFFORT"].flatMap(Int.init) ?? 1
  static let firstSeed = ProcessInfo.processInfo.environment["MODELKIT_TEST_SEED"].flatMap(UInt64.init) ?? 1

  /// Returns the seeds for this effort.
  static func seeds(_ count: Int) -> Range<UInt64> { firstSeed..<firstSeed + UInt64(count * factor) }
}
