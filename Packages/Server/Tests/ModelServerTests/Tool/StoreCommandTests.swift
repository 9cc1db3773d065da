import FieldKit
import Foundation
import MemoryStore
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct `The tool maintains file stores` {
  /// Runs a function with the path of a store of the sample with four books, and the folder around it.
  private static func withStore(_ body: (String, URL) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = folder.appending(path: "shop.store").path(percentEncoded: false)
      try await ModelKitTool.serving(["--sample", "bookshop", "--books", "4", "--store", store]) { _ in }
      try await body(store, folder)
    }
  }

  private static func json(_ arguments: String...) async throws -> JSONValue {
    let outcome = try await ModelKitTool.run(arguments + ["--json"])
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONValue(json: outcome.output)
  }

  @Test func `An exported store is imported into another one, and backed up`() async throws {
    try await Self.withStore { store, folder in
      let file = folder.appending(path: "shop.json").path(percentEncoded: false)
      let copy = folder.appending(path: "copy.store").path(percentEncoded: false)
      let backup = folder.appending(path: "backup.store").path(percentEncoded: false)
      let exported = try await Self.json("export", file, "--store", store)
      let imported = try await Self.json("import", file, "--store", copy)
      #expect(exported["exported"]?.intValue ?? 0 >= 5)
      #expect(imported["created"] == exported["exported"])
      let kept = try await Self.json("import", file, "--store", copy, "--existing", "keep")
      #expect(kept == ["created": 0, "kept": exported["exported"] ?? .null, "replaced": 0])
      let refused = try await ModelKitTool.run(["import", file, "--store", copy])
      #expect(refused.status == 1)
      _ = try await Self.json("compact", "--store", copy)
      _ = try await Self.json("backup", backup, "--store", copy)
      let intact = try await Self.json("verify", "--store", backup)
      #expect(intact["isIntact"] == true)
    }
  }

  @Test func `Clients of a server list all records again after an import, and only then`() async throws {
    try await Self.withStore { store, folder in
      func changes(since position: String) async throws -> JSONValue {
        try await ModelKitTool.serving(["--sample", "bookshop", "--store", store]) { served in
          try #require(try await served.request("GET", "/books?updated_since=\(position)").json)
        }
      }
      let position = try #require(try await changes(since: "")["position"]?.stringValue)
      #expect(try await changes(since: position)["reset"] == false)
      let file = folder.appending(path: "shop.json").path(percentEncoded: false)
      _ = try await Self.json("export", file, "--store", store)
      _ = try await Self.json("import", file, "--store", store, "--existing", "replace")
      let answer = try await changes(since: position)
      #expect(answer["reset"] == true)
      let next = try #require(answer["position"]?.stringValue)
      #expect(try await changes(since: next)["reset"] == false)
    }
  }

  /// Writes a model file of notes with an identifier and a text of one to ten characters, and returns its path.
  private static func notes(in folder: URL, _ attributes: String = "", named name: String = "Notes") throws -> String {
    let model = folder.appending(path: "\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Note"><attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="text" attributeType="String" minValueString="1" maxValueString="10"/>\(attributes)
        </entity>
      </model>
      """
    try text.write(to: model.appending(path: "contents"), atomically: true, encoding: .utf8)
    return model.path(percentEncoded: false)
  }

  @Test func `Entries of one type are imported under the rules of a model file, and rejected ones are reported`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let model = try Self.notes(in: folder)
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
      #expect(try JSONValue(json: second.output) == ["created": 0, "updated": 1, "unchanged": 0, "rejected": []])
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
      let model = try Self.notes(in: folder)
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

  @Test func `Classes are generated from a model file, and only files that change are written`() async throws {
    try await withTemporaryFolder { folder in
      let model = try Self.notes(in: folder)
      let output = folder.appending(path: "Models").path(percentEncoded: false)
      let first = try await Self.json("generate", model, "--output", output)
      let files = ["Note+Generated.swift", "Note.swift"].map { "\(output)/\($0)" }
      #expect(first == ["written": .array(files.map { .string($0) })])
      #expect(try String(contentsOf: URL(filePath: files[0]), encoding: .utf8).contains("text"))
      // A person's additions stay.
      try "// mine".write(to: URL(filePath: files[1]), atomically: true, encoding: .utf8)
      #expect(try await Self.json("generate", model, "--output", output) == ["written": []])
      _ = try Self.notes(in: folder, #"<attribute name="title" optional="YES" attributeType="String"/>"#)
      let check = try await ModelKitTool.run(["generate", model, "--output", output, "--check"])
      #expect(check.status == 1)
      #expect(check.errors.contains("Note+Generated.swift"))
      #expect(try await Self.json("generate", model, "--output", output) == ["written": [.string(files[0])]])
      #expect(try String(contentsOf: URL(filePath: files[1]), encoding: .utf8) == "// mine")
    }
  }

  @Test func `Damage is reported with status 1, and repaired`() async throws {
    try await Self.withStore { store, _ in
      try Self.damage(store)
      let damaged = try await ModelKitTool.run(["verify", "--store", store])
      #expect(damaged.status == 1)
      #expect(damaged.errors.contains("modelkit repair"))
      let repaired = try await Self.json("repair", "--store", store)
      #expect(repaired["losses"]?.arrayValue?.isEmpty == false)
      let intact = try await Self.json("verify", "--store", store)
      #expect(intact["isIntact"] == true)
    }
  }

  /// Changes one byte in the record of the first author.
  private static func damage(_ store: String) throws {
    let files = FileManager.default.enumerator(at: URL(filePath: store), includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() {
      guard var data = try? Data(contentsOf: file), let found = data.firstRange(of: Data(#""country":""#.utf8)) else {
        continue
      }
      data[found.upperBound] ^= 1
      try data.write(to: file)
      return
    }
    throw ToolFailure(description: "There is no record to damage in \(store).")
  }

  @Test func `Differences of model files are listed with status 1`() async throws {
    try await withTemporaryFolder { folder in
      let old = try Self.notes(in: folder)
      let title = #"<attribute name="title" optional="YES" attributeType="String"/>"#
      let new = try Self.notes(in: folder, title, named: "New")
      let outcome = try await ModelKitTool.run(["diff", old, new])
      #expect(outcome.status == 1)
      #expect(outcome.output == "Note.title was added.\n")
      let same = try await Self.json("diff", old, old)
      #expect(same == ["differences": []])
    }
  }
}
