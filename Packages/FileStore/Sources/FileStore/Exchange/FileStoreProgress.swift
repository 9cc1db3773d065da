/// The progress of an export or import.
///
/// ```swift
/// try await store.exportJSON(to: url) {
///   print("\($0.modelCount) models, \(Int($0.fractionCompleted * 100)) %")
/// }
/// ```
public struct FileStoreProgress: Sendable, Hashable {
  /// The number of processed models.
  public let modelCount: Int
  /// The completed fraction, from 0 to 1.
  public let fractionCompleted: Double

  init(_ modelCount: Int, _ done: UInt64, of total: UInt64) {
    self.modelCount = modelCount
    fractionCompleted = total == 0 ? 1 : min(1, Double(done) / Double(total))
  }
}
