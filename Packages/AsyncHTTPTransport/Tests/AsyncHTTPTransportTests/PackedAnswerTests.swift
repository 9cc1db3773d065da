import Foundation
import RESTStore
import StoreProtocol
import Testing

@testable import AsyncHTTPTransport

@Suite struct `A packed answer` {
  private static let body = Data(#"{"id": 1}"#.utf8)
  private static let gzip = "H4sIAAAAAAACA6tWykxRslIwrAUAhUDUVgkAAAA="
  private static let zlib = "eJyrVspMUbJSMKwFAA10ApU="

  private func answer(_ encoding: String, _ base64: String, _ change: (inout Data) -> Void = { _ in })
    -> HTTPResponseData
  {
    var body = Data(base64Encoded: base64) ?? Data()
    change(&body)
    return HTTPResponseData(status: 200, headers: ["Content-Encoding": encoding], body: body)
  }

  @Test(arguments: [("gzip", gzip), ("X-GZIP", gzip), ("Deflate", zlib)])
  func `A packed answer is unpacked up to its limit`(encoding: String, base64: String) throws {
    var response = answer(encoding, base64)
    try response.unpack(limit: Self.body.count)
    #expect(response.body == Self.body)
    var long = answer(encoding, base64)
    let error = #expect(throws: ModelStoreError.self) { try long.unpack(limit: Self.body.count - 1) }
    #expect(error?.code == .server)
    #expect(error?.message.contains("longer than 8 bytes") == true)
  }

  @Test func `An answer that is empty or packed in another way is left as it is`() throws {
    for (encoding, base64) in [("gzip", ""), ("br", Self.gzip), ("identity", Self.gzip), ("gzip, gzip", Self.gzip)] {
      var response = answer(encoding, base64)
      let body = response.body
      try response.unpack(limit: 1_000)
      #expect(response.body == body)
    }
  }

  @Test func `A packed answer that is cut, followed by more or spoiled is an error`() {
    let changes: [(inout Data) -> Void] = [
      { $0.removeLast() }, { $0.removeLast(12) }, { $0.append(0) }, { $0[12] ^= 0xFF }, { $0 = Data([0x1F]) },
    ]
    for change in changes {
      var response = answer("gzip", Self.gzip, change)
      let error = #expect(throws: (any Error).self) { try response.unpack(limit: 1_000) }
      #expect(error.map { ModelStoreError(clientError: $0).code } == .server)
    }
  }
}
