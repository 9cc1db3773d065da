// Streams and background reading, as users write them. Compiled in both default isolations.
import Foundation
import ModelKit
import Testing

final class Visitor: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let host = ModelField<Visitor>()
  override var identifierField: AnyField? { id }
}

/// The main actor stays free while models are read for it.
@MainActor final class VisitorList {
  let scope = ModelScope()
  var visitors: [Visitor] = []

  func load(_ data: Data) async throws {
    visitors = try await Visitor.list(decoding: data, at: "results.visitors")
    let host = try await Visitor.from(decoding: Data(#"{"id": 7, "name": "Host"}"#.utf8))
    for visitor in visitors { visitor.host.value = host }
  }

  func follow(_ url: URL) async throws {
    for try await visitor in Visitor.stream(fromJSON: url, at: "results.visitors", in: scope) {
      visitors.append(visitor)
    }
  }
}

/// An actor has models of its own.
actor VisitorArchive {
  private let scope = ModelScope()
  private var visitors: [Visitor] = []

  func load(_ data: Data) async throws -> Int {
    visitors = try await Visitor.list(decoding: data, at: "results.visitors")
    return visitors.count
  }

  func follow(_ chunks: AsyncStream<[UInt8]>) async throws -> Int {
    for try await visitor in Visitor.stream(fromJSONLines: chunks, in: scope) { visitors.append(visitor) }
    return visitors.count
  }
}

/// Work in the background, which hands its models over.
@concurrent func visitorsWithNames(_ data: Data) async throws -> sending [Visitor] {
  try await Visitor.list(decoding: data, at: "results.visitors").filter { $0.name.value != nil }
}

@Suite struct StreamCallSites {
  private var data: Data { Data(#"{"results": {"visitors": [{"id": 1, "name": "Ada"}, {"id": 2}]}}"#.utf8) }

  private func withFile(_ body: (URL) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "visitors-\(UUID()).json")
    try data.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url)
  }

  @Test @MainActor func `The main actor reads in the background and as a stream`() async throws {
    let list = VisitorList()
    try await list.load(data)
    #expect(list.visitors.compactMap(\.host.value?.name.value) == ["Host", "Host"])
    try await withFile { url in try await list.follow(url) }
    #expect(list.visitors.count == 4)
  }

  @Test func `Code of no actor reads in the background and as a stream`() async throws {
    let visitors = try await Visitor.list(decoding: data, at: "results.visitors")
    #expect(visitors.map(\.name.value) == ["Ada", nil])
    #expect(try await visitorsWithNames(data).count == 1)
    let count = try await Task { try await Visitor.list(decoding: data, at: "results.visitors").count }.value
    #expect(count == 2)
    try await withFile { url in
      var names: [String?] = []
      let options = JSONReadingOptions(maximumDepth: 8, maximumElementBytes: 1_000)
      for try await visitor in Visitor.stream(fromJSON: url, at: "results.visitors", options: options) {
        names.append(visitor.name.value)
      }
      #expect(names == ["Ada", nil])
    }
  }

  @Test func `An actor reads in the background and as a stream`() async throws {
    let archive = VisitorArchive()
    #expect(try await archive.load(data) == 2)
    let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    for text in ["{\"id\": ", "3}\n{\"id\": 4}\n"] { continuation.yield(Array(text.utf8)) }
    continuation.finish()
    #expect(try await archive.follow(chunks) == 4)
  }

  @Test func `A stream continues after lines that are skipped`() async throws {
    let (bytes, continuation) = AsyncStream.makeStream(of: UInt8.self)
    for byte in "{\"id\": \"x\"}\n{\"id\": 2}\n".utf8 { continuation.yield(byte) }
    continuation.finish()
    var skipped: [ModelStreamError.Code] = []
    var identifiers: [String?] = []
    for try await visitor in Visitor.stream(fromJSONLines: bytes).skippingElements({ skipped.append($0.code) }) {
      identifiers.append(visitor.identifier)
    }
    #expect(identifiers == ["2"])
    #expect(skipped == [.invalidElement])
  }

  @Test func `Documents are read and written with options`() throws {
    let limits = JSONReadingOptions(maximumDepth: 4, maximumBytes: 1_000)
    let visitors = try Visitor.list(fromJSON: data, at: "results.visitors", options: limits)
    let visitor = try Visitor.from(json: Data(#"{"name": "a/b"}"#.utf8), options: limits)
    #expect(try visitor.jsonData(escapesSlashes: true) == Data(#"{"name":"a\/b"}"#.utf8))
    #expect(try Visitor.list(fromJSON: visitors.jsonData(pretty: true)).count == visitors.count)
  }
}
