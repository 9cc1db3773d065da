import Testing

@_spi(ModelKitInternals) @testable import ModelCore

private final class Pilot: Model {
  let id = Field<Int>()
  let license = ModelField<License>()
  override var identifierField: AnyField? { id }
}

private final class License: Model {
  let id = Field<Int>()
  let pilot = ModelField<Pilot>(foreignKey: true, inverse: \.license)
  override var identifierField: AnyField? { id }
}

@Suite struct `Links that two records have` {
  @Test func `The baseline of a link that a read of another record removed is that link or none`() throws {
    let scope = ModelScope()
    let pilots = (0...2).map { Pilot.with(identifier: "\($0)", in: scope) }
    let licenses = try (0...1).map { try License.from(dictionaryValue: ["id": .int($0), "pilot": 0], in: scope) }
    let license = licenses[0]
    #expect(license.pilot.value == nil && !license.isDirty && licenses[1].pilot.value === pilots[0])
    func knows(_ json: JSONValue) throws -> Bool {
      let baseline = try #require(license.storedBaseline(of: license.pilot))
      return license.hasRead(json, into: license.pilot, as: baseline.value, in: scope.map.transformers)
    }
    license.pilot.value = pilots[1]
    #expect(try knows(.null) && knows(0))
    #expect(try !knows(2))
    license.markSaved(license.allStoredFields, asOf: .next())
    license.pilot.value = pilots[2]
    #expect(try knows(1) && !knows(0))
  }

  @Test func `A read of the record replaces the baseline of a link that another record has, too`() throws {
    let scope = ModelScope()
    let pilots = (0...2).map { Pilot.with(identifier: "\($0)", in: scope) }
    let licenses = try (0...1).map { try License.from(dictionaryValue: ["id": .int($0), "pilot": 0], in: scope) }
    let license = licenses[0]
    _ = try scope.models(License.self, from: [["id": 0, "pilot": 1]], localChanges: .keep)
    license.pilot.value = pilots[2]
    let baseline = try #require(license.storedBaseline(of: license.pilot))
    #expect(baseline.value == 1)
    #expect(!license.hasRead(0, into: license.pilot, as: baseline.value, in: scope.map.transformers))
  }
}
