#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// One pointer for each thread: the transaction that is open on it.
enum ThreadLocal {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      let result = pthread_key_create(&key, nil)
      precondition(result == 0, "This process has no thread-local storage left (error \(result)).")
      return key
    }()

    static var pointer: UnsafeMutableRawPointer? {
      get { pthread_getspecific(key) }
      set { pthread_setspecific(key, newValue) }
    }
  #else
    // Without threads there is one.
    nonisolated(unsafe) static var pointer: UnsafeMutableRawPointer?
  #endif
}
