#if canImport(FoundationNetworking)
  import Foundation

  /// A queue for a session's delegate that runs each report at once, on the session's own serial queue.
  ///
  /// Otherwise each report to a delegate on Linux would be an operation on another thread. An answer of any size takes
  /// three, which together cost as much as the rest of a small request.
  ///
  /// `Sendable` because it adds no state to its superclass, which is `Sendable`.
  final class ImmediateOperationQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }
#endif
