#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// One pointer for each thread.
struct ThreadLocal: Sendable {
  /// The transaction that is open on the thread.
  static let transaction = ThreadLocal()
  /// How many rounds the run of deliveries on the thread took: see `ObservationRegistry.deliverQueue`.
  static let rounds = ThreadLocal()
  /// What the thread is about to release: see `ReleaseQueue`.
  static let releases = ThreadLocal()

  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    private let key: pthread_key_t

    private init() {
      var key = pthread_key_t()
      let result = pthread_key_create(&key, nil)
      precondition(result == 0, "This process has no thread-local storage left (error \(result)).")
      self.key = key
    }

    var pointer: UnsafeMutableRawPointer? {
      get { pthread_getspecific(key) }
      nonmutating set { pthread_setspecific(key, newValue) }
    }
  #else
    // Without threads there is one, so nobody else reads or writes what the box holds.
    private final class Box: @unchecked Sendable { var pointer: UnsafeMutableRawPointer? }
    private let box = Box()

    private init() {}

    var pointer: UnsafeMutableRawPointer? {
      get { box.pointer }
      nonmutating set { box.pointer = newValue }
    }
  #endif
}
