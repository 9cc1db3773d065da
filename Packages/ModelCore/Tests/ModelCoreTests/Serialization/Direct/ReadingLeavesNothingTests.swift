import Foundation
@_spi(ModelKitInternals) import ModelCore
import Synchronization
import Testing

/// Counts the live instances.
private final class Census: Sendable {
  static let count = Atomic(0)

  init() { Self.count.add(1, ordering: .relaxed) }

  deinit { Self.count.subtract(1, ordering: .relaxed) }
}

private final class Shelf: Model {
  let id = Field<Int>()
  let label = Field<String>()
  let volumes = ModelField<Volume>()*
  let census = Census()
  override var identifierField: AnyField? { id }
}

private final class Volume: Model {
  let id = Field<Int>()
  let shelf = ModelField<Shelf>(inverse: \.volumes)
  let census = Census()
  override var identifierField: AnyField? { id }
}

// Serialized, because both count the same models.
@Suite(.serialized) struct `Memory after reading` {
  // Models that reference each other, some of them twice, and one that is unchanged.
  private let document = Data(
    """
    [{"id": 1, "label": "A", "volumes": [{"id": 1, "shelf": {"id": 1}}, {"id": 2}]},
     {"id": 1, "label": "A"}, {"id": 2, "volumes": [{"id": 3, "shelf": {"id": 2, "label": "B"}}, {"id": 3}]}]
    """.utf8)

  @Test func `Only the models remain in memory after reading, with and without a scope, one by one and together`()
    async throws
  {
    let scope = ModelScope()
    for _ in 0..<3 {
      for scope in [nil, scope] {
        #expect(try Shelf.list(fromJSON: document, in: scope).map(\.volumes.count) == [2, 2, 1])
        #expect(Census.count.load(ordering: .relaxed) == 0)
        var found = 0
        for try await shelf in Shelf.stream(fromJSON: Bytes(Array(document)), in: scope) {
          found += shelf.volumes.value?.count ?? 0
        }
        #expect(found > 0)
        #expect(Census.count.load(ordering: .relaxed) == 0)
      }
    }
  }

  @Test func `Each document is read like the first, whatever was cached for the one before`() throws {
    let scope = ModelScope()
    let first = try Shelf.list(fromJSON: document, in: scope)
    var heard: [String] = []
    first[0].label.addObserver(updateImmediately: false) { _, _ in
      // Nested in the reading of another document.
      heard.append(
        (try? Shelf.from(json: Data(#"{"id": 9, "label": "inner"}"#.utf8), in: scope))?.label.value ?? "none")
    }
    let again = try Shelf.list(
      fromJSON: Data(#"[{"id": 1, "label": "C"}, {"id": 2}, {"id": 4, "volumes": [{"id": 3}]}]"#.utf8), in: scope)
    #expect(heard == ["inner"])
    #expect(again.map(\.label.value) == ["C", "B", nil])
    #expect(again[0] === first[0])
    #expect(again[2].volumes.value?.first?.shelf.value === again[2])
    #expect(try Shelf.list(fromJSON: document, in: scope).map(\.label.value) == ["A", "A", "B"])
  }
}
