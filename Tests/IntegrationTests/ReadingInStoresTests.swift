import Foundation
import ModelKit
import RESTService
import Testing

private final class Visitor: Model, ReadingHook {
  @Field var id: Int?
  @Required var name = ""
  @Field var greeting: String?
  private(set) var reads: [String] = []
  override var identifierField: AnyField? { $id }

  func afterRead() {
    reads.append(name)
    greeting = "Hello \(name)"
  }
}

private final class Place: Model, DocumentConverting {
  @Field var id: Int?
  @Field var latitude: Double?
  @Field var longitude: Double?
  override var identifierField: AnyField? { $id }

  static func decoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary {
    guard case .array(let pair)? = dictionary["position"] else { return dictionary }
    return ["latitude": pair[0], "longitude": pair[1]]
  }

  func encoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary {
    ["position": [dictionary["latitude"] ?? .null, dictionary["longitude"] ?? .null]]
  }
}

@Suite struct `Hooks and conversions of whole models in stores` {
  enum Kind: CaseIterable { case memory, files, rest }

  /// Runs a test with two instances of one store.
  private func withStores(
    _ kind: Kind, _ body: (_ writer: any ModelStore, _ reader: any ModelStore) async throws -> Void
  ) async throws {
    switch kind {
    case .memory:
      let store = MemoryModelStore()
      try await body(store, MemoryModelStore(store.handle))
    case .files:
      let directory = FileManager.default.temporaryDirectory.appending(path: "Hooks-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: directory) }
      let store = FileModelStore(directory: directory)
      try await body(store, FileModelStore(store.handle))
      try await store.close()
    case .rest:
      let service = RESTService(MemoryModelStore().handle, serving: [Visitor.self, Place.self])
      let url = try #require(URL(string: "https://service.test"))
      let dialect = JSONDialect(sendsQueries: true)
      try await body(
        RESTModelStore(baseURL: url, dialect: dialect, transport: service),
        RESTModelStore(baseURL: url, dialect: dialect, transport: service))
    }
  }

  @Test(arguments: Kind.allCases)
  func `A hook runs after each read of a record, and its sets are unsaved changes`(kind: Kind) async throws {
    try await withStores(kind) { writer, reader in
      let written = Visitor()
      written.name = "Ada"
      try await writer.create(written)
      let identifier = try #require(written.identifier)
      let visitor = try await reader.lookup(Visitor.self, identifier: identifier)
      #expect(visitor.reads == ["Ada"])
      // The service reads models of the same class, so its answer has the greeting already.
      let isChange = kind != .rest
      #expect(visitor.greeting == "Hello Ada" && visitor.$greeting.isDirty == isChange && !visitor.$name.isDirty)
      try await reader.save(visitor)
      #expect(visitor.greeting == "Hello Ada" && !visitor.$greeting.isDirty)
      written.name = "Eve"
      try await writer.save(written)
      try await reader.refresh(visitor)
      #expect(visitor.reads.last == "Eve" && visitor.name == "Eve")
      #expect(visitor.greeting == "Hello Eve" && visitor.$greeting.isDirty == isChange)
      let listed = try await writer.list(Visitor.self)
      #expect(listed == [written] && written.greeting == "Hello Eve")
    }
  }

  @Test(arguments: Kind.allCases)
  func `A store keeps the fields of a model that converts its documents, and finds it by them`(kind: Kind) async throws
  {
    try await withStores(kind) { writer, reader in
      let written = try Place.from(dictionaryValue: ["position": [1.5, 2.5]])
      try await writer.create(written)
      #expect(written.latitude == 1.5 && written.longitude == 2.5)
      let found = try await reader.list(Place.self, where: { $0.latitude > 1 && $0.longitude == 2.5 })
      let place = try #require(found.first)
      #expect(found.count == 1 && place.identifier == written.identifier)
      #expect(JSONValue.object(place.dictionaryValue) == ["position": [1.5, 2.5]])
      place.latitude = 3
      try await reader.save(place)
      try await writer.refresh(written)
      #expect(written.latitude == 3 && written.longitude == 2.5)
      #expect(try await writer.count(Place.self, where: { $0.latitude == 3 }) == 1)
    }
  }
}
