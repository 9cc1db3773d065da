import Foundation
import RESTStore
import Testing

@Suite struct `The description of a REST store` {
  @Test func `The description of a REST store has the base address without credentials`() throws {
    let url = try #require(URL(string: "https://ada:hunter2@example.com:8080/api/v2?key=4711#top"))
    let store = RESTModelStore(baseURL: url)
    #expect("\(store)" == "RESTModelStore(https://example.com:8080/api/v2)")
    #expect(String(reflecting: store.handle) == "RESTEngine(https://example.com:8080/api/v2)")
  }

  @Test func `The description of a REST store and those of its parts show no credentials, however they are printed`()
    throws
  {
    let url = try #require(URL(string: "https://ada:hunter2@example.com/people?token=4711&page=2"))
    var options = RESTOptions()
    options.authentication = BearerAuthentication("hunter2")
    let request = HTTPRequestData(
      .post, url, headers: ["Authorization": "Bearer hunter2", "Accept": "text/plain"], body: Data("4711".utf8))
    let response = HTTPResponseData(
      status: 200, headers: ["Set-Cookie": "hunter2", "Refresh": "0; url=http://h?token=4711"])
    let values: [Any] = [
      options, BasicAuthentication(user: "ada", password: "hunter2"), BearerAuthentication("hunter2"), request,
      request.headers, request.headers.entries, response, RESTModelStore(baseURL: url, options: options),
      RESTModelStore(baseURL: url, options: options).handle,
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in [dumped, "\(value)", String(reflecting: value)] {
        for secret in ["hunter2", "4711", "YWRh"] { #expect(!text.contains(secret), "\(text)") }
      }
    }
    #expect("\(request.headers)" == "[Authorization: REDACTED, Accept: text/plain]")
    #expect("\(request)" == "POST https://REDACTED:REDACTED@example.com/people?token=REDACTED&page=2, 4 bytes")
    #expect("\(BearerAuthentication(nil))" == "BearerAuthentication(no token)")
  }
}
