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
      #expect(refused.errors.contains("Add --existing keep or --existing replace."), "\(refused.errors)")
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

  @Test func `A group that the store lacks is an error`() async throws {
    try await Self.withStore { store, folder in
      let file = folder.appending(path: "shop.json").path(percentEncoded: false)
      for arguments in [["verify"], ["export", file]] {
        let outcome = try await ModelKitTool.run(arguments + ["--store", store, "--group", "monday"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("no group 'monday'"), "\(outcome.errors)")
      }
      _ = try await Self.json("export", file, "--store", store)
      _ = try await Self.json("import", file, "--store", store, "--group", "monday")
      #expect(try await Self.json("verify", "--store", store, "--group", "monday")["isIntact"] == true)
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
      let old = try NotesModel.write(in: folder)
      let title = #"<attribute name="title" optional="YES" attributeType="String"/>"#
      let new = try NotesModel.write(in: folder, title, named: "New")
      let outcome = try await ModelKitTool.run(["diff", old, new])
      #expect(outcome.status == 1)
      #expect(outcome.output == "Note.title was added.\n")
      let same = try await Self.json("diff", old, old)
      #expect(same == ["differences": []])
    }
  }
}
