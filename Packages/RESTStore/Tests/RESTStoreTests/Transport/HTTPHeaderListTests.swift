import RESTStore
import Testing

@Suite struct `A list of headers` {
  @Test func `A list of headers compares names without regard to case`() {
    var headers: HTTPHeaderList = ["Content-Type": "text/plain"]
    #expect(headers["content-type"] == "text/plain")
    headers["CONTENT-TYPE"] = "application/json"
    #expect(headers.entries.map(\.value) == ["application/json"])
    headers["content-Type"] = nil
    #expect(headers.entries.isEmpty)
  }

  @Test func `A list of headers keeps names that occur more than once, in order`() {
    var headers: HTTPHeaderList = ["Accept": "a", "Via": "x"]
    headers.add("accept", "b")
    #expect(headers["Accept"] == "a, b")
    #expect(headers.values(for: "ACCEPT") == ["a", "b"])
    #expect(headers["X-Missing"] == nil)
    headers["Accept"] = "c"
    #expect(headers.values(for: "Accept") == ["c"])
  }
}
