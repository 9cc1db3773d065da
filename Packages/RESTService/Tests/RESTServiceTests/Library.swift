import Foundation
import MemoryStore
import RESTService
import Testing

final class Owner: Model {
  @Field var id: Int?
  @Required(.notBlank) var name = ""
  @Field var secret: String?
  override var identifierField: AnyField? { $id }
}

final class Novel: Model {
  @Field var id: Int?
  @Required(.length(1...20)) var title = "Untitled"
  @Field(.range(1...5)) var rating: Int?
  @Field var writer: String?
  @ModelField(foreignKey: true) var owner: Owner?
  override var identifierField: AnyField? { $id }
}

/// A service with novels and owners in memory, and requests to it.
struct Library: ServedLibrary {
  let store = MemoryModelStore()
  let service: RESTService

  init(options: RESTServiceOptions = RESTServiceOptions(), access: ((inout RESTAccess) -> Void)? = nil) {
    service = RESTService(store.handle, serving: [Owner.self, Novel.self], options: options, access: access)
  }
}

/// A store of novels, and a service of them.
protocol ServedLibrary {
  associatedtype Store: ModelStore
  var store: Store { get }
  var service: RESTService { get }
}

extension ServedLibrary {
  /// Adds novels with these titles.
  func add(_ titles: String...) async throws {
    for title in titles {
      let novel = Novel()
      novel.title = title
      try await store.create(novel)
    }
  }

  func request(
    _ method: String, _ address: String, _ body: JSONValue? = nil, headers: HTTPHeaderList = [:], user: String? = nil
  ) async throws -> Answer {
    let url = try #require(URL(string: "http://library.test" + address))
    let request = HTTPRequestData(
      HTTPRequestData.Method(method), url, headers: headers, body: try body?.jsonData())
    return Answer(response: await service.respond(to: request, user: user))
  }
}

struct Answer {
  let response: HTTPResponseData

  var status: Int { response.status }
  var json: JSONValue? { try? JSONValue(json: response.body) }
  var tag: String? { response.headers["ETag"] }
  /// The titles of the records of a list.
  var titles: [String] { json?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? [] }
  /// The address of the next page below the host.
  func next(after path: String) throws -> String {
    let link = try #require(response.headers["Link"])
    let start = try #require(link.firstIndex(of: "<")), end = try #require(link.firstIndex(of: ">"))
    return path + link[link.index(after: start)..<end]
  }
}
