import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite struct `A number at the limit of integers` {
  enum Form: CaseIterable {
    case django, envelope, jsonAPI, postgREST

    var dialect: any RESTDialect {
      switch self {
      case .django: DjangoRESTDialect(paging: .offset(size: 10))
      case .envelope: EnvelopedDialect(total: "total", paging: .offset(size: 10))
      case .jsonAPI: JSONAPIDialect(paging: .offset(size: 10), totalPath: "meta.total")
      case .postgREST: PostgRESTDialect()
      }
    }

    /// Returns an answer with two people and a number of all people.
    func answer(total: Int) -> HTTPResponseData {
      let list = #"[{"id": 4}, {"id": 5}]"#
      let body =
        switch self {
        case .django: #"{"count": \#(total), "next": null, "results": \#(list)}"#
        case .envelope: #"{"data": \#(list), "total": \#(total)}"#
        case .jsonAPI:
          #"{"data": [{"type": "people", "id": "4"}, {"type": "people", "id": "5"}], "meta": {"total": \#(total)}}"#
        case .postgREST: list
        }
      let headers: HTTPHeaderList = self == .postgREST ? ["Content-Range": "*/\(total)"] : [:]
      return HTTPResponseData(status: 200, headers: headers, body: Data(body.utf8))
    }
  }

  @Test(arguments: Form.allCases, [Int.min, -1])
  func `A negative count of the server is ignored, and the records are counted`(form: Form, total: Int) async throws {
    let store = try RESTModelStore(StubTransport([.success(form.answer(total: total))]), dialect: form.dialect)
    #expect(try await store.count(ModelQuery(Person.self, offset: 3)) == 2)
  }

  @Test(arguments: Form.allCases) func `The largest count of the server is reduced by the offset`(form: Form)
    async throws
  {
    let store = try RESTModelStore(StubTransport([.success(form.answer(total: .max))]), dialect: form.dialect)
    #expect(try await store.count(ModelQuery(Person.self, offset: 3)) == Int.max - 3)
  }

  @Test(arguments: [RESTPaging.pages(size: 1), .pages(size: 1, first: .max), .offset(size: 1)])
  func `A list at the largest offset requests the last page that has a number`(paging: RESTPaging) async throws {
    // A full page, after which there may be another one.
    let server = StubTransport(status: 200, #"[{"id": 1}]"#)
    let store = try RESTModelStore(server, dialect: JSONDialect(paging: paging))
    #expect(try await store.list(Person.self, offset: .max).count == 1)
    #expect(server.lines.count == 1)
    #expect(server.lines.first?.contains("=\(Int.max)") == true)
  }
}
