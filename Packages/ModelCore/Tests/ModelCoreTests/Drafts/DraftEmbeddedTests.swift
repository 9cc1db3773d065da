import FieldKit
@_spi(ModelKitInternals) import ModelCore
import Testing

/// Embedded models that are edited in a draft, while the original removes or replaces them.
@Suite struct `A draft with embedded models` {
  private let order: Shipment

  init() throws {
    order = try Shipment.from(
      dictionaryValue: [
        "id": 1, "address": ["city": "London", "country": ["code": "GB"]], "lines": [["text": "A"], ["text": "B"]],
      ], in: ModelScope())
  }

  @Test(arguments: [false, true], [EditConflict.Side.mine, .theirs])
  func `An edit in a model that the original lost is a conflict of its relation`(
    isReplaced: Bool, side: EditConflict.Side
  ) throws {
    let (address, other) = (try #require(order.address.value), Destination())
    let draft = order.draft()
    draft.address.value?.country.value?.code.value = "FR"
    order.address.value = isReplaced ? other : nil
    #expect(draft.conflicts.map(\.key) == ["address"])
    #expect(throws: ModelDraftError.self) { try draft.apply() }
    #expect(draft.address.value?.country.value?.code.value == "FR")
    try draft.apply { _ in side }
    #expect(order.address.value === (side == .mine ? address : isReplaced ? other : nil))
    #expect(order.address.value?.country.value?.code.value == (side == .mine ? "FR" : nil))
    #expect(!draft.isDirty && draft.conflicts.isEmpty)
  }

  @Test(arguments: [EditConflict.Side.mine, .theirs])
  func `An edit of a member that the original removed is a conflict of the list`(side: EditConflict.Side) throws {
    let lines = try #require(order.lines.value)
    let draft = order.draft()
    draft.lines.value?[0].count.value = 7
    order.lines.remove(lines[0])
    #expect(draft.conflicts.map(\.key) == ["lines"])
    try draft.apply { _ in side }
    #expect(order.lines.value == (side == .mine ? [lines[1], lines[0]] : [lines[1]]))
    #expect(!draft.isDirty)
  }

  @Test func `A member that the original removed is removed if the draft did not edit it`() throws {
    let lines = try #require(order.lines.value)
    let draft = order.draft()
    draft.lines.value?[1].count.value = 7
    order.lines.remove(lines[0])
    #expect(draft.conflicts.isEmpty)
    #expect(try draft.apply().lines.value == [lines[1]])
    #expect(lines[1].count.value == 7)
  }

  @Test func `Embedded models that reference each other are compared once`() throws {
    let owner = try ChainOwner.from(
      dictionaryValue: ["id": 1, "first": ["name": "A", "next": ["name": "B"]]], in: ModelScope())
    let draft = owner.draft()
    draft.first.value?.next.value?.name.value = "C"
    #expect(draft.conflicts.isEmpty)
    #expect(try draft.apply().first.value?.next.value?.name.value == "C")
    draft.first.value?.next.value?.name.value = "D"
    owner.first.value?.next.value = nil
    #expect(draft.conflicts.map(\.key) == ["next"])
  }
}

private final class ChainOwner: Model {
  let id = Field<Int>()
  let first = ModelField<Link>()
  override var identifierField: AnyField? { id }
}

/// An embedded model with a link back to the one that embeds it.
private final class Link: Model {
  let name = Field<String>()
  let next: ModelField<Link> = ModelField(inverse: \.previous)
  let previous = ModelField<Link>()
}
