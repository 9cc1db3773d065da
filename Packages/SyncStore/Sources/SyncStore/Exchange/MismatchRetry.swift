@_spi(ModelKitInternals) import FieldKit
import StoreEngine
import StoreProtocol

/// Repeats a step whose commit failed because another local write came first.
///
/// - Parameters:
///   - type: the type of the records whose mismatches are retried; nil for all.
///   - step: reads records, and commits their next state.
/// - Throws: the errors of the step, or `ModelStoreError` with the code `cancelled`. The code is `conflict` after 1,000
///   attempts, since such a step can't succeed.
func retryingMismatches<Result>(of type: String? = nil, _ step: () async throws -> Result) async throws -> Result {
  var attempts = 0
  while true {
    do {
      return try await step()
    } catch let mismatch as RecordMismatch where type == nil || type == mismatch.type {
      attempts += 1
      if Task.isCancelled {
        throw ModelStoreError(
          .cancelled, "The task was cancelled. Its last step was not written.", identifier: mismatch.identifier)
      }
      guard attempts < 1_000 else {
        throw ModelStoreError(
          .conflict,
          """
          The \(mismatch.type) \(mismatch.identifier.quotedForMessage) was changed by another write before each of \
          \(attempts) attempts. Nothing was written: try again.
          """, identifier: mismatch.identifier, cause: mismatch)
      }
    }
  }
}
