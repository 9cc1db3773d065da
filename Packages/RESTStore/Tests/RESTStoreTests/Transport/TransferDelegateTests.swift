import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import RESTStore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct `A delegate of a URLSession` {
  @Test func `The head of an answer and a redirect end a pause, as bytes do`() throws {
    let table = TransferTable()
    let delegate = TransferDelegate(table)
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let url = try #require(URL(string: "http://api.test/photo"))
    let task = session.dataTask(with: url)
    table.add(Transfer(HTTPRequestData(.get, url), observer: nil), for: task, timeout: .seconds(600), isForPauses: true)
    func deadline() throws -> ContinuousClock.Instant { try #require(table.deadline(of: task)) }
    func response(_ status: Int) throws -> HTTPURLResponse {
      try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil))
    }
    let start = try deadline()
    delegate.urlSession(
      session, task: task, willPerformHTTPRedirection: try response(302), newRequest: URLRequest(url: url)
    ) { _ in }
    let redirected = try deadline()
    delegate.urlSession(session, dataTask: task, didReceive: try response(200)) { _ in }
    let answered = try deadline()
    delegate.urlSession(session, dataTask: task, didReceive: Data("a".utf8))
    #expect(start < redirected && redirected < answered)
    #expect(try answered < deadline())
  }
}
