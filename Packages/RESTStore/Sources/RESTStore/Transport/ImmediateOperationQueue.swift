#if canImport(FoundationNetworking)
  import Foundation

  /// The queue of a session's delegate that takes what the session reports at once, on the session's own serial queue.
  ///
  /// On Linux each report to a delegate would otherwise be an operation on another thread, and there are three for an answer
  /// of any size: together they cost as much as the rest of a small request.
  ///
  /// `Sendable` because it adds no state to its superclass, which is.
  final class ImmediateOperationQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }
#endif
