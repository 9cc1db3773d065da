import Testing

@_spi(ModelKitInternals) @testable import ModelCore

private class Gadget: Model {
  let id = Field<Int>()
  let name = Field<String>().require(.notBlank)
  override var identifierField: AnyField? { id }
}

private final class Gizmo: Gadget {
  let size = Field<Int>()
  let missing: Field<Int>? = nil
  let parts = ModelField<Gizmo>()*
  let whole = ModelField<Gizmo>(inverse: \.parts)
}

/// Returns the layout of a class after a failed proof. The offsets are wrong on purpose, because they must not be used.
private let unproven: ModelLayout = {
  let names = ["id", "name", "size", "missing", "parts", "whole"]
  let slots = names.map { ModelLayout.Slot(propertyName: $0, storedName: $0, offset: 0, isOptional: $0 == "missing") }
  return ModelLayout.remember(
    ModelLayout(modelClass: Gizmo.self, slots: slots, isProven: false, identifierIndex: 0), for: Gizmo.self)
}()

@Suite struct `A model whose layout can't be proven` {
  init() { #expect(!unproven.isProven) }

  @Test func `A model whose layout can't be proven finds its fields by reflecting every instance`() {
    let gizmo = Gizmo()
    #expect(gizmo.layout === unproven)
    #expect(gizmo.fields.compactMap(\.key) == ["id", "name", "size", "parts", "whole"])
    #expect(gizmo.fields.allSatisfy { $0.owner === gizmo })
  }

  @Test func `A model whose layout can't be proven is read, validated and written`() throws {
    let gizmo = try Gizmo.from(dictionaryValue: ["id": 1, "name": "G", "size": 3])
    #expect(gizmo.identifier == "1")
    #expect(gizmo.validate() == .valid)
    #expect(gizmo.dictionaryValue == ["id": 1, "name": "G", "size": 3])
  }

  @Test func `A model whose layout can't be proven has relations with inverses`() {
    let whole = Gizmo()
    let part = Gizmo()
    part.whole.value = whole
    #expect(whole.parts.value == [part])
    #expect(whole.parts.remove(part))
    #expect(part.whole.value == nil)
  }

  @Test func `A model whose layout can't be proven disowns its fields when it is deallocated`() {
    var gizmo: Gizmo? = Gizmo()
    weak let ghost = gizmo
    let name = gizmo?.name
    gizmo = nil
    #expect(ghost == nil)
    #expect(name?.owner == nil)
  }
}
