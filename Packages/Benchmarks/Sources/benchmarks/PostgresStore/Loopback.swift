#if Postgres
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Sockets of the loopback interface.
  enum Loopback {
    static func makeSocket() -> Int32 {
      #if canImport(Darwin) || canImport(Musl)
        let handle = socket(AF_INET, SOCK_STREAM, 0)
      #else
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #endif
      // Nothing waits for more bytes to send.
      var yes: Int32 = 1
      setsockopt(handle, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
      return handle
    }

    static func address(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      return address
    }

    static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      var address = address(port)
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }
#endif
