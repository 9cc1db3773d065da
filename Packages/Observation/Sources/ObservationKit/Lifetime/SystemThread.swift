#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Lets other threads run.
func yieldThread() {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    sched_yield()
  #endif
}

/// A number of the running thread, which no other running thread has.
@usableFromInline
func currentThread() -> UInt {
  #if canImport(Glibc)
    pthread_self()
  #else
    UInt(bitPattern: pthread_self())
  #endif
}
