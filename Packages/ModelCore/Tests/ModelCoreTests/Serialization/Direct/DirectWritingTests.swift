import Foundation
import Testing

@testable @_spi(ModelKitInternals) import ModelCore

@Suite struct `Writing on the direct path` {
  private func compare<M: Model>(_ type: M.Type, seed: UInt64) throws -> Bool {
    var random = RandomDocument(seed: seed)
    random.mistakes = 0
    let scope = random.chance(800) ? ModelScope(transformers: randomContext(&random)) : nil
    if scope?.transformers.decoding == .lenient { random.mistakes = 30 }
    scope?.decodingIssueHandler = { _ in }
    guard let models = try? type.list(fromJSON: Data(random.list(of: type).utf8), in: scope) else { return false }
    for model in models where random.chance(300) {
      for case let field as Field<Double> in model.fields { field.value = random.pick([0.1, .infinity, 1e300, -0.0]) }
    }
    if random.chance(200) { models.first?.markDeleted(in: scope ?? ModelScope()) }
    // The first read of a list detects deallocated members, which makes it incomplete.
    _ = try? models.treeData(pretty: false)
    let isPretty = random.chance(300)
    let direct = ModelWriter.directData(of: models, isList: true, pretty: isPretty)
    if let direct {
      let tree = try models.treeData(pretty: isPretty)
      #expect(String(decoding: direct, as: UTF8.self) == String(decoding: tree, as: UTF8.self), "seed \(seed)")
    } else {
      #expect(throws: ModelEncodingError.self) { try models.treeData(pretty: isPretty) }
    }
    if let first = models.first, let direct = ModelWriter.directData(of: [first], isList: false, pretty: isPretty) {
      let tree = try first.treeData(pretty: isPretty)
      #expect(String(decoding: direct, as: UTF8.self) == String(decoding: tree, as: UTF8.self), "seed \(seed)")
    }
    return direct != nil && !models.isEmpty
  }

  @Test func `The direct path writes the same bytes as the tree path`() throws {
    var directCount = 0
    for seed in 0..<650 as Range<UInt64> {
      let type = modelClasses[Int(seed) % modelClasses.count]
      if try compare(type, seed: seed &* 104_729) { directCount += 1 }
    }
    #expect(directCount > 250)
  }

  @Test func `The direct path writes relations in the order of their keys, and the first occurrence in full`()
    throws
  {
    let crossing = Crossing()
    let author = Author(id: 1, name: "Ada")
    crossing.zeta.value = author
    crossing.alpha.value = author
    crossing.note.value = "n"
    crossing.hidden.value = "h"
    let text = String(decoding: try crossing.jsonData(), as: UTF8.self)
    #expect(text == #"{"alpha":{"id":1},"note":"n","zeta":{"id":1,"name":"Ada"}}"#)
    let data = ModelWriter.directData(of: [crossing], isList: false, pretty: true)
    #expect(data == (try crossing.treeData(pretty: true)))
    #expect(data != nil)
  }

  @Test func `The direct path detects classes that choose fields and classes themselves`() {
    #expect(!OverrideProbe.choosesFields(Author.self))
    #expect(OverrideProbe.choosesFields(Crossing.self))
    #expect(!OverrideProbe.choosesInstanceClass(Author.self))
    #expect(OverrideProbe.choosesInstanceClass(Shape.self))
    #expect(OverrideProbe.choosesInstanceClass(Circle.self))
  }
}
