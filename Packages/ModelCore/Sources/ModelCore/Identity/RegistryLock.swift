#if canImport(Darwin)
  import os
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A lock without protected state: a closure that receives the state costs more than the lock for each lookup.
struct RegistryLock: ~Copyable {
  #if canImport(Darwin)
    private let handle = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
  #elseif !os(WASI)
    private let handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  #endif

  init() {
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

  @inline(__always)
  func lock() {
    #if canImport(Darwin)
      os_unfair_lock_lock(handle)
    #elseif !os(WASI)
      pthread_mutex_lock(handle)
    #endif
  }

  @inline(__always)
  func unlock() {
    #if canImport(Darwin)
      os_unfair_lock_unlock(handle)
    #elseif !os(WASI)
      pthread_mutex_unlock(handle)
    #endif
  }
}
