import Foundation
import ModelKit
@_spi(ModelKitInternals) import StoreEngine
import Testing

@testable import StoreProtocolTesting

/// Random histories of all ways to edit, write and read models, compared with plain values after each step.
@MainActor @Suite struct `Random editing` {
  @Test(arguments: TestEffort.seeds(24))
  func `Models in a memory store have the values of the reference after each step`(seed: UInt64) async throws {
    try await run(seed, .memory)
  }

  @Test(arguments: TestEffort.seeds(12))
  func `Models in a store that refuses commits have the values of the reference`(seed: UInt64) async throws {
    try await run(seed, .refusing)
  }

  @Test(arguments: TestEffort.seeds(4))
  func `Models in a file store have the values of the reference after each step`(seed: UInt64) async throws {
    try await run(seed, .file)
  }

  /// Runs the history of a seed, and reports the shortest part of it that was found to fail.
  private func run(_ seed: UInt64, _ kind: EditingHistory.Kind) async throws {
    guard let history = await EditingHistory(seed: seed, kind).failure() else { return }
    Issue.record("seed \(seed), \(kind):\n\(history)")
  }
}
