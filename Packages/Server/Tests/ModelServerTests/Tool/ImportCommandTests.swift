import FieldKit
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct `The tool imports entries` {
  private static func json(_ arguments: String...) async throws -> JSONValue {
    let outcome = try await ModelKitTool.run(arguments + ["--json"])
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONValue(json: outcome.output)
  }

  @Test func `Entries of one type are imported under the rules of a model file, and rejected ones are reported`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let model = try NotesModel.write(in: folder)
      let store = folder.appending(path: "notes.store").path(percentEncoded: false)
      let file = folder.appending(path: "notes.json")
      func run(_ json: String, _ more: String...) async throws -> ModelKitTool.Outcome {
        try json.write(to: file, atomically: true, encoding: .utf8)
        let arguments = [file.path(percentEncoded: false), "--type", "Note", "--model", model, "--store", store]
        return try await ModelKitTool.run(["import"] + arguments + ["--json"] + more)
      }
      func texts() async throws -> [JSONValue?]? {
        try await ModelKitTool.serving([model, "--store", store]) { served in
          try await served.request("GET", "/notes").json?.arrayValue?.map { $0["text"] }
        }
      }
      let first = try await run(
        #"{"notes": [{"id": 7, "text": "one"}, {"id": 8, "text": "much too long"}, {"text": "new"}, 5]}"#, "--at",
        "notes")
      #expect(first.status == 1)
      let counts = try JSONValue(json: first.output)
      #expect(counts["created"] == 2)
      #expect(counts["rejected"]?.arrayValue?.count == 2)
      #expect(first.errors.contains("notes[1]") && first.errors.contains("text") && first.errors.contains("notes[3]"))
      #expect(try await texts() == ["one", "new"])
      let second = try await run(#"[{"id": 7, "text": "two"}]"#)
      #expect(second.status == 0, "\(second.errors)")
      #expect(
        try JSONValue(json: second.output) == [
          "created": 0, "updated": 1, "unchanged": 0, "rejected": [], "brokenLinks": [],
        ])
      // The end of the file is missing, after more entries than are written together.
      let cut = "[" + (0..<600).map { _ in #"{"text": "cut"},"# }.joined()
      let third = try await run(cut)
      #expect(third.status == 1)
      #expect(third.errors.contains("Nothing was imported."))
      #expect(try await texts() == ["two", "new"])
      let unknown = try await ModelKitTool.run(
        ["import", file.path(percentEncoded: false), "--type", "Letter", "--model", model, "--store", store])
      #expect(unknown.status == 1)
      #expect(unknown.errors.contains("Use one of these: Note"))
    }
  }

  @Test func `Clients of a server get the imported entries as changes`() async throws {
    try await withTemporaryFolder { folder in
      let model = try NotesModel.write(in: folder)
      let store = folder.appending(path: "notes.store").path(percentEncoded: false)
      func changes(since position: String) async throws -> JSONValue {
        try await ModelKitTool.serving([model, "--store", store]) { served in
          try #require(try await served.request("GET", "/notes?updated_since=\(position)").json)
        }
      }
      let position = try #require(try await changes(since: "")["position"]?.stringValue)
      let file = folder.appending(path: "notes.json")
      try #"[{"id": 1, "text": "one"}]"#.write(to: file, atomically: true, encoding: .utf8)
      let path = file.path(percentEncoded: false)
      _ = try await Self.json("import", path, "--type", "Note", "--model", model, "--store", store)
      let answer = try await changes(since: position)
      #expect(answer["reset"] == false)
      #expect(answer["updated"] == [["id": 1, "text": "one"]])
    }
  }

  @Test func `References of imported entries to missing records are reported`() async throws {
    try await withTemporaryFolder { folder in
      let relations = """
        <relationship name="parent" optional="YES" maxCount="1" destinationEntity="Note" inverseName="children">
          <userInfo><entry key="foreignKey" value="YES"/></userInfo></relationship>
        <relationship name="children" optional="YES" toMany="YES" destinationEntity="Note" inverseName="parent"/>
        """
      let model = try NotesModel.write(in: folder, relations)
      let store = folder.appending(path: "notes.store").path(percentEncoded: false)
      let file = folder.appending(path: "notes.json")
      let entries =
        #"[{"id": 1, "text": "one"}, {"id": 2, "text": "two", "parent": 1}, {"id": 3, "text": "x", "parent": 9}]"#
      try entries.write(to: file, atomically: true, encoding: .utf8)
      let path = file.path(percentEncoded: false)
      let outcome = try await ModelKitTool.run(
        ["import", path, "--type", "Note", "--model", model, "--store", store, "--json"])
      #expect(outcome.status == 0)
      let report = try JSONValue(json: outcome.output)
      #expect(report["created"] == 3)
      #expect(report["brokenLinks"]?.arrayValue?.count == 1)
      #expect(outcome.errors.contains("parent") && outcome.errors.contains("9"))
    }
  }

  @Test func `The offline copy of a server gets no records without an entry in its outbox`() async throws {
    try await withTemporaryFolder { folder in
      let model = try NotesModel.write(in: folder)
      let store = folder.appending(path: "notes.store").path(percentEncoded: false)
      // No server listens there, so the change stays in the outbox.
      try await ModelKitTool.serving([model, "--store", store, "--remote", "http://127.0.0.1:1"]) { served in
        let created = try await served.request("POST", "/notes", ["text": "one"])
        #expect(created.status == 201)
      }
      let export = folder.appending(path: "export.json").path(percentEncoded: false)
      _ = try await Self.json("export", export, "--store", store)
      let file = folder.appending(path: "notes.json")
      try #"[{"text": "two"}]"#.write(to: file, atomically: true, encoding: .utf8)
      let path = file.path(percentEncoded: false)
      for arguments in [
        ["import", path, "--type", "Note", "--model", model, "--store", store],
        ["import", export, "--store", store, "--existing", "replace"], ["serve", model, "--store", store],
        ["inspect", store, "--model", model, "--write"],
      ] {
        let outcome = try await ModelKitTool.run(arguments)
        #expect(outcome.status == 1, "\(arguments)")
        #expect(outcome.errors.contains("is the offline copy of a server"), "\(outcome.errors)")
      }
      try await ModelKitTool.serving([model, "--store", store, "--read-only"]) { served in
        let notes = try await served.request("GET", "/notes")
        #expect(notes.json?.arrayValue?.count == 1)
      }
    }
  }
}
