import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import RESTStore
import StoreProtocol

/// One request, the redirects after it, and its answer.
struct Exchange: Sendable {
  /// The streams of bodies.
  struct Stream: Sendable {
    /// The file with the body of the request; nil for a body in memory.
    let file: URL?
    /// The function that takes the body of the answer.
    let receive: @Sendable (HTTPResponseData, Data?) throws -> Bool
    let pauses: Pauses
  }

  /// The transport. It is retained because its client is shut down when it is released.
  private let transport: AsyncHTTPClientTransport
  private let observer: (@Sendable (HTTPProgress) -> Void)?

  private let stream: Stream?

  init(
    _ transport: AsyncHTTPClientTransport, _ observer: (@Sendable (HTTPProgress) -> Void)?, stream: Stream? = nil
  ) {
    self.transport = transport
    self.stream = stream
    self.observer = observer
  }

  func response(to first: HTTPRequestData) async throws -> HTTPResponseData {
    var request = first
    request.authorizeByAddress()
    var redirects = 0
    while true {
      let response = try await answer(to: request)
      guard let next = request.redirected(by: response) else { return response }
      redirects += 1
      guard redirects <= first.maximumRedirects else {
        throw ModelStoreError(
          .server, "the server redirects more than \(first.maximumRedirects) times, which is the limit")
      }
      request = next
    }
  }

  private func answer(to request: HTTPRequestData) async throws -> HTTPResponseData {
    // The client would send the request of a cancelled task before it notices.
    try Task.checkCancellation()
    let (body, bodyLength) = try body(of: request)
    let answer = try await transport.client.execute(HTTPClientRequest(request, body), deadline: .distantFuture)
    stream?.pauses.end()
    var response = HTTPResponseData(status: Int(answer.status.code))
    for (name, value) in answer.headers { response.headers.add(name, value) }
    var progress = HTTPProgress(path: request.url.path, sentBytes: bodyLength)
    let length = answer.headers.first(name: "Content-Length").flatMap { UInt64($0) }
    if let stream, try stream.receive(response, nil) {
      progress.expectedBytes = length.flatMap { Int(exactly: $0) }
      for try await part in answer.body {
        stream.pauses.end()
        _ = try stream.receive(response, Data(part.readableBytesView))
        progress.receivedBytes += part.readableBytes
        observer?(progress)
      }
      return response
    }
    if let length, length > UInt64(max(0, request.maximumResponseBytes)) {
      throw ModelStoreError(longerThan: request.maximumResponseBytes)
    }
    progress.expectedBytes = length.flatMap { Int(exactly: $0) }
    observer?(progress)
    let isPacked = response.packing != nil
    for try await part in answer.body {
      stream?.pauses.end()
      response.body.append(contentsOf: part.readableBytesView)
      guard response.body.count <= request.maximumResponseBytes else {
        throw ModelStoreError(longerThan: request.maximumResponseBytes)
      }
      progress.receivedBytes = response.body.count
      // Progress counts unpacked bytes.
      if !isPacked { observer?(progress) }
    }
    if isPacked {
      try response.unpack(limit: request.maximumResponseBytes)
      progress.receivedBytes = response.body.count
      observer?(progress)
    }
    return response
  }

  /// Returns the body of a request, and its length.
  private func body(of request: HTTPRequestData) throws -> (HTTPClientRequest.Body?, Int) {
    guard let stream, let file = stream.file else {
      return (request.body.map { .bytes(ByteBuffer(bytes: $0)) }, request.body?.count ?? 0)
    }
    let path = request.url.path
    let parts = try FileParts(file: file) { [observer] count in
      stream.pauses.end()
      observer?(HTTPProgress(path: path, sentBytes: count))
    }
    return (.stream(parts, length: .known(Int64(parts.length))), parts.length)
  }
}

extension HTTPRequestData {
  /// Makes a header of the name and password in the address, if there are any. Those in the address of a redirect are
  /// ignored.
  fileprivate mutating func authorizeByAddress() {
    guard headers["Authorization"] == nil, let user = url.user(percentEncoded: false) else { return }
    let credentials = "\(user):\(url.password(percentEncoded: false) ?? "")"
    headers["Authorization"] = "Basic \(Data(credentials.utf8).base64EncodedString())"
  }
}

extension HTTPClientRequest {
  fileprivate init(_ request: HTTPRequestData, _ body: Body?) {
    self.init(url: request.url.absoluteString)
    method = HTTPMethod(rawValue: request.method.description)
    for entry in request.headers.entries { headers.add(name: entry.name, value: entry.value) }
    // Some servers reject requests without a sender.
    for (name, value) in [("Accept-Encoding", "gzip"), ("User-Agent", "ModelKit")] where request.headers[name] == nil {
      headers.add(name: name, value: value)
    }
    self.body = body
  }
}
