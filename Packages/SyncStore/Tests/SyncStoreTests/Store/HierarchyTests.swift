import Foundation
import MemoryStore
import StoreProtocol
import SyncStore
import Testing

private class Shape: Model {
  @Field var id: Int?
  @Field var kind: String?
  @Field var size: Int?
  override var identifierField: AnyField? { $id }
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    switch dictionary["kind"] {
    case "circle": Circle.self
    case "ring": Ring.self
    case "square": Square.self
    default: nil
    }
  }

  static func numbered(_ id: Int, _ kind: String) -> Self {
    let shape = Self()
    (shape.id, shape.kind, shape.size) = (id, kind, 1)
    return shape
  }
}

private class Circle: Shape {}
private final class Ring: Circle {}
private final class Square: Shape {}

@Suite struct `A synchronised hierarchy of classes` {
  private let server = MemoryModelStore().handle

  private func store() async throws -> SyncModelStore<MemoryEngine> {
    let shapes = [Circle.numbered(1, "circle"), Ring.numbered(2, "ring"), Square.numbered(3, "square")]
    try await MemoryModelStore(server).createAll(shapes as [Shape])
    return SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore(server), types: [Shape.self])
  }

  @Test func `A conflict is decided by the function of the class of its record`() async throws {
    let store = try await store()
    store.resolve(Circle.self) { _ in .local }
    store.resolve(Square.self) { _ in .merge }
    try await store.sync()
    let mine = try await store.list(Shape.self, sort: [.ascending(\.id)])
    let other = MemoryModelStore(server)
    for shape in try await other.list(Shape.self) {
      shape.size = 3
      try await other.save(shape)
    }
    for shape in mine {
      shape.size = 2
      try await store.save(shape)
    }
    try await store.sync()
    #expect(mine.map(\.size) == [2, 2, 3])
    #expect(try await store.discardedValues().map(\.identifier) == ["3"])
  }

  @Test func `A policy of a derived class is not set`() async throws {
    let store = try await store()
    store.policy(Circle.self, .keep(where: { $0.size > 5 }))
    #expect(try await store.sync().pulled == 3)
    store.policy(Shape.self, .keep(where: { $0.kind != "square" }))
    try await store.sync(comparingAll: true)
    #expect(try await store.list(Shape.self).compactMap(\.kind).sorted() == ["circle", "ring"])
  }
}
