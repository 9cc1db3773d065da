import ModelCore
import Testing

/// A model of a chain, with lists and an inverse.
private final class Stage: Model {
  let name = Field<String>()
  let next = ModelField<Stage>(inverse: \.previous)
  let previous = ModelField<Stage>()
  let parts = ModelField<Stage>(inverse: { $0.whole })*
  let whole = ModelField<Stage>()
  override var identifierField: AnyField? { name }
}

@Suite struct `A long chain of models` {

  /// Creates a chain from its end, so that the first model retains the rest.
  private func chain(
    _ count: Int = 20_000, _ link: (_ stage: Stage, _ next: Stage) -> Void
  ) -> (first: Stage?, last: () -> Stage?) {
    var first = Stage()
    let end = first
    for _ in 1..<count {
      let stage = Stage()
      link(stage, first)
      first = stage
    }
    return (first, { [weak end] in end })
  }

  @Test func `A long chain of models of 100,000 is released without a deep stack`() {
    var (first, last) = chain(100_000) { $0.next.value = $1 }
    #expect(last() != nil)
    first = nil
    #expect(last() == nil)
    withExtendedLifetime(first) {}
  }

  @Test func `A long chain of models of 100,000 lists is released without a deep stack`() {
    var (first, last) = chain(100_000) { $0.parts.add($1) }
    #expect(last() != nil)
    first = nil
    #expect(last() == nil)
    withExtendedLifetime(first) {}
  }

  @Test func `A long chain of models of lists that were changed from both sides is released without a deep stack`() {
    var (first, last) = chain { stage, next in
      stage.parts.value = (0..<2).map { _ in Stage() }
      Stage().whole.value = stage
      stage.parts.value = [next] + (stage.parts.value ?? [])
    }
    #expect(last() != nil)
    first = nil
    #expect(last() == nil)
    withExtendedLifetime(first) {}
  }

  @Test func `A long chain of models is released when it is cut off`() {
    let (first, last) = chain { $0.next.value = $1 }
    first?.next.value = nil
    #expect(last() == nil)
    let (whole, part) = chain { $0.parts.add($1) }
    whole?.parts.removeAll()
    #expect(part() == nil)
  }

  @Test func `A long chain of models in a baseline is released when the baseline is discarded`() throws {
    let first = try Stage.from(dictionaryValue: ["name": "a", "next": ["name": "b"]])
    let second = try #require(first.next.value)
    var (third, last) = chain { $0.next.value = $1 }
    second.next.value = third
    third = nil
    first.next.value = nil
    #expect(last() != nil)
    #expect(first.revert().count == 1)
    #expect(first.next.value === second)
    second.next.value = nil
    #expect(last() == nil)
    withExtendedLifetime(third) {}
  }

  @Test func `A long chain of models is released by a scope without a deep stack`() {
    var scope: ModelScope? = ModelScope()
    func fill() -> () -> Stage? {
      let (first, last) = chain { $0.next.value = $1 }
      first?.name.value = "first"
      if let first, let scope { _ = first.canonicalInstance(in: scope) }
      return last
    }
    let last = fill()
    #expect(last() != nil)
    scope = nil
    #expect(last() == nil)
    withExtendedLifetime(scope) {}
  }
}
