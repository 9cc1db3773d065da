import MemoryStore
import StoreProtocol
import Testing

private final class Node: Model {
  let id = Field<Int>()
  let parent = ModelField<Node>(foreignKey: true, inverse: \.children)
  let children = ModelField<Node>(deleteRule: .deny)*
  private(set) var deletionCount = 0
  override var identifierField: AnyField? { id }
  override func afterDelete() { deletionCount += 1 }
}

private final class Label: Model {
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
}

private final class Paper: Model {
  let id = Field<Int>()
  let labels = ModelField<Label>(foreignKey: true)*
  override var identifierField: AnyField? { id }
}

@Suite struct `Deleting everything that references each other` {
  @Test func `Models that deny each other's deletion are deleted`() async throws {
    let store = MemoryModelStore()
    let nodes = [Node(), Node(), Node()]
    for node in nodes { try await store.create(node) }
    for (node, parent) in zip(nodes, [nodes[1], nodes[2], nodes[0]]) {
      node.parent.value = parent
      try await store.save(node)
    }
    await #expect(throws: ModelStoreError.self) { _ = try await store.delete(nodes[0]) }
    #expect(try await store.deleteAll() == 3)
    #expect(nodes.map(\.deletionCount) == [1, 1, 1])
    #expect(nodes.allSatisfy { !$0.isPersisted })
    #expect(try await store.count(Node.self) == 0)
  }

  @Test func `Models in lists of foreign keys are deleted with the models of the lists`() async throws {
    let store = MemoryModelStore()
    let labels = (0..<20).map { _ in Label() }
    try await store.createAll(labels)
    for _ in 0..<20 {
      let paper = Paper()
      paper.labels.value = labels
      try await store.create(paper)
    }
    #expect(try await store.deleteAll() == 40)
    #expect(try await store.count(Paper.self) == 0)
    #expect(try await store.count(Label.self) == 0)
  }

  @Test func `A failed transaction around it restores models and links`() async throws {
    struct Failure: Error {}
    let store = MemoryModelStore()
    let (node, parent) = (Node(), Node())
    try await store.create(parent)
    node.parent.value = parent
    try await store.create(node)
    await #expect(throws: Failure.self) {
      try await store.transaction { store in
        try await store.deleteAll()
        #expect(try await store.count(Node.self) == 0)
        throw Failure()
      }
    }
    #expect(node.parent.value === parent)
    #expect(node.isPersisted && parent.isPersisted && !node.isDirty && !parent.isDirty)
    #expect(try await store.list(Node.self).count == 2)
  }
}
