#if canImport(Darwin)
  public import os
#elseif canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#elseif canImport(Android)
  public import Android
#endif

/// State that several threads share, and the lock that guards it.
///
/// Not `Synchronization.Mutex`: the thread sanitizer reports false races on a contended `Mutex` on Linux. The methods
/// are inlined, because a generic closure of another module costs more than the lock.
@_spi(ModelKitInternals)
public final class Lock<State>: @unchecked Sendable {
  // Sendable is proven by construction: `guarded` is touched only in `withLock`, between lock and unlock, and what goes
  // in or comes out is checked by the compiler to be Sendable or disconnected (`sending`).
  @usableFromInline var guarded: Guarded
  #if canImport(Darwin)
    @usableFromInline let handle = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
  #elseif !os(WASI)
    @usableFromInline let handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  #endif

  /// The state, and a byte: what has no size, as `()`, lies where the lock itself begins, and the thread sanitizer would
  /// take each access for one to that.
  @usableFromInline
  struct Guarded {
    @usableFromInline var state: State
    private let size: UInt8 = 0

    @usableFromInline
    init(_ state: sending State) { self.state = state }
  }

  /// Guards a state.
  public init(_ state: sending State) {
    guarded = Guarded(state)
    #if canImport(Darwin)
      handle.initialize(to: os_unfair_lock())
    #elseif !os(WASI)
      handle.initialize(to: pthread_mutex_t())
      pthread_mutex_init(handle, nil)
    #endif
  }

  deinit {
    #if canImport(Darwin)
      handle.deinitialize(count: 1)
      handle.deallocate()
    #elseif !os(WASI)
      pthread_mutex_destroy(handle)
      handle.deinitialize(count: 1)
      handle.deallocate()
    #endif
  }

  /// Runs `body` alone with the state. Never call out from `body`: no callback, no second lock, no file.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    #if canImport(Darwin)
      os_unfair_lock_lock(handle)
      defer { os_unfair_lock_unlock(handle) }
    #elseif !os(WASI)
      pthread_mutex_lock(handle)
      defer { pthread_mutex_unlock(handle) }
    #endif
    return try body(&guarded.state)
  }
}
