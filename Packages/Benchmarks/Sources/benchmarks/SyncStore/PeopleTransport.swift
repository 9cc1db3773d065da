import Foundation
import RESTStore
import Synchronization

/// A server of people in this process, which takes no time of a network: a list, and a change log.
final class PeopleTransport: HTTPTransport {
  private let everybody: Data
  private let changed = Mutex(Data("[]".utf8))

  /// - Parameter people: the people of the list.
  init(_ people: [PersonRecord]) throws { everybody = try PersonRecord.json(people) }

  /// Sets the people that were changed since any position.
  func setChanged(_ people: [PersonRecord]) throws {
    let data = try PersonRecord.json(people)
    changed.withLock { $0 = data }
  }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    guard let position = items.first(where: { $0.name == "updated_since" }) else { return answer(everybody) }
    if position.value?.isEmpty ?? true {
      return answer(#"{"updated":[],"deleted":[],"left":[],"hasMore":false,"position":"1","reset":true}"#)
    }
    let updated = String(decoding: changed.withLock { $0 }, as: UTF8.self)
    return answer(
      #"{"updated":\#(updated),"deleted":[],"left":[],"hasMore":false,"position":"1","reset":false}"#)
  }

  private func answer(_ text: String) -> HTTPResponse { answer(Data(text.utf8)) }

  private func answer(_ data: Data) -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: data)
  }
}
