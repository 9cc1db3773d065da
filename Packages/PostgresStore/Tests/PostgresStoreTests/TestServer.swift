#if Postgres
  import Foundation
  import PostgresStore
  import Testing

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A PostgreSQL server in a temporary folder, on a free port of the loopback interface. It ends with this process.
  struct TestServer: Sendable {
    let port: Int
    let folder: URL
    let user: String

    /// The server that most tests share, each with a schema of its own.
    static let shared = Task { try await TestServer() }

    /// The folder of the programs of the server.
    static var programs: String {
      let folders =
        (9...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" } + ["/opt/homebrew/opt/postgresql/bin", "/usr/bin"]
      return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") } ?? "/usr/bin"
    }

    /// The prefix of a command that runs as the user of the server, who must not be root.
    private static var asUser: String {
      geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    }

    private var data: String { folder.appending(path: "data").path() }

    /// Starts a server without data, or with those of another one, which it follows as a standby.
    ///
    /// - Parameters:
    ///   - settings: settings of the server.
    ///   - primary: the server that a standby follows.
    init(settings: [String] = [], standbyOf primary: TestServer? = nil) async throws {
      folder = URL(filePath: NSTemporaryDirectory()).appending(path: "modelkit-postgres-\(UUID().uuidString)")
      port = try Self.freePort()
      user = "tester"
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      if geteuid() == 0 { chown(folder.path(), 65534, 65534) }
      let creation =
        if let primary {
          "pg_basebackup -h 127.0.0.1 -p \(primary.port) -U \(user) -D '\(data)' -R -X stream -c fast"
        } else {
          "initdb -D '\(data)' -U \(user) -A trust -E UTF8 --locale=C.UTF-8 -N"
        }
      try Self.run("cd / && \(Self.asUser) \(Self.programs)/\(creation) > '\(folder.path())/creation.log' 2>&1")
      let options =
        (["port=\(port)", "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=400"]
        + settings).map { "-c '\($0)'" }.joined(separator: " ")
      try Self.launch("\(Self.programs)/postgres -D '\(data)' \(options)", in: folder)
      try await Self.waitUntil { try Self.run("\(Self.programs)/pg_isready -q -h 127.0.0.1 -p \(port)") }
    }

    /// Starts a program as the user of the server. It ends with this process, and its folder is deleted.
    ///
    /// - Parameter signal: the signal that ends it at once.
    static func launch(_ command: String, in folder: URL, endingBy signal: String = "INT") throws {
      // The process waits for the end of its input, which is the end of this process, and ends the server that it
      // started.
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = [
        "-c",
        """
        cd '\(folder.path())'
        \(asUser) \(command) < /dev/null > server.log 2>&1 &
        cat > /dev/null
        kill -\(signal) $! 2> /dev/null
        wait $!
        rm -rf '\(folder.path())'
        """,
      ]
      process.standardInput = Pipe()
      // The runner of the tests waits for the end of their output.
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
      try process.run()
      processes.withLock { $0.append(process) }
    }

    /// Waits until a check that throws succeeds.
    static func waitUntil(_ check: () throws -> Void) async throws {
      for _ in 0..<600 {
        if (try? check()) != nil { return }
        try await Task.sleep(for: .milliseconds(50))
      }
      throw CocoaError(.executableLoad)
    }

    /// Starts a pooler for the server, which gives each transaction any of its connections.
    ///
    /// - Returns: the connection string of the pooler.
    func pooled() async throws -> String {
      let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "modelkit-pooler-\(UUID().uuidString)")
      let port = try Self.freePort()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(
        """
        [databases]
        postgres = host=127.0.0.1 port=\(self.port) dbname=postgres user=\(user)
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(port)
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 10
        max_client_conn = 400
        ignore_startup_parameters = extra_float_digits
        """.utf8
      ).write(to: folder.appending(path: "pooler.ini"))
      if geteuid() == 0 { chown(folder.path(), 65534, 65534) }
      let program = ["/usr/sbin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].first {
        FileManager.default.isExecutableFile(atPath: $0)
      }
      // Other signals wait for its clients.
      try Self.launch("\(program ?? "pgbouncer") pooler.ini", in: folder, endingBy: "KILL")
      try await Self.waitUntil { try Self.run("\(Self.programs)/pg_isready -q -h 127.0.0.1 -p \(port)") }
      return "postgres://\(user)@127.0.0.1:\(port)/postgres"
    }

    /// Makes commits wait until a standby has applied them.
    func waitForStandby() throws {
      try psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
      try psql("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
      try psql("SELECT pg_reload_conf()")
    }

    /// Makes a standby the primary.
    func promote() throws { try psql("SELECT pg_promote()") }

    private static let processes = NSLockProtected<[Process]>([])

    /// The connection string.
    var location: String { "postgres://\(user)@127.0.0.1:\(port)/postgres" }

    /// Options with a schema that no other test has.
    static func options() -> PostgresStoreOptions {
      PostgresStoreOptions(
        schema: "t" + UUID().uuidString.lowercased().replacing("-", with: ""), poolSize: 4, evaluation: .inMemory,
        pollInterval: .milliseconds(20))
    }

    /// A store with a schema of its own.
    static func makeStore(_ options: PostgresStoreOptions = options()) async throws -> PostgresModelStore {
      PostgresModelStore(try await shared.value.location, options: options)
    }

    /// Runs SQL as another program does, and returns what it prints.
    @discardableResult
    func psql(_ sql: String) throws -> String {
      try Self.run(
        "\(Self.programs)/psql -X -q -t -A -v ON_ERROR_STOP=1 '\(location)' <<'END_OF_SQL'\n\(sql)\nEND_OF_SQL")
    }

    @discardableResult
    static func run(_ command: String) throws -> String {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command]
      process.standardOutput = output
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw CommandFailure(command: command) }
      return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Ends the server at once, as a crash does.
    func stop() throws {
      try Self.run("cd / && \(Self.asUser) \(Self.programs)/pg_ctl -D '\(data)' -m immediate stop > /dev/null")
    }

    /// Kills all processes of the server at the same time, as the end of its machine does.
    func kill() throws {
      let file = "'\(data)/postmaster.pid'"
      // The first one is stopped before, so that it starts no others. The last line is about its shared memory.
      try Self.run(
        """
        set -e
        command -v ps > /dev/null
        server=$(head -n 1 \(file)); memory=$(awk 'NR == 7 { print $2 }' \(file))
        kill -STOP $server
        kill -KILL $(ps -A -o pid=,ppid= | awk -v server=$server '$2 == server { print $1 }') $server
        ipcrm -m "$memory" 2> /dev/null || true
        """)
    }

    /// Cuts the connections of this process that have a port on this side, as a broken network does.
    static func cutConnections(port: Int) {
      for handle in Int32(3)..<1_024 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isSocket = withUnsafeMutablePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(handle, $0, &size) == 0 }
        }
        guard isSocket, address.sin_family == sa_family_t(AF_INET), UInt16(bigEndian: address.sin_port) == port else {
          continue
        }
        shutdown(handle, Int32(SHUT_RDWR))
      }
    }

    /// A port that no process listens to.
    static func freePort() throws -> Int {
      let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(handle) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      try withUnsafeMutablePointer(to: &address) { pointer in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          guard bind(handle, pointer, size) == 0, getsockname(handle, pointer, &size) == 0 else {
            throw CommandFailure(command: "bind")
          }
        }
      }
      return Int(UInt16(bigEndian: address.sin_port))
    }
  }

  /// Waits until a condition holds, or the task is cancelled, as by the time limit of its test.
  func yielding(until isReached: () throws -> Bool) async throws {
    while try !isReached() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  struct CommandFailure: Error {
    let command: String
  }

  /// A value behind a lock.
  final class NSLockProtected<Value>: @unchecked Sendable {
    // Unchecked, because the value is read and written inside of the lock only.
    private var value: Value
    private let lock = NSLock()

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
      lock.lock()
      defer { lock.unlock() }
      return body(&value)
    }
  }
#endif
