import Foundation
import RESTStore
import Testing

@Suite struct `The plain reading of an answer` {
  private func response(_ status: Int, _ body: String) -> HTTPResponseData {
    HTTPResponseData(status: status, body: Data(body.utf8))
  }

  @Test func `The plain reading of an answer takes the body of a success as payload`() throws {
    let answer = try RESTResponse(response(200, #"{"error": "is only a word here"}"#))
    #expect(answer.error == nil)
    #expect(answer.payload?["error"] == "is only a word here")
    #expect(try RESTResponse(response(204, "")).payload == nil)
  }

  @Test(arguments: ["[1", "<html>", "{\"a\": 1}x"])
  func `The plain reading of an answer rejects the body of a success that is not JSON`(body: String) {
    #expect(throws: JSONSyntaxError.self) { try RESTResponse(response(200, body)) }
  }

  @Test(arguments: [
    (300, "server"), (304, "server"), (400, "invalid"), (401, "unauthorized"), (402, "server"), (403, "unauthorized"),
    (404, "notFound"), (405, "unsupported"), (408, "timeout"), (409, "conflict"), (410, "notFound"), (412, "conflict"),
    (418, "server"), (422, "invalid"), (429, "server"), (500, "server"), (501, "unsupported"), (502, "server"),
    (503, "server"), (504, "timeout"), (507, "full"), (599, "server"), (100, "server"),
  ])
  func `The plain reading of an answer has a code for every status that is no success`(status: Int, code: String) throws
  {
    let error = try #require(try RESTResponse(response(status, #"{"ok": true}"#)).error)
    #expect(error.code == ModelStoreError.Code(code))
    #expect(error.message.contains("status \(status)"))
  }

  @Test(arguments: [
    (
      #"{"errors": {"name": ["is blank", "is odd"], "age": "is high"}}"#,
      ["name": ["is blank", "is odd"], "age": ["is high"]]
    ),
    (#"{"errors": {"company": {"name": ["is blank"]}}}"#, ["company.name": ["is blank"]]),
    (#"{"errors": [{"field": "name", "message": "is blank"}]}"#, ["name": ["is blank"]]),
    (#"{"name": ["is blank"], "age": ["is high"]}"#, ["name": ["is blank"], "age": ["is high"]]),
    (#"{"name": ["is blank"], "code": 7}"#, [:]),
    (#"{"errors": ["all is wrong"]}"#, [:]),
    (#"{}"#, [:]),
    (#"[["is blank"]]"#, [:]),
    ("not JSON", [:]),
  ])
  func `The plain reading of an answer finds messages that belong to fields`(body: String, fields: [String: [String]])
    throws
  {
    for status in [400, 422] {
      #expect(try RESTResponse(response(status, body)).error?.fields == fields)
    }
  }

  @Test(arguments: [
    (#"{"error": "The shelf is full."}"#, "The shelf is full."),
    (#"{"message": "No.", "error": "other"}"#, "No."),
    (#"{"detail": "Not now.", "title": "Busy"}"#, "Not now."),
    (#"{"errors": ["one", {"message": "two"}]}"#, "one; two"),
    ("plain\r\n  text\u{0}", "plain text"),
  ])
  func `The plain reading of an answer repeats the message of the server`(body: String, sentence: String) throws {
    let message = try #require(try RESTResponse(response(500, body)).error?.message)
    #expect(message == "status 500: \(sentence)")
  }

  @Test func `The plain reading of an answer quotes no more than the beginning of a long body`() throws {
    let message = try #require(
      try RESTResponse(response(500, String(repeating: "\u{1F40D}", count: 100_000))).error?.message)
    #expect(message.count < 250)
    #expect(message.hasSuffix("\u{1F40D}…"))
  }
}
