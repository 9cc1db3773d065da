import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

private final class Numbered: Model {
  let id = Field<Int>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }
}

private final class Named: Model {
  let slug = Field<String>()
  let name = Field<String>()
  override var identifierField: AnyField? { slug }
}

/// A model that sets another identifier, and looks itself up, when it is deallocated.
private final class Restless: Model {
  let id = Field<Int>()
  var atTheEnd: (Restless) -> Void = { _ in }
  override var identifierField: AnyField? { id }

  deinit { atTheEnd(self) }
}

@Suite struct `The registry of live models` {
  private let scope = ModelScope()

  private func numbered(_ id: Int) throws -> Numbered {
    try Numbered.from(dictionaryValue: ["id": .int(id)], in: scope)
  }

  private func named(_ slug: String) throws -> Named {
    try Named.from(dictionaryValue: ["slug": .string(slug)], in: scope)
  }

  @Test func `The registry of live models treats identifiers as equal only if they have the same spelling`() throws {
    let spellings = [
      "1", "01", "+1", "-1", "- 1", "1 ", "1.0", "", "-", "0", "-0", "00", "10", "9223372036854775807",
      "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "99999999999999999999", "\u{661}", "a",
    ]
    let models = try spellings.map(named)
    for (spelling, model) in zip(spellings, models) {
      #expect(scope.liveModel(Named.self, identifier: spelling) === model, "\(spelling)")
    }
    #expect(Set(models).count == spellings.count)
  }

  @Test func `The registry of live models finds an integer by its canonical text only`() throws {
    for id in [0, 1, -1, 8, 1_000_000_007, .max, .min] {
      let model = try numbered(id)
      #expect(scope.liveModel(Numbered.self, identifier: "\(id)") === model)
      #expect(scope.liveModel(Numbered.self, identifier: "0\(id)") == nil)
      #expect(scope.liveModel(Numbered.self, identifier: "+\(id)") == nil)
      #expect(scope.liveModel(Named.self, identifier: "\(id)") == nil)
    }
  }

  @Test func `The registry of live models distinguishes texts with different code points`() throws {
    let model = try named("caf\u{E9}")
    #expect(scope.liveModel(Named.self, identifier: "cafe\u{301}") == nil)
    let other = try named("cafe\u{301}")
    #expect(scope.liveModel(Named.self, identifier: "cafe\u{301}") === other)
    #expect(scope.liveModel(Named.self, identifier: "caf\u{E9}") === model)
  }

  @Test(arguments: [1, 7, 8, 1_024, 1 << 40])
  func `The registry of live models contains exactly the models that are alive`(stride: Int) throws {
    var random = SystemRandomNumberGenerator()
    var alive: [Int: Numbered] = [:]
    for _ in 0..<6_000 {
      let id = Int.random(in: -150...150, using: &random) * stride
      switch Int.random(in: 0..<4, using: &random) {
      case 0: alive[id] = nil
      case 1:
        let other = Int.random(in: -150...150, using: &random) * stride
        guard alive[other] == nil, let model = alive.removeValue(forKey: id) else { continue }
        try model.read(["id": .int(other)])
        alive[other] = model
      case 2:
        if let model = alive.removeValue(forKey: id) { scope.remove(model) }
      default:
        let model = try numbered(id)
        #expect(alive[id] == nil || alive[id] === model)
        alive[id] = model
      }
      let probed = Int.random(in: -150...150, using: &random) * stride
      #expect(scope.liveModel(Numbered.self, identifier: "\(probed)") === alive[probed])
    }
    for id in -150...150 {
      #expect(scope.liveModel(Numbered.self, identifier: "\(id * stride)") === alive[id * stride])
    }
  }

  @Test func `The registry of live models is empty after many models were registered and deallocated`() throws {
    let count = 30_000
    let document = Data(("[" + (0..<count).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]").utf8)
    for _ in 0..<2 {
      var models = try Numbered.list(fromJSON: document, in: scope)
      #expect(scope.liveModel(Numbered.self, identifier: "\(count - 1)") === models.last)
      let kept = models[count / 2]
      models = []
      #expect(scope.liveModel(Numbered.self, identifier: "\(count / 2)") === kept)
      #expect(scope.liveModel(Numbered.self, identifier: "\(count - 1)") == nil)
    }
    #expect((0..<count).allSatisfy { scope.liveModel(Numbered.self, identifier: "\($0)") == nil })
  }

  @Test func `The registry of live models does not return a model in deallocation under any identifier`() throws {
    let scope = scope
    var found: [Restless?] = []
    var successor: Restless?
    var model: Restless? = try Restless.from(dictionaryValue: ["id": 1], in: scope)
    model?.atTheEnd = { _ in
      found.append(scope.liveModel(Restless.self, identifier: "1"))
      successor = Restless.with(identifier: "1", in: scope)
    }
    model = nil
    #expect(found == [nil])
    #expect(successor != nil)
    #expect(scope.liveModel(Restless.self, identifier: "1") === successor)
  }

  @Test func `The registry of live models removes a model that gets another identifier in its deallocation`()
    throws
  {
    let scope = scope
    var model: Restless? = try Restless.from(dictionaryValue: ["id": 1], in: scope)
    model?.atTheEnd = { try? $0.read(["id": 2]) }
    model = nil
    #expect(scope.liveModel(Restless.self, identifier: "1") == nil)
    #expect(scope.liveModel(Restless.self, identifier: "2") == nil)
    let next = try Restless.from(dictionaryValue: ["id": 2], in: scope)
    #expect(scope.liveModel(Restless.self, identifier: "2") === next)
  }
}
