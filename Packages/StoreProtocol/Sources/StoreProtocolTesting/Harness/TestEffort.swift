import Foundation

/// The effort of randomized tests of a store.
///
/// `MODELKIT_TEST_EFFORT=20` in the environment has them try 20 times as much. `MODELKIT_TEST_SEED` is the seed that
/// they begin with, for another run, or for the seed that a failure names.
///
/// ```swift
/// @Test(arguments: TestEffort.seeds(3)) func `loses no increment`(
///   seed: UInt64
/// ) async throws {
///   try await ModelStoreContract.randomEdits(100, seed: seed).run { MyStore() }
/// }
/// ```
public enum TestEffort {
  /// The factor by which tests run more iterations than usual.
  public static let factor = ProcessInfo.processInfo.environment["MODELKIT_TEST_EFFORT"].flatMap(Int.init) ?? 1
  /// The seed of the first run.
  public static let firstSeed = ProcessInfo.processInfo.environment["MODELKIT_TEST_SEED"].flatMap(UInt64.init) ?? 1

  /// Returns the seeds of the effort.
  public static func seeds(_ count: Int) -> Range<UInt64> { firstSeed..<firstSeed + UInt64(count * factor) }
}
