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
#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  struct ThreadLocal: Sendable {
    private let key: pthread_key_t

    /// Creates a pointer that is nil on every thread.
    init() { key = Self.makeKey { pthread_key_create(&$0, nil) } }

    /// Creates a pointer to an object that a thread owns: it is released when the thread ends.
    init(owning: AnyObject.Type) {
      key = Self.makeKey {
        pthread_key_create(&$0) { pointer in
          let pointer: UnsafeMutableRawPointer? = pointer
          if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
        }
      }
    }

    var pointer: UnsafeMutableRawPointer? {
      get { pthread_getspecific(key) }
      nonmutating set { pthread_setspecific(key, newValue) }
    }

    private static func makeKey(_ create: (inout pthread_key_t) -> Int32) -> pthread_key_t {
      var key = pthread_key_t()
      let result = create(&key)
      precondition(result == 0, "This process has no thread-local storage left (error \(result)).")
      return key
    }
  }
#else
  // A platform without threads has one, so access cannot conflict.
  final class ThreadLocal: @unchecked Sendable {
    var pointer: UnsafeMutableRawPointer?

    init() {}
    init(owning: AnyObject.Type) {}
  }
#endif

extension ThreadLocal {
  /// The transaction that is open on the thread.
  static let transaction = ThreadLocal()
  /// The transaction whose observers are being notified on the thread.
  static let delivery = ThreadLocal()
  /// The number of rounds of the deliveries in progress on the thread: see `ObservationRegistry.deliverQueue`.
  static let rounds = ThreadLocal()
  /// The objects that the thread is about to release: see `ReleaseQueue`.
  static let releases = ThreadLocal()
}
