#if Postgres
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A PostgreSQL server in a folder of its own, on a free port of the loopback interface. It ends with this process.
  final class DatabaseServer {
    let port: Int
    private let folder: StoreFolder
    /// A pipe whose closing ends the server.
    private let input = Pipe()

    struct NotStarted: Error, CustomStringConvertible {
      let description: String
    }

    /// The folder of the programs of the server.
    private static var programs: String {
      let folders =
        (14...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" } + ["/opt/homebrew/opt/postgresql/bin", "/usr/bin"]
      return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") } ?? "/usr/bin"
    }

    /// The prefix of a command that runs as the user of the server, who must not be root.
    private static var asUser: String {
      geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    }

    /// Starts a server with an empty database.
    init(in place: StoreFolder.Place) throws {
      folder = try StoreFolder(in: place)
      port = try Self.freePort()
      let path = folder.url.path(percentEncoded: false)
      if geteuid() == 0 { chown(path, 65534, 65534) }
      try Self.run(
        """
        cd / && \(Self.asUser) \(Self.programs)/initdb -D '\(path)/data' -U tester -A trust -E UTF8 --locale=C.UTF-8 \
        > '\(path)/creation.log' 2>&1
        """)
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = [
        "-c",
        """
        cd '\(path)'
        \(Self.asUser) \(Self.programs)/postgres -D '\(path)/data' -c port=\(port) -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories= -c max_connections=200 < /dev/null > server.log 2>&1 &
        cat > /dev/null
        kill -INT $! 2> /dev/null
        wait $!
        rm -rf '\(path)'
        """,
      ]
      process.standardInput = input
      try process.run()
      for _ in 0..<600 {
        if (try? Self.run("\(Self.programs)/pg_isready -q -h 127.0.0.1 -p \(port)")) != nil { return }
        usleep(50_000)
      }
      throw NotStarted(description: "The PostgreSQL server did not start: see \(path).")
    }

    /// The connection string.
    var location: String { "postgres://tester@127.0.0.1:\(port)/postgres" }

    /// Ends the server and removes its folder.
    func stop() { try? input.fileHandleForWriting.close() }

    /// Runs SQL with `psql`, which must succeed.
    func psql(_ sql: String) throws {
      try Self.run("\(Self.programs)/psql -X -q -v ON_ERROR_STOP=1 '\(location)' <<'END_OF_SQL'\n\(sql)\nEND_OF_SQL")
    }

    private static func run(_ command: String) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      if process.terminationStatus != 0 { throw NotStarted(description: "This command failed: \(command)") }
    }

    /// A port that no process listens to.
    static func freePort() throws -> Int {
      let handle = Loopback.makeSocket()
      defer { close(handle) }
      var address = Loopback.address(0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      try withUnsafeMutablePointer(to: &address) { pointer in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          guard bind(handle, pointer, size) == 0, getsockname(handle, pointer, &size) == 0 else {
            throw NotStarted(description: "There is no free port.")
          }
        }
      }
      return Int(UInt16(bigEndian: address.sin_port))
    }
  }
#endif
