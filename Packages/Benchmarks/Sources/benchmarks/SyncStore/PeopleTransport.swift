import Foundation
import RESTStore
import Synchronization

/// A server of people in this process, which takes no time of a network: a list, and a change log.
final class PeopleTransport: HTTPTransport {
  /// The pages of the list.
  private let pages: [Data]
  private let pageSize: Int
  private let changed = Mutex(Data("[]".utf8))

  /// - Parameters:
  ///   - people: the people of the list.
  ///   - pageSize: the number of people in a page of the list.
  init(_ people: [PersonRecord], pageSize: Int) throws {
    self.pageSize = pageSize
    pages = try stride(from: 0, to: people.count, by: pageSize).map { start in
      try PersonRecord.json(Array(people[start..<min(start + pageSize, people.count)]))
    }
  }

  /// Sets the people that were changed since any position.
  func setChanged(_ people: [PersonRecord]) throws {
    let data = try PersonRecord.json(people)
    changed.withLock { $0 = data }
  }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    guard let position = items.first(where: { $0.name == "updated_since" }) else {
      let offset = items.first { $0.name == "offset" }.flatMap { Int($0.value ?? "") } ?? 0
      return offset / pageSize < pages.count ? answer(pages[offset / pageSize]) : answer("[]")
    }
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
