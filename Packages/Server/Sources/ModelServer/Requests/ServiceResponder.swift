import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RESTService
import RESTStore
import ServiceLifecycle

/// The adapter between Hummingbird and a service.
struct ServiceResponder: HTTPResponder {
  let service: RESTService
  let inspector: Inspector?
  let authentication: RequestAuthentication
  let options: ModelServerOptions
  let guarded: RequestGuard

  /// The time that a client has to read a response before its connection is closed with unread data.
  private static let lingering = TimeAmount.seconds(1)

  func respond(to request: Request, context: ConnectionContext) async -> Response {
    let start = ContinuousClock.now
    var isBodyRead = !request.hasBody
    var answer: HTTPResponseData
    var events: RESTEventStream?
    // Neither the query nor a header: both may have secrets.
    let line = "\(request.method.rawValue) \(request.uri.path)"
    let onFailure: @Sendable (any Error) -> Void = { [logger = context.logger] in logger.error("\(line) failed: \($0)")
    }
    do {
      (answer, events) = try await self.answer(to: request, &isBodyRead, onFailure)
    } catch let problem as ServerProblem {
      answer = problem.response
    } catch {
      onFailure(error)
      answer = ServerProblem(500, "The server failed. The details are not sent.").response
    }
    // `context.id` traps if the handler of the logger keeps no metadata.
    answer.headers["X-Request-Id"] = context.logger[metadataKey: "hb.request.id"]?.description ?? UUID().uuidString
    if answer.headers["X-Content-Type-Options"] == nil { answer.headers["X-Content-Type-Options"] = "nosniff" }
    context.logger.info("\(line) \(answer.status)", metadata: ["duration": "\(ContinuousClock.now - start)"])
    if let events { return streaming(answer, events) }
    if !isBodyRead { return closing(answer, context.channel, isHead: request.method == .head) }
    return request.method == .head ? response(answer).createHeadResponse() : response(answer)
  }

  /// - Returns: the response, and the events that are its body, if there are any.
  private func answer(
    to request: Request, _ isBodyRead: inout Bool, _ onFailure: @escaping @Sendable (any Error) -> Void
  ) async throws -> (HTTPResponseData, RESTEventStream?) {
    var incoming = try HTTPRequestData(request)
    try guarded.check(authority: request.head.authority, incoming.headers)
    let path = incoming.url.path(percentEncoded: true)
    // The page has to be there before its user can give it a token.
    if let file = inspector?.file(incoming, at: path) { return (file, nil) }
    let user: String?
    switch await authentication.authenticate(incoming) {
    case .user(let name): user = name
    case .anonymous: user = nil
    case .rejected:
      throw ServerProblem(
        401, "This server needs a valid token.", headers: ["WWW-Authenticate": authentication.challenge])
    }
    if !isBodyRead, inspector?.isAction(incoming, at: path) == true {
      try await read(&incoming, from: request, &isBodyRead)
    }
    if let data = try await inspector?.data(incoming, at: path, service, user: user, onFailure) { return (data, nil) }
    if request.method == .get, isBodyRead,
      let events = service.events(for: incoming, user: user, onFailure: onFailure)
    {
      return (HTTPResponseData(status: 200, headers: RESTEventStream.headers), events)
    }
    if !isBodyRead { try await read(&incoming, from: request, &isBodyRead) }
    return (await service.respond(to: incoming, user: user, onFailure: onFailure), nil)
  }

  private func read(_ incoming: inout HTTPRequestData, from request: Request, _ isBodyRead: inout Bool) async throws {
    incoming.body = try await request.collectBody(limit: service.options.maximumBodyBytes, within: options.bodyTimeout)
    isBodyRead = true
  }

  // MARK: Responses

  private func response(_ answer: HTTPResponseData) -> Response {
    Response(
      status: .init(code: answer.status), headers: HTTPFields(answer.headers),
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
  }

  /// Returns a response whose body is sent as events happen, until the client closes the connection or the server is
  /// stopped.
  private func streaming(_ answer: HTTPResponseData, _ events: RESTEventStream) -> Response {
    var response = response(answer)
    response.body = ResponseBody { writer in
      for try await bytes in events.cancelOnGracefulShutdown() { try await writer.write(ByteBuffer(bytes: bytes)) }
      try await writer.finish(nil)
    }
    return response
  }

  /// Returns a response after which the connection is closed: the rest of the body may be endless.
  private func closing(_ answer: HTTPResponseData, _ channel: any Channel, isHead: Bool) -> Response {
    var answer = answer
    answer.headers["Connection"] = "close"
    var response = response(answer)
    let buffer = isHead ? ByteBuffer() : ByteBuffer(bytes: answer.body)
    response.body = ResponseBody(contentLength: buffer.readableBytes) { writer in
      try await writer.write(buffer)
      try await writer.finish(nil)
      channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
    }
    return response
  }
}

extension HTTPFields {
  fileprivate init(_ headers: HTTPHeaderList) {
    self.init()
    for entry in headers.entries {
      if let name = HTTPField.Name(entry.name) { append(HTTPField(name: name, value: entry.value)) }
    }
  }
}

extension HTTPRequestData {
  /// Returns the request without its body.
  ///
  /// - Throws: ``ServerProblem`` with the status 400 for an address that is not a path.
  fileprivate init(_ request: Request) throws {
    let target = request.head.path ?? ""
    // A path after a fixed host: the target can't name another one.
    guard target.hasPrefix("/"), !target.contains("#"),
      let url = URL(string: "http://localhost" + target, encodingInvalidCharacters: false)
    else { throw ServerProblem(400, "The address of the request is not a valid path.") }
    // Hummingbird removes the body of the response to HEAD, and keeps its length.
    let method = request.method == .head ? "GET" : request.method.rawValue
    self.init(Method(method), url)
    for field in request.headers { headers.add(field.name.canonicalName, field.value) }
    if let authority = request.head.authority { headers.add("host", authority) }
  }
}
