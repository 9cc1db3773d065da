import FieldKit
import FileStore
import Foundation
import ModelCore
import StoreProtocol
import Testing

/// A class of an app whose store is inspected.
private final class Parcel: Model {
  let code = Field<String>()
  let weight = Field<Double>()
  let pieces = Field<Int>()
  let labels = Field<String>()*
  let isSent = Field<Bool>()
  override var identifierField: AnyField? { code }
}

@Suite(.serialized, .timeLimit(.minutes(30))) struct `The tool shows the records of a store` {
  private static func withStore(_ body: (String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = FileModelStore(directory: folder.appending(path: "depot.store"))
      for (code, weight) in [("a/1", 2.5), ("b", 3)] {
        let parcel = Parcel()
        (parcel.code.value, parcel.weight.value, parcel.labels.value) = (code, weight, ["fragile"])
        (parcel.pieces.value, parcel.isSent.value) = (code == "b" ? 2 : nil, true)
        try await store.create(parcel)
      }
      try await store.close()
      try await body(folder.appending(path: "depot.store").path(percentEncoded: false))
    }
  }

  @Test func `A store is inspected without a model file, and not changed`() async throws {
    try await Self.withStore { store in
      try await ModelKitTool.serving([store], command: "inspect") { served in
        let schema = try await served.request("GET", "/_inspect/schema").json
        let fields = schema?["types"]?[0]?["fields"]?.arrayValue ?? []
        let types = fields.map { "\($0["name"]?.stringValue ?? "") \($0["type"]?.stringValue ?? "")" }
        #expect(types == ["code string", "isSent boolean", "labels json", "pieces integer", "weight number"])
        let parcels = try await served.request(
          "GET", "/parcels?where=%7B%22field%22:%22weight%22,%22is%22:%22%3E%22,%22value%22:2.7%7D")
        #expect(parcels.json?.arrayValue?.map { $0["code"] } == ["b"])
        let parcel = try await served.request("GET", "/parcels/a%2F1")
        #expect(parcel.json?["labels"] == ["fragile"])
        let deleted = try await served.request("DELETE", "/parcels/b")
        #expect(deleted.status == 403)
        let changed = try await served.request("PATCH", "/parcels/b", ["pieces": 3])
        #expect(changed.status == 403)
      }
      let verified = try await ModelKitTool.run(["verify", "--store", store, "--json"])
      #expect(verified.status == 0)
    }
  }

  @Test func `A store is changed only with a model file`() async throws {
    try await Self.withStore { store in
      let refused = try await ModelKitTool.run(["inspect", store, "--write"])
      #expect(refused.status == 64)
      #expect(refused.errors.contains("--model"))
      let absent = try await ModelKitTool.run(["inspect", store + ".absent"])
      #expect(absent.status == 1)
      #expect(absent.errors.contains("There is no store"))
    }
  }

  @Test func `A store is changed with a model file`() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Bookshop/Sources/bookshop/Bookshop.xcdatamodeld")
      .standardizedFileURL.path(percentEncoded: false)
    try await withTemporaryFolder { folder in
      let store = folder.appending(path: "shop.store").path(percentEncoded: false)
      try await ModelKitTool.serving([file, "--store", store]) { served in
        let author: JSONValue = ["author_id": 1, "name": ["full": "Nina Lund"]]
        let created = try await served.request("POST", "/authors", author)
        #expect(created.status == 201)
      }
      try await ModelKitTool.serving([store, "--model", file, "--write"], command: "inspect") { served in
        let changed = try await served.request("PATCH", "/authors/1", ["name": ["full": "Nina Berg"]])
        #expect(changed.status == 200)
      }
      try await ModelKitTool.serving([store], command: "inspect") { served in
        let author = try await served.request("GET", "/authors/1")
        #expect(author.json?["name"]?["full"] == "Nina Berg")
      }
    }
  }
}
