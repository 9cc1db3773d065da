#if canImport(Darwin)
  public import os
#elseif canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#elseif canImport(Android)
  public import Android
#endif

/// A lock of the operating system, without protected state.
///
/// For state that is accessed too often for the closure of ``Lock``. Each call of `lock()` has its `unlock()`.
@_spi(ModelKitInternals)
public struct SystemLock: ~Copyable {
  #if canImport(Darwin)
    @usableFromInline let handle = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
  #elseif !os(WASI)
    @usableFromInline let handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  #endif

  /// Creates a lock that is not held.
  public init() {
    #if canImport(Darwin)
      handle.initialize(to: os_unfair_lock())
    #elseif !os(WASI)
      handle.initialize(to: pthread_mutex_t())
      pthread_mutex_init(handle, nil)
    #endif
  }

  deinit {
    #if !os(WASI)
      #if !canImport(Darwin)
        pthread_mutex_destroy(handle)
      #endif
      handle.deinitialize(count: 1)
      handle.deallocate()
    #endif
  }

  /// Waits until the lock is not held, and holds it.
  @inlinable @inline(__always)
  public func lock() {
    #if canImport(Darwin)
      os_unfair_lock_lock(handle)
    #elseif !os(WASI)
      pthread_mutex_lock(handle)
    #endif
  }

  /// Releases the lock.
  @inlinable @inline(__always)
  public func unlock() {
    #if canImport(Darwin)
      os_unfair_lock_unlock(handle)
    #elseif !os(WASI)
      pthread_mutex_unlock(handle)
    #endif
  }
}
