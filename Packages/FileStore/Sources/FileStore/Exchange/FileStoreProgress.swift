/// How far something has come that takes long.
///
/// ```swift
/// try await store.exportJSON(to: url) { print("\($0.modelCount) models, \(Int($0.fractionCompleted * 100)) %") }
/// ```
public struct FileStoreProgress: Sendable, Hashable {
  /// How many models are done.
  public let modelCount: Int
  /// How much is done, from 0 to 1.
  public let fractionCompleted: Double

  init(_ modelCount: Int, _ done: UInt64, of total: UInt64) {
    self.modelCount = modelCount
    fractionCompleted = total == 0 ? 1 : min(1, Double(done) / Double(total))
  }
}
