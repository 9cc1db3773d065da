import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@_spi(ModelKitInternals) @testable import RESTStore

private let contents = FileServer.contents
private let length = contents.utf8.count

/// A transport that notes the thread on which it is called.
private final class NotingTransport: StreamingTransport {
  let wasOnMainThread = Lock<Bool?>(nil)

  private func note() { wasOnMainThread.withLock { $0 = Thread.isMainThread } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { HTTPResponse(status: 500) }

  func send(
    _ request: HTTPRequest, from file: URL?, receive: @escaping @Sendable (HTTPResponse, Data?) throws -> Bool
  ) async throws -> HTTPResponse {
    note()
    let head = HTTPResponse(status: 200)
    if try receive(head, nil) { _ = try receive(head, Data("abc".utf8)) }
    return head
  }
}

@Suite struct `A file of a REST store` {
  private let folder: DownloadFolder
  init() throws { folder = try DownloadFolder() }

  private static let eager: RESTOptions = {
    var options = RESTOptions()
    options.retry = .standard
    options.retry.sleep = { _ in }
    return options
  }()

  @Test func `A file is downloaded beside its target, which it replaces at the end`() async throws {
    let server = try FileServer(contents)
    try Data("old".utf8).write(to: folder.target)
    let answer = try await server.store().download("/photo?size=1", to: folder.target, parameters: ["a": "b c"])
    #expect(answer.status == 200 && answer.body.isEmpty && answer.headers["etag"] == "\"1\"")
    #expect(try folder.text() == contents)
    #expect(try folder.names == ["photo"])
    #expect(server.socket.heads.first?.hasPrefix("GET /v1/photo?size=1&a=b%20c HTTP/1.1") == true)
    #expect(FileServer.field("Accept-Encoding", of: server.socket.heads[0]) == "identity")
  }

  @Test func `An empty file is downloaded`() async throws {
    let server = try FileServer("")
    try await server.store().download("/photo", to: folder.target)
    #expect(try folder.text().isEmpty)
    #expect(try folder.names == ["photo"])
  }

  @Test(arguments: [1, 1_000, 100_000, length - 1])
  func `A download that is cut keeps its part, and the next one continues it`(count: Int) async throws {
    let server = try FileServer(contents, [.cut(count)])
    try Data("old".utf8).write(to: folder.target)
    let store = try server.store()
    let error = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(error.code == .offline)
    let kept = try folder.text(folder.part)
    #expect(contents.hasPrefix(kept) && kept.utf8.count <= count)
    #expect(error.message.contains("\(kept.utf8.count) bytes are kept in \"photo.part\"") || kept.isEmpty)
    #expect(try folder.text() == "old")
    let again = try await server.store().download("/photo", to: folder.target)
    #expect(again.status == (kept.isEmpty ? 200 : 206))
    #expect(try folder.text() == contents)
    #expect(try folder.names == ["photo"])
    #expect(server.ranges == ["- -", kept.isEmpty ? "- -" : "bytes=\(kept.utf8.count)- \"1\""])
  }

  @Test func `A retry policy continues a download after each cut`() async throws {
    let server = try FileServer(contents, [.cut(50_000), .silent, .cut(70_000)])
    try await server.store(Self.eager).download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    #expect(server.socket.heads.count == 4)
  }

