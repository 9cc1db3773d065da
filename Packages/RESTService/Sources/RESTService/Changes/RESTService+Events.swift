import Foundation
import ModelCore
public import RESTStore
import StoreProtocol

// Server-sent events about the records that a query finds.
extension RESTService {
  private static let mediaType = "text/event-stream"
  private static let batchesPerResponse = 16

  /// Returns the stream of events that a request is for; nil for any other request, and if there are too many streams
  /// or requests. Then call ``respond(to:user:onFailure:)``, which also explains a rejection, or sends the events so
  /// far.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - user: the name of the user, as authenticated by the adapter; nil for an anonymous user.
  ///   - onFailure: receives an error of the store, which ends the stream.
  public func events(
    for request: HTTPRequestData, user: String? = nil,
    onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
  ) -> RESTEventStream? {
    guard let call = try? ServiceCall(RESTServiceRequest(http: request, user: user), options), acceptsEvents(call),
      let (served, rest, routed) = try? route(call), rest.isEmpty,
      let read = try? eventReader(served.type, served, routed)
    else { return nil }
    return RESTEventStream(self, user, call.headers["Last-Event-ID"]) { position in
      do {
        return try await read(position)
      } catch {
        if !Self.isCancellation(error) { onFailure(error) }
        throw error
      }
    }
  }

  /// Returns whether a request for a list accepts events.
  func acceptsEvents(_ call: ServiceCall) -> Bool {
    call.method == "GET" && (call.headers["Accept"] ?? "").lowercased().contains(Self.mediaType)
  }

  /// Responds with the events since the last one that the client has, without waiting for others. The client connects
  /// again after a while.
  func recentEvents<M: Model>(
    _ type: M.Type, _ served: ServedType, _ call: ServiceCall
  ) async throws -> HTTPResponseData {
    let read = try eventReader(type, served, call)
    var (position, text) = (call.headers["Last-Event-ID"], "retry: 2000\n\n")
    for _ in 0..<Self.batchesPerResponse {
      let batch = try await read(position)
      text += batch.text
      position = batch.position
      if !batch.hasMore { break }
    }
    return HTTPResponseData(status: 200, headers: RESTEventStream.headers, body: Data(text.utf8))
  }

  /// Returns a function that reads the events after a position.
  ///
  /// - Throws: ``ServiceProblem``.
  private func eventReader<M: Model>(
    _ type: M.Type, _ served: ServedType, _ call: ServiceCall
  ) throws -> RESTEventStream.Reader {
    guard served.mayAllow(.read) else { throw refusal(call) }
    guard let log else {
      throw ServiceProblem(406, "This service has no change log, so it can't send events. List the records.")
    }
    let parameters = try ChangeParameters(call, type, self)
    let (query, limit) = (parameters.query, parameters.limit)
    return { [self] position in
      guard let position, let found = try await log.changes(after: position, atMost: limit),
        let changes = try await recordChanges(query, served, call, found)
      else {
        return try await EventBatch(events: [EventBatch.event("reset", .object([:]))], position: log.currentPosition())
      }
      return try EventBatch(changes, found)
    }
  }
}

/// The events of some changes that follow each other in a log.
struct EventBatch {
  /// The events, without the blank lines that end them.
  let events: [String]
  /// The position after the changes, which is the identifier of the last event.
  let position: String
  /// Whether the log has more changes.
  var hasMore = false

  init(events: [String], position: String) { (self.events, self.position) = (events, position) }

  /// - Throws: `JSONWritingError` if a value can't be written.
  init(_ changes: RecordChanges, _ logged: LoggedChanges) throws {
    events =
      try changes.updated.map { try Self.event("updated", .object($0.record)) }
      + changes.left.map { try Self.event("left", ["identifier": .string($0)]) }
      + changes.deleted.map { try Self.event("deleted", ["identifier": .string($0)]) }
    (position, hasMore) = (logged.position, logged.hasMore)
  }

  static func event(_ name: String, _ data: JSONValue) throws -> String {
    "event: \(name)\ndata: \(try data.jsonString(.init(sortedKeys: true)))\n"
  }

  /// The events as they are sent. Only the last one has an identifier: a client that lost it gets all of them again.
  var text: String { events.joined(separator: "\n") + "id: \(position)\n\n" }
}
