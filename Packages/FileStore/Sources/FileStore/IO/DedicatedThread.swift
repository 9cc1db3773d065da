#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A thread for blocking work, outside the cooperative pool.
enum DedicatedThread {
  /// Starts a thread that runs `body` once and ends.
  static func start(for path: String, _ body: @escaping @Sendable () -> Void) throws(FileSystemError) {
    let code = create(Body(body))
    if code != 0 { throw FileSystemError(.startThread, path, code: code) }
  }

  private static func create(_ body: Body) -> Int32 {
    let retained = Unmanaged.passRetained(body)
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let code = pthread_create(&thread, nil, runBody, retained.toOpaque())
    if code != 0 { retained.release() }
    #if canImport(Glibc)
      if code == 0 { pthread_detach(thread) }
    #else
      if code == 0, let thread { pthread_detach(thread) }
    #endif
    return code
  }
}

private final class Body {
  private let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }

  func run() {
    // A file beyond the limit of the process is to be an error of the call. The signal would end the process.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    work()
  }
}

// The thread's function. A closure within `create(_:)` would crash the compiler of Swift 6.3.
#if canImport(Darwin)
  private func runBody(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
    return nil
  }
#else
  private func runBody(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
    return nil
  }
#endif
