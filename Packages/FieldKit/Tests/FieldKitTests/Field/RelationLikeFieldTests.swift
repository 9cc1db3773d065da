@_spi(ModelKitInternals) import FieldKit
import Testing

/// The contract of FieldKit for fields with storage elsewhere, such as relations between models.
@Suite struct `A field with storage elsewhere` {
  @Test func `A field with storage elsewhere is copied and cloned as a plain field of the same object`() {
    let node = Node()
    let link = Link(name: "Link")
    #expect(link.copy().isUnset)
    link.value = node
    let copy = link.copy()
    #expect(copy.value === node)
    #expect(copy.name == "Link")
    #expect(!(copy is Link))
    let clone = link.clone()
    link.value = nil
    #expect(clone.value == nil)
    #expect(copy.value === node)
    clone.value = node
    #expect(link.value == nil)
    #expect(clone.prototype == nil)
  }

  @Test func `A merge into a field with storage elsewhere sets the newer object through the field's hook`() throws {
    let (left, right) = (Link(), Link())
    right.value = Node()
    #expect(left.merge(from: right))
    #expect(left.value === right.value)
    #expect(left.sets == 1)
    #expect(try !(right as AnyField).merge(from: left))
  }

  @Test func `A field with storage elsewhere may be constrained and reports its sets`() {
    let (allowed, refused) = (Node(), Node())
    let link = Link().constrain(to: OneNode(node: allowed))
    var calls = 0
    link.onSet { _, _ in calls += 1 }
    link.value = refused
    #expect(link.value == nil)
    link.value = allowed
    #expect(link.value === allowed)
    #expect(link.sets == 2)
    #expect(calls == 2)
  }
}

private final class Node {}

private struct OneNode: ValueDomain {
  let node: Node
  func contains(_ value: Node) -> Bool { value === node }
  func clamp(_ value: Node) -> Node? { nil }
}

private final class Link: Field<Node> {
  private var kept: Node?
  private(set) var sets = 0

  init(name: String? = nil) {
    super.init(hooked: nil, name: name, key: nil, priority: nil, comparing: .sameObject)
    readsThroughHook = true
  }

  override func hookedValue() -> Node? { kept }

  override func setHooked(_ newValue: Node?, stamp: ChangeStamp) {
    let oldValue = kept
    sets += 1
    kept = newValue
    markSet(isChange: oldValue !== newValue, stamp: stamp)
    announce(from: oldValue, to: newValue, isChange: oldValue !== newValue, stamp: stamp)
  }
}