  @Test func `A download begins again if the file was changed`() async throws {
    let server = try FileServer(contents, [.cut(50_000)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    server.change("new")
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == "new")
  }

  @Test func `A download begins again if the address is another one`() async throws {
    let server = try FileServer(contents, [.cut(50_000)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    try await store.download("/another", to: folder.target)
    #expect(server.ranges == ["- -", "- -"])
    #expect(try folder.text() == contents)
  }

  @Test func `A download begins again if the server has no ranges`() async throws {
    let server = try FileServer(contents, [.cut(50_000), .noRanges])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
  }

  @Test(arguments: [
    "bytes 0-199/200", "bytes 1-2/3", "items 5-6/7", "bytes */7", "bytes 5-x/7", "bytes", "bytes 9-5/20",
    "bytes 99999999999999999999-5/20",
  ])
  func `A download with the wrong range of bytes begins again`(range: String) async throws {
    let server = try FileServer(contents, [.cut(50_000), .range(range)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    #expect(server.ranges.count == 3 && server.ranges[2] == "- -")
  }

  @Test func `A range that was not requested is an error`() async throws {
    let answer = ScriptedServer.Answer.http("206 Part", headers: ["Content-Range: bytes 3-5/9"], "abc")
    let server = try FileServer(contents, [.answer(answer)])
    let error = try await storeError { try await server.store().download("/photo", to: folder.target) }
    #expect(error.code == .server && error.message.contains("another range"))
    #expect(try folder.names.isEmpty)
  }

  @Test func `An unrequested range of the whole file replaces a part of another file`() async throws {
    let answer = ScriptedServer.Answer.http("206 Part", headers: ["Content-Range: bytes 0-2/3"], "abc")
    let server = try FileServer(contents, [.answer(answer)])
    try Data("0123456789".utf8).write(to: folder.part)
    try Data(#"{"kind": "download"}"#.utf8).write(to: folder.version)
    try await server.store().download("/photo", to: folder.target)
    #expect(try folder.text() == "abc")
    #expect(server.ranges == ["- -"])
  }

  @Test func `A range that ends before the file is an error, and its part is kept`() async throws {
    let partial = ScriptedServer.Answer.http(
      "206 Part", headers: ["ETag: \"1\"", "Content-Range: bytes 1000-1009/\(length)"],
      String(contents.dropFirst(1_000).prefix(10)))
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nETag: \"1\"\r\nConnection: close\r\n\r\n"
    let server = try FileServer(contents, [.answer(.text(head + contents.prefix(1_000))), .answer(partial)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    try #require(try folder.text(folder.part).utf8.count == 1_000)
    let error = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(error.code == .offline && error.message.contains("1010 of \(length) bytes"), "\(error.message)")
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    #expect(server.ranges.last?.hasPrefix("bytes=1010-") == true)
  }

  @Test func `A part that is longer than the changed file starts again, a complete one is only moved`() async throws {
    let server = try FileServer(contents, [.cut(50_000)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    // As if the last download had been killed just before the move.
    try Data(contents.utf8).write(to: folder.part)
    #expect(try await store.download("/photo", to: folder.target).status == 200)
    #expect(try folder.text() == contents)
    #expect(server.socket.heads.count == 2)
    server.state.withLock { $0.plan = [.cut(50_000)] }
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    server.change("short", validators: ["ETag: \"1\""])
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == "short")
  }

  @Test(arguments: [
    (["Last-Modified: Sat, 28 Nov 2026 01:00:00 GMT", "Date: Sat, 28 Nov 2026 02:00:00 GMT"], true),
    (["ETag: W/\"1\"", "Last-Modified: Sat, 28 Nov 2026 01:00:00 GMT", "Date: Sat, 28 Nov 2026 02:00:00 GMT"], true),
    (["Last-Modified: Sat, 28 Nov 2026 02:00:00 GMT", "Date: Sat, 28 Nov 2026 02:00:00 GMT"], false),
    (["Last-Modified: yesterday"], false), (["ETag: W/\"1\""], false), ([], false),
  ])
  func `A download is continued only with a strong validator`(validators: [String], isContinued: Bool) async throws {
    let server = try FileServer(contents, validators: validators, [.cut(150_000)])
    let store = try server.store()
    let error = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(error.message.contains("bytes are kept") == isContinued)
    #expect(try folder.names == (isContinued ? ["photo.part", "photo.part.json"] : []))
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    #expect(server.ranges.last?.hasPrefix("bytes=") == isContinued)
  }

  @Test func `A refused download has the error of the server, and keeps its part`() async throws {
    let refusal = ScriptedServer.Answer.http("403 No", #"{"message": "Not yours."}"#)
    let server = try FileServer(contents, [.cut(50_000), .answer(refusal)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    let error = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(error.code == .unauthorized && error.message.contains("Not yours."))
    #expect(error.message.contains("GET /v1/photo"))
    #expect(try folder.names == ["photo.part", "photo.part.json"])
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
  }

  @Test func `A download renews its token, and follows redirects with its range`() async throws {
    let refusal = ScriptedServer.Answer.http("401 No", "{}")
    let moved = ScriptedServer.Answer.http("302 There", headers: ["Location: /elsewhere"])
    let server = try FileServer(contents, [.answer(refusal), .cut(50_000), .answer(moved)])
    var options = Self.eager
    options.authentication = BearerAuthentication("old") { _ in "new" }
    try await server.store(options).download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    let tokens = server.socket.heads.map { FileServer.field("Authorization", of: $0) }
    #expect(tokens.prefix(2) == ["Bearer old", "Bearer new"])
    #expect(server.socket.heads.last?.hasPrefix("GET /elsewhere") == true)
    #expect(server.ranges.last?.hasPrefix("bytes=") == true)
  }

  @Test(arguments: ["204 None", "202 Later"])
  func `An answer without a file is an error`(status: String) async throws {
    let server = try FileServer(contents, [.answer(.http(status, "wait"))])
    let error = try await storeError { try await server.store().download("/photo", to: folder.target) }
    #expect(error.code == .server)
    #expect(try folder.names.isEmpty)
  }

  @Test func `A file that is packed without request, or too long, is an error`() async throws {
    let packed = ScriptedServer.Answer.http("200 OK", headers: ["Content-Encoding: br"], "abc")
    let server = try FileServer(contents, [.answer(packed)])
    let store = try server.store()
    #expect(
      try await storeError { try await store.download("/photo", to: folder.target) }.message.contains("encoding br"))
    let long = try await storeError { try await store.download("/photo", to: folder.target, maximumBytes: length - 1) }
    #expect(long.code == .server && long.message.contains("which is the limit"))
    #expect(try !folder.names.contains("photo"))
    server.state.withLock { $0.plan = [.answer(.endless(head: "HTTP/1.1 200 OK\r\n\r\n", part: contents))] }
    let endless = try await storeError {
      try await store.download("/photo", to: folder.target, maximumBytes: 1_000_000)
    }
    #expect(endless.message.contains("which is the limit"))
    try await store.download("/photo", to: folder.target, maximumBytes: length)
    #expect(try folder.text() == contents)
  }

  @Test func `A download without a folder, or onto one, sends nothing`() async throws {
    let server = try FileServer(contents)
    let store = try server.store()
    let missing = folder.url.appendingPathComponent("none/photo")
    for target in [missing, folder.url, try #require(URL(string: "http://api.test/photo"))] {
      let error = try await storeError { try await store.download("/photo", to: target) }
      #expect(error.code == .inputOutput && error.message.hasPrefix("Nothing was sent"))
    }
    #expect(server.socket.heads.isEmpty)
  }

  @Test func `A part that can't be written is an error before anything is sent`() async throws {
    let server = try FileServer(contents)
    try FileManager.default.createDirectory(at: folder.part, withIntermediateDirectories: true)
    let error = try await storeError { try await server.store().download("/photo", to: folder.target) }
    #expect(error.code == .inputOutput && error.message.contains("photo.part"))
    #expect(server.socket.heads.isEmpty)
  }

  @Test func `A cancelled download keeps its part, and gives its target free`() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nETag: \"1\"\r\n\r\n"
    let server = try FileServer(contents, [.answer(.stalled(head + contents.prefix(1_000)))])
    let store = try server.store()
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let target = folder.target
    let handle = store.handle
    let task = Task {
      try await HTTPProgress.observing({ if $0.receivedBytes == 1_000 { signal.yield() } }) {
        try await RESTModelStore(handle).with(timeout: .seconds(600)).download("/photo", to: target)
      }
    }
    for await _ in signals { break }
    let locked = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(locked.code == .locked)
    task.cancel()
    let error = try await storeError { _ = try await task.value }
    #expect(error.code == .cancelled && error.message.contains("1000 bytes are kept"), "\(error.message)")
    #expect(try folder.names == ["photo.part", "photo.part.json"])
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
  }

  @Test func `The progress of a continued download includes the kept bytes`() async throws {
    let server = try FileServer(contents, [.cut(150_000)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    let seen = Lock<[HTTPProgress]>([])
    _ = try await HTTPProgress.observing({ progress in seen.withLock { $0.append(progress) } }) {
      try await store.download("/photo", to: folder.target)
    }
    let progress = seen.withLock { $0 }
    #expect(progress.last?.receivedBytes == length && progress.last?.expectedBytes == length)
    #expect(progress.allSatisfy { $0.path == "/v1/photo" })
    #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.receivedBytes <= $1.receivedBytes })
  }

  @Test func `A download that brings no byte for the time limit is an error`() async throws {
    let server = try FileServer(contents, [.answer(.silence)])
    let store = try server.store().with(timeout: .milliseconds(200))
    let error = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(error.code == .timeout)
    #expect(try folder.names.isEmpty)
  }

  @Test func `The events of a file have its length`() async throws {
    let server = try FileServer(contents)
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.monitor = monitor
    try await server.store(options).download("/photo?token=s3cret", to: folder.target)
    let bytes = monitor.events.compactMap { event -> Int? in
      if case .answered(_, let bytes, _) = event.kind { bytes } else { nil }
    }
    #expect(bytes == [length])
    #expect(!monitor.events.description.contains("s3cret"))
  }

  @Test func `A part is continued only for the same query and credentials`() async throws {
    let server = try FileServer(contents, [.cut(50_000), .cut(50_000)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo?key=1", to: folder.target) }
    _ = try await storeError { try await store.download("/photo?key=2", to: folder.target) }
    try await store.download(
      "/photo?key=2", to: folder.target, headers: ["Authorization": "Bearer another"])
    #expect(server.ranges == ["- -", "- -", "- -"])
  }

  @Test func `A range of a file of unknown length is not a complete file`() async throws {
    let server = try FileServer(contents, [.answer(.http("206 Part", headers: ["Content-Range: bytes 0-2/*"], "abc"))])
    let store = try server.store()
    let error = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(error.code == .server && error.message.contains("unknown length"))
    let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    let partial = ScriptedServer.Answer.http(
      "206 Part", headers: ["ETag: \"1\"", "Content-Range: bytes 1000-1009/*"],
      String(contents.dropFirst(1_000).prefix(10)))
    server.state.withLock {
      $0.plan = [.answer(.text(head + "3e8\r\n" + contents.prefix(1_000))), .answer(partial)]
    }
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    try #require(try folder.text(folder.part).utf8.count == 1_000)
    let cut = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(cut.code == .offline && cut.message.contains("1010 bytes"), "\(cut.message)")
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
  }

  @Test func `An unrequested range that is cut has its own version`() async throws {
    let range = "HTTP/1.1 206 P\r\nContent-Range: bytes 0-49/50\r\nContent-Length: 50\r\nConnection: close\r\n\r\nother"
    let server = try FileServer(contents, [.cut(50_000), .answer(.text(range))])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    _ = try await storeError { try await store.download("/other", to: folder.target) }
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    #expect(server.ranges.last == "- -")
  }

  @Test func `Two names of one file are one target`() async throws {
    let link = folder.url.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    let first = try FileDownload(to: folder.target, maximumBytes: 1)
    defer { first.end() }
    for name in ["link/photo", "photo.part"] {
      let error = try await storeError {
        try FileDownload(to: folder.url.appendingPathComponent(name), maximumBytes: 1).end()
      }
      #expect(error.code == .locked)
    }
  }

  @Test func `A file that is no part of a download stays as it is`() async throws {
    let server = try FileServer(contents)
    let other = folder.url.appendingPathComponent("other")
    for name in [folder.part, folder.version, other] { try Data("mine".utf8).write(to: name) }
    let store = try server.store()
    func check() async throws {
      let error = try await storeError { try await store.download("/photo", to: folder.target) }
      #expect(error.code == .inputOutput && error.message.contains("photo.part"), "\(error.message)")
    }
    try await check()
    try FileManager.default.removeItem(at: folder.version)
    try await check()
    #expect(try folder.text(folder.part) == "mine")
    // A symbolic link is to a file of another program.
    try FileManager.default.removeItem(at: folder.part)
    try FileManager.default.createSymbolicLink(at: folder.part, withDestinationURL: other)
    try await check()
    try Data(#"{"kind": "download"}"#.utf8).write(to: folder.version)
    try await check()
    #expect(try folder.text(other) == "mine")
    #expect(server.socket.heads.isEmpty)
  }

  @Test func `A refused download removes its own files only`() async throws {
    let server = try FileServer(contents, [.answer(.http("404 None", "{}"))])
    let error = try await storeError { try await server.store().download("/photo", to: folder.target) }
    #expect(error.code == .notFound)
    #expect(try folder.names.isEmpty)
  }

  @Test func `A part that another process writes is locked`() async throws {
    let server = try FileServer(contents, [.cut(50_000)])
    let store = try server.store()
    _ = try await storeError { try await store.download("/photo", to: folder.target) }
    let kept = try folder.text(folder.part)
    let other = try FileHandle(forUpdating: folder.part)
    try #require(flock(other.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    let error = try await storeError { try await store.download("/photo", to: folder.target) }
    #expect(error.code == .locked)
    #expect(try folder.text(folder.part) == kept)
    try other.close()
    try await store.download("/photo", to: folder.target)
    #expect(try folder.text() == contents)
    #expect(server.socket.heads.count == 2)
  }

  @Test func `The digests beside two parts of one address differ`() async throws {
    let server = try FileServer(contents, [.cut(50_000), .cut(50_000)])
    let store = try server.store().with(headers: ["Authorization": "Basic YWRhOnNlY3JldA=="])
    var versions: [DownloadPart.Version] = []
    for name in ["a", "b"] {
      let target = folder.url.appendingPathComponent(name)
      _ = try await storeError { try await store.download("/photo", to: target) }
      versions.append(try #require(DownloadPart(beside: target).version))
    }
    #expect(versions[0].validator == versions[1].validator)
    #expect(versions[0].address != versions[1].address && versions[0].credentials != versions[1].credentials)
  }

  @MainActor private static func download(_ handle: RESTEngine, to target: URL) async throws {
    try await RESTModelStore(handle).download("/photo", to: target)
  }

  @Test func `Files are written outside of the caller's actor`() async throws {
    let transport = NotingTransport()
    try await Self.download(try RESTModelStore(transport).handle, to: folder.target)
    #expect(try folder.text() == "abc")
    #expect(transport.wasOnMainThread.withLock { $0 } == false)
  }

  // MARK: Uploads

  @Test(arguments: [true, false])
  func `A file that changes between two attempts is not sent again`(isRemoved: Bool) async throws {
    let upload = try file("abc")
    let server = try FileServer("", [.answer(.http("503 Busy"))])
    var options = Self.eager
    options.retry.sleep = { _ in
      if isRemoved { try FileManager.default.removeItem(at: upload) } else { try Data("abcd".utf8).write(to: upload) }
    }
    let error = try await storeError { _ = try await server.store(options).upload(.put, "/photo", from: upload) }
    #expect(error.code == .inputOutput && error.message.contains("not certain"), "\(error.message)")
    #expect(server.socket.heads.count == 1)
  }

  private func file(_ text: String) throws -> URL {
    let file = folder.url.appendingPathComponent("upload")
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test(arguments: ["", "a", contents, String(repeating: contents, count: 10)])
  func `A file is uploaded as the body of a request`(text: String) async throws {
    let run = try FaultRun("none")
    let answer = try await run.store().upload(.put, "/people/1", from: try file(text), parameters: ["a": 1])
    #expect(answer.status == 200)
    #expect(try answer.model(Person.self).identifier == "1")
    let log = try await run.log()
    #expect(log.count == 1)
    #expect(log[0]["body"]?.stringValue == text)
    #expect(log[0]["headers"]?["content-length"] == .string(String(text.utf8.count)))
    #expect(log[0]["headers"]?["content-type"] == "application/octet-stream")
    #expect(log[0]["path"]?.stringValue?.hasSuffix("/people/1?a=1") == true)
  }

  @Test func `The progress of an upload counts the sent bytes`() async throws {
    let run = try FaultRun("none")
    let seen = Lock<[HTTPProgress]>([])
    let upload = try file(contents)
    _ = try await HTTPProgress.observing({ progress in seen.withLock { $0.append(progress) } }) {
      try await run.store().upload(.put, "/people/1", from: upload)
    }
    #expect(seen.withLock { $0.map(\.sentBytes).max() } == length)
  }

  @Test(arguments: [("status-418", "server"), ("status-403", "unauthorized"), ("reset-before", "offline")])
  func `A refused or lost upload is an error with its outcome`(fault: String, code: String) async throws {
    let run = try FaultRun(fault)
    let upload = try file(contents)
    let error = try await storeError {
      _ = try await run.store().upload(.post, "/people/1", from: upload, headers: ["Content-Type": "text/plain"])
    }
    #expect(error.code.description == code)
    #expect(error.message.contains("POST"))
    #expect(try await run.methods() == ["POST"])
  }

  @Test func `An upload is sent again from its beginning, where it may be`() async throws {
    let server = try FileServer("", [.answer(.http("503 Busy"))])
    let store = try server.store(Self.eager)
    _ = try await store.upload(.put, "/photo", from: try file("abc"))
    #expect(server.socket.heads.count == 2)
    server.state.withLock { $0.plan = [.answer(.http("503 Busy"))] }
    _ = try await storeError { _ = try await store.upload(.post, "/photo", from: try file("abc")) }
    #expect(server.socket.heads.count == 3)
  }

  @Test func `An upload of a missing file or a folder sends nothing`() async throws {
    let server = try FileServer(contents)
    let store = try server.store()
    for file in [folder.url.appendingPathComponent("none"), folder.url] {
      let error = try await storeError { _ = try await store.upload(.put, "/photo", from: file) }
      #expect(error.code == .inputOutput && error.message.hasPrefix("Nothing was sent"))
    }
    #expect(server.socket.heads.isEmpty)
  }

  @Test func `A transport that can't stream rejects files`() async throws {
    let transport = StubTransport(status: 200, "{}")
    let store = try RESTModelStore(transport)
    let upload = try file("abc")
    for body: () async throws -> Void in [
      { try await store.download("/photo", to: folder.target) },
      { _ = try await store.upload(.put, "/photo", from: upload) },
    ] {
      let error = try await storeError { try await body() }
      #expect(error.code == .unsupported && error.message.contains("StubTransport"))
    }
    #expect(transport.requests.isEmpty)
    #expect(try folder.names == ["upload"])
  }

  @Test(arguments: ["photo", "/../photo", "/a/%2E%2e/b", "/photo#a"])
  func `A file at a path that leaves the base address sends nothing`(path: String) async throws {
    let server = try FileServer(contents)
    let store = try server.store()
    #expect(try await storeError { try await store.download(path, to: folder.target) }.code == .invalid)
    #expect(try folder.names.isEmpty)
  }
}
