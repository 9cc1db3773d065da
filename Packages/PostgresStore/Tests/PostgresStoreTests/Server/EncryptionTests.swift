#if Postgres
  import Foundation
  import PostgresStore
  import StoreProtocol
  import Testing

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  @Suite struct `Encrypted connections to PostgreSQL` {
    /// Makes a certificate authority, and with it the certificate of a server for 127.0.0.1.
    private func makeCertificates(in folder: URL) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let new = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
      try TestServer.run(
        """
        cd '\(folder.path())' && {
        \(new) -subj /CN=root -keyout root.key -out root.crt
        \(new) -subj /CN=other -keyout other.key -out other.crt
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server -keyout server.key -out server.csr
        printf 'subjectAltName=IP:127.0.0.1\n' > names
        openssl x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial -days 2 -extfile names -out server.crt
        } 2> /dev/null && chmod 755 . && chmod 600 server.key
        """)
      if geteuid() == 0 { chown(folder.appending(path: "server.key").path(), 65534, 65534) }
    }

    @Test func `Only a server with a certificate for its name, of a trusted root, is used with verify-full`()
      async throws
    {
      let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "modelkit-tls-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      try makeCertificates(in: folder)
      func path(_ name: String) -> String { folder.appending(path: name).path() }
      let server = try await TestServer(settings: [
        "ssl=on", "ssl_cert_file=\(path("server.crt"))", "ssl_key_file=\(path("server.key"))",
      ])
      func store(_ host: String, _ root: String) -> PostgresModelStore {
        PostgresModelStore(
          "host=\(host) hostaddr=127.0.0.1 port=\(server.port) user=tester dbname=postgres sslmode=verify-full "
            + "sslrootcert='\(path(root))'", options: TestServer.options())
      }
      let trusted = store("127.0.0.1", "root.crt")
      #expect(try await trusted.count(Note.self) == 0)
      #expect(try server.psql("SELECT count(*) FROM pg_stat_ssl WHERE ssl") >= "1")
      for (host, root, reason) in [
        ("127.0.0.1", "other.crt", "certificate verify failed"), ("db.example", "root.crt", "does not match"),
      ] {
        let error = await #expect(throws: ModelStoreError.self) { _ = try await store(host, root).count(Note.self) }
        #expect(error?.code == .offline)
        #expect(error.map { "\($0)" }?.contains(reason) == true)
      }
    }
  }
#endif
