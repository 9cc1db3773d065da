import AsyncHTTPTransport
import Foundation
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A file of AsyncHTTPClient` {
  private let folder: DownloadFolder
  private let contents = FileServer.contents
  private let length = FileServer.contents.utf8.count
  init() throws { folder = try DownloadFolder() }

  private func store(_ server: FileServer, _ options: RESTOptions = RESTOptions()) throws -> RESTModelStore {
    try server.store(options, transport: AsyncHTTPClientTransport.shared)
  }

  @Test func `A file is downloaded in parts, with progress`() async throws {
    let server = try FileServer(contents)
    let store = try store(server)
    let seen = Lock<[HTTPProgress]>([])
    _ = try await HTTPProgress.observing({ progress in seen.withLock { $0.append(progress) } }) {
      try await store.download("/photo", to: folder.target)
    }
    #expect(try folder.text() == contents)
    #expect(try folder.names == ["photo"])
    let progress = seen.withLock { $0 }
    #expect(progress.last?.receivedBytes == length && progress.last?.expectedBytes == length)
  }

  @Test(arguments: [1, 1_000, 100_000])
  func `A download that is cut is continued`(count: Int) async throws {
    let server = try FileServer(contents, [.cut(count), .silent, .cut(count)])
    var options = RESTOptions()
    options.retry = .standard
    options.retry.sleep = { _ in }
    try await store(server, options).download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    #expect(server.socket.heads.count == 4)
    #expect(server.ranges.last?.hasPrefix("bytes=") == true)
  }

  @Test func `A download follows a redirect to another host with its range, and without credentials`() async throws {
    let other = try FileServer(contents)
    let moved = ScriptedServer.Answer.http(
      "302 There", headers: ["Location: \(try other.socket.url(host: "localhost"))"])
    let server = try FileServer(contents, [.cut(50_000), .answer(moved)])
    var options = RESTOptions()
    options.authentication = BearerAuthentication("secret")
    let store = try store(server, options)
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    #expect(other.ranges.first?.hasPrefix("bytes=") == true)
    #expect(other.socket.heads.allSatisfy { !$0.contains("secret") })
  }

  @Test func `A refused download has the message of the server`() async throws {
    let server = try FileServer(contents, [.answer(.http("403 No", #"{"message": "Not yours."}"#))])
    let error = try await storeError { try await store(server).download("/photo", to: folder.target) }
    #expect(error.code == .unauthorized && error.message.contains("Not yours."))
    #expect(try folder.names.isEmpty)
  }

  @Test func `A download over its limit, or packed, is an error`() async throws {
    let packed = ScriptedServer.Answer.http("200 OK", headers: ["Content-Encoding: gzip"], "abc")
    let endless = ScriptedServer.Answer.endless(head: "HTTP/1.1 200 OK\r\n\r\n", part: contents)
    let server = try FileServer(contents, [.answer(packed), .answer(endless)])
    for text in ["content encoding gzip", "which is the limit"] {
      let error = try await storeError {
        try await store(server).download("/photo", to: folder.target, maximumBytes: 1_000_000)
      }
      #expect(error.code == .server && error.message.contains(text), "\(error.message)")
    }
    #expect(try folder.names.isEmpty)
  }

  @Test func `A download that stalls for the time limit keeps its part`() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nETag: \"1\"\r\n\r\n"
    let server = try FileServer(contents, [.answer(.stalled(head + contents.prefix(1_000)))])
    let error = try await storeError {
      try await store(server).with(timeout: .seconds(1)).download("/photo", to: folder.target)
    }
    #expect(error.code == .timeout && error.message.contains("1000 bytes are kept"), "\(error.message)")
    try await store(server).download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
  }

  @Test func `A cancelled download keeps its part`() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nETag: \"1\"\r\n\r\n"
    let server = try FileServer(contents, [.answer(.stalled(head + contents.prefix(1_000)))])
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let (target, handle) = (folder.target, try store(server).handle)
    let task = Task {
      try await HTTPProgress.observing({ if $0.receivedBytes == 1_000 { signal.yield() } }) {
        try await RESTModelStore(handle).download("/photo", to: target)
      }
    }
    for await _ in signals { break }
    task.cancel()
    let error = try await storeError { _ = try await task.value }
    #expect(error.code == .cancelled && error.message.contains("1000 bytes are kept"), "\(error.message)")
  }

  @Test(arguments: [0, 1, 10])
  func `A file is uploaded as the body of a request, with progress`(count: Int) async throws {
    let text = String(repeating: contents, count: count)
    let file = folder.url.appendingPathComponent("upload")
    try Data(text.utf8).write(to: file)
    let run = try FaultRun("none", transport: AsyncHTTPClientTransport.shared)
    let seen = Lock<[HTTPProgress]>([])
    let answer = try await HTTPProgress.observing({ progress in seen.withLock { $0.append(progress) } }) {
      try await run.store().upload(.put, "/people/1", from: file)
    }
    #expect(answer.status == 200)
    let log = try await run.log()
    #expect(log.count == 1)
    #expect(log[0]["body"]?.stringValue == text)
    #expect(log[0]["headers"]?["content-length"] == .string(String(text.utf8.count)))
    #expect(seen.withLock { $0.map(\.sentBytes).max() } == text.utf8.count)
  }

  @Test func `An upload that is refused or lost is an error`() async throws {
    let file = folder.url.appendingPathComponent("upload")
    try Data(contents.utf8).write(to: file)
    for (fault, code) in [("status-403", ModelStoreError.Code.unauthorized), ("reset-before", .offline)] {
      let run = try FaultRun(fault, transport: AsyncHTTPClientTransport.shared)
      let error = try await storeError { _ = try await run.store().upload(.post, "/people/1", from: file) }
      #expect(error.code == code)
    }
  }
}
