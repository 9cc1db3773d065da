/// State that several threads share, and the lock that guards it.
///
/// Not `Synchronization.Mutex`: the thread sanitizer reports false races on a contended `Mutex` on Linux. The methods
/// are inlined, because a generic closure of another module costs more than the lock.
///
/// Keep a closure in a structure, not as the state itself. Each access would wrap the closure once more, and after many
/// accesses its call overflows the stack.
@_spi(ModelKitInternals)
public final class Lock<State>: @unchecked Sendable {
  // Sendable is proven by construction: `guarded` is touched only in `withLock`, between lock and unlock. The compiler
  // checks that arguments and results are Sendable or disconnected (`sending`).
  @usableFromInline var guarded: Guarded
  @usableFromInline let lock = SystemLock()

  /// The state, and a byte. A state without size, such as `()`, has the address of the lock itself, and the thread
  /// sanitizer would confuse their accesses.
  @usableFromInline
  struct Guarded {
    @usableFromInline var state: State
    private let size: UInt8 = 0

    @usableFromInline
    init(_ state: sending State) { self.state = state }
  }

  /// Creates a lock that guards a state.
  public init(_ state: sending State) { guarded = Guarded(state) }

  /// Runs `body` alone with the state. Never call out from `body`: no callback, no second lock, no file.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&guarded.state)
  }
}
