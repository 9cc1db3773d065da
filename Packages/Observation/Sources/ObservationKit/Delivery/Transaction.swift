import Synchronization

/// Runs `body`, then notifies every observer once with the first old and the last new value.
///
/// ```swift
/// let (width, height) = (ValueSource(1), ValueSource(1))
/// let area = width.combineLatest(height).map { $0.first * $0.second }
/// area --> { print($0) }  // 1
/// transaction {
///   width.value = 3
///   height.value = 4
/// }  // 12, and nothing between
/// ```
///
/// Values are set at once, and `body` reads them. At the end they flow through bindings and derived observables until
/// none changes any more. Then the observers are notified, in the order in which the observables were first set. A
/// value equal to the one before the transaction counts as unchanged. A set made by such an observer is delivered at
/// once, or together with a change that still waits for its turn.
///
/// An observer is also notified if `body` released the last reference to its observable: capture weakly, not unowned.
///
/// Any number of fields, models and other observables of one isolation can take part. A transaction within a
/// transaction is part of the outer one. If `body` throws, nothing is rolled back: the values stay set, and observers
/// are notified.
///
/// - Parameter body: sets values. Stamps of all of them come from one read of the clock.
/// - Returns: what `body` returns.
/// - Throws: the errors of `body`.
@discardableResult
public func transaction<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  if Transaction.isOpen { return try body() }
  let transaction = Transaction()
  transaction.open()
  defer { transaction.commit() }
  return try body()
}

/// The state of a running `transaction`. There is at most one on a thread.
final class Transaction {
  /// The number of threads in a transaction. While it is zero, no thread has to look its own up.
  private static let openCount = Atomic<Int>(0)

  private var registries: [AnyObservationRegistry] = []
  private var flowing: [AnyObservationRegistry] = []
  @exclusivity(unchecked) private var nextStamp: UInt64 = 0
  @exclusivity(unchecked) private var stampLimit: UInt64 = 0

  /// The transaction of this thread.
  static var current: Transaction? {
    if openCount.load(ordering: .relaxed) == 0 { return nil }
    return ThreadLocal.transaction.pointer.map { Unmanaged<Transaction>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Whether this thread is in a transaction.
  static var isOpen: Bool { openCount.load(ordering: .relaxed) != 0 && ThreadLocal.transaction.pointer != nil }

  func open() {
    Self.openCount.add(1, ordering: .relaxed)
    ThreadLocal.transaction.pointer = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Returns a stamp for a set of this thread; nil outside a transaction. It is reserved, so the clock is not read.
  static func stamp() -> ChangeStamp? {
    guard openCount.load(ordering: .relaxed) != 0, let pointer = ThreadLocal.transaction.pointer else { return nil }
    return Unmanaged<Transaction>.fromOpaque(pointer)._withUnsafeGuaranteedRef { transaction in
      if transaction.nextStamp == transaction.stampLimit {
        let batch: UInt64 = 256
        let isFirst = transaction.stampLimit == 0
        transaction.nextStamp = ChangeStamp.reserve(batch, readingClock: isFirst)
        transaction.stampLimit = transaction.nextStamp + batch
      }
      defer { transaction.nextStamp += 1 }
      return ChangeStamp(nanoseconds: transaction.nextStamp)
    }
  }

  /// Queues an observable that was set for the first time.
  func add(_ registry: AnyObservationRegistry) {
    registries.append(registry)
    flowing.append(registry)
  }

  /// Queues an observable that was set again after its value had propagated.
  func flow(_ registry: AnyObservationRegistry) { flowing.append(registry) }

  func commit() {
    var passes = 0
    while passes < flowing.count {
      flowing[passes].flowPending()
      passes += 1
      if passes > registries.count + BindingIssue.deliveryLimit {
        BindingIssue.report(valueType: Any.self)
        break
      }
    }
    ThreadLocal.transaction.pointer = nil
    Self.openCount.subtract(1, ordering: .relaxed)
    let delivery = ThreadLocal.delivery
    let isOutermost = delivery.pointer == nil
    if isOutermost { delivery.pointer = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
    for registry in registries { registry.deliverPending() }
    if isOutermost { delivery.pointer = nil }
  }

  /// The transaction of this thread whose observers are being notified.
  static var delivering: Transaction? {
    ThreadLocal.delivery.pointer.map { Unmanaged<Transaction>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Returns the transaction that is open on this thread, or whose observers are being notified; nil if there is none. It
/// is an object that is deallocated at its end.
@_spi(ModelKitInternals)
public func currentTransaction() -> AnyObject? { Transaction.delivering ?? Transaction.current }

/// Returns whether this thread is in a transaction. A function of its own: to name the class costs a call more.
@usableFromInline
func isInTransaction() -> Bool { Transaction.isOpen }
