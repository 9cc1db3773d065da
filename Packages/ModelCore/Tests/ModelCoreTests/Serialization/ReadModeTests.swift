import FieldKit
import Foundation
import ModelCore
import ObservationKit
import Testing

private final class Firm: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let staff = ModelField<Clerk>()*
  override var identifierField: AnyField? { id }
}

private final class Clerk: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let age = Field<Int>()
  let note = Field<Opaque>()
  let firm = ModelField<Firm>(inverse: \.staff)
  override var identifierField: AnyField? { id }
}

private final class Lamp: Model {
  let bulb = ModelField<Bulb>()
  let spares = ModelField<Bulb>()*
}

private final class Bulb: Model {
  let watts = Field<Int>()
  let price = Field<Decimal>()
}

/// A value that can't be compared.
private struct Opaque: JSONConvertible {
  var text: String
  init(json: JSONValue) throws { text = try String(json: json) }
  var json: JSONValue { .string(text) }
}

private func loaded(_ scope: ModelScope? = nil) throws -> Clerk {
  try Clerk.from(dictionaryValue: ["id": 1, "name": "Ada", "age": 36, "note": "x"], in: scope)
}

@Suite struct `Documents read as edits` {
  @Test func `An edit from a document makes only the fields dirty whose values differ`() throws {
    let clerk = try loaded()
    try clerk.read(["name": "Ada", "age": 37, "note": "x"], as: .edit)
    #expect(clerk.age.value == 37 && clerk.age.isDirty)
    #expect(!clerk.name.isDirty && !clerk.note.isDirty && !clerk.id.isDirty)
  }

  @Test func `A load from a document makes no field dirty`() throws {
    let clerk = try loaded()
    try clerk.read(["age": 37])
    try clerk.read(Data(#"{"name": "Grace"}"#.utf8), as: .load)
    #expect(clerk.age.value == 37 && clerk.name.value == "Grace" && !clerk.isDirty)
  }

  @Test func `An edit from a document can be reverted and leaves missing keys alone`() throws {
    let clerk = try loaded()
    try clerk.read(Data(#"{"age": null}"#.utf8), as: .edit)
    #expect(clerk.age.value == nil && clerk.age.isDirty && clerk.name.value == "Ada")
    clerk.revert()
    #expect(clerk.age.value == 36 && !clerk.isDirty)
  }

  @Test func `An edit from a document notifies observers of values that differ only`() throws {
    let clerk = try loaded()
    var names = 0
    var ages: [Int?] = []
    let first = clerk.name.addObserver(updateImmediately: false) { _ in names += 1 }
    let second = clerk.age.addObserver(updateImmediately: false) { ages.append($0) }
    let before = Date()
    try clerk.read(["name": "Ada", "age": 40], as: .edit)
    #expect(names == 0 && ages == [40])
    #expect(try #require(clerk.age.changedAt).timeIntervalSince(before) > -1)
    first.cancel()
    second.cancel()
  }

  @Test func `A document with an error edits no field`() throws {
    let clerk = try loaded()
    #expect(throws: ModelDecodingError.self) { try clerk.read(["name": "Grace", "age": "old"], as: .edit) }
    #expect(clerk.name.value == "Ada" && !clerk.isDirty)
  }

  @Test func `A lenient edit keeps the value of a field whose new value does not fit`() throws {
    let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient))
    var issues: [ModelDecodingError] = []
    scope.decodingIssueHandler = { issues += $0 }
    let clerk = try loaded(scope)
    try clerk.read(["name": "Grace", "age": "old"], as: .edit)
    #expect(clerk.name.value == "Grace" && clerk.name.isDirty)
    #expect(clerk.age.value == 36 && !clerk.age.isDirty)
    #expect(issues.map(\.path.description) == ["age"])
  }

  @Test func `An edit from a document changes a relation together with its inverse`() throws {
    let scope = ModelScope()
    let old = try Firm.from(dictionaryValue: ["id": 1, "name": "Old", "staff": [["id": 1, "name": "Ada"]]], in: scope)
    let clerk = try #require(old.staff.value?.first)
    try clerk.read(["firm": ["id": 2, "name": "New"]], as: .edit)
    let new = try #require(clerk.firm.value)
    #expect(clerk.firm.isDirty && new.name.value == "New" && new.name.isDirty)
    #expect(new.staff.value == [clerk] && old.staff.value == [])
    #expect(scope.unsavedModels.contains(new))
  }

  @Test func `An edit with the same related models leaves a list clean`() throws {
    let scope = ModelScope()
    let document: AttributeDictionary = ["id": 1, "staff": [["id": 1, "name": "Ada"], ["id": 2]]]
    let firm = try Firm.from(dictionaryValue: document, in: scope)
    let clerks = firm.staff.value
    try firm.read(["staff": [["id": 1, "name": "Ada"], ["id": 2]]], as: .edit)
    #expect(firm.staff.value == clerks && !firm.staff.isDirty)
    try firm.read(["staff": [["id": 2], ["id": 1, "name": "Lady Ada"]]], as: .edit)
    #expect(firm.staff.isDirty && firm.staff.value == clerks?.reversed())
    #expect(clerks?.first?.name.isDirty == true)
  }

  @Test func `A list read as edits changes live models and creates new ones`() throws {
    let scope = ModelScope()
    let clerk = try loaded(scope)
    let json = Data(#"[{"id": 1, "name": "Ada L."}, {"id": 2, "name": "Grace"}]"#.utf8)
    let clerks = try Clerk.list(fromJSON: json, in: scope, as: .edit)
    #expect(clerks.first === clerk && clerk.name.isDirty && !clerk.age.isDirty)
    #expect(clerks.last?.name.isDirty == true)
    let same = try Clerk.from(json: Data(#"{"id": 2, "age": 85}"#.utf8), in: scope, as: .edit)
    #expect(same === clerks.last && same.age.isDirty && same.name.value == "Grace")
  }

  @Test func `An edit of embedded models without identifiers changes the existing ones`() throws {
    let lamp = try Lamp.from(dictionaryValue: ["bulb": ["watts": 40], "spares": [["watts": 40], ["watts": 60]]])
    let (bulb, spares) = (lamp.bulb.value, lamp.spares.value)
    try lamp.read(["bulb": ["watts": 40], "spares": [["watts": 40], ["watts": 75]]], as: .edit)
    #expect(lamp.bulb.value === bulb && lamp.spares.value == spares)
    #expect(!lamp.bulb.isDirty && lamp.spares.isDirty)
    #expect(bulb?.isDirty == false && spares?.map(\.isDirty) == [false, true])
    try lamp.read(["spares": [["watts": 40]]], as: .edit)
    #expect(lamp.spares.value?.count == 1 && lamp.spares.isDirty)
  }

  @Test(
    arguments: [
      ([60, 40], [1, 0]), ([60], [1]), ([40, 60, 75], [0, 1, nil]), ([75, 40, 60], [nil, 0, 1]), ([40, 75], [0, 1]),
      ([75, 40], [nil, 0]), ([], []), ([60, 60], [0, 1]), ([40, 75, 60], [0, nil, 1]),
    ] as [([Int], [Int?])])
  func `An edited list without identifiers keeps the members with the same values, wherever they are`(
    watts: [Int], kept: [Int?]
  ) throws {
    let lamp = try Lamp.from(dictionaryValue: [
      "spares": [["watts": 40, "price": 4], ["watts": 60, "price": 6]]
    ])
    let spares = try #require(lamp.spares.value)
    try lamp.read(["spares": .array(watts.map { ["watts": .int($0)] })], as: .edit)
    let edited = try #require(lamp.spares.value)
    #expect(edited.map(\.watts.value) == watts)
    #expect(edited.map { bulb in spares.firstIndex { $0 === bulb } } == kept)
    #expect(edited.map(\.price.value) == kept.map { $0.flatMap { spares[$0].price.value } })
  }

  @Test func `Of members with the same values, an edit keeps those beside the change`() throws {
    let lamp = try Lamp.from(dictionaryValue: ["spares": [["watts": 40], ["watts": 60], ["watts": 40]]])
    let spares = try #require(lamp.spares.value)
    try lamp.read(["spares": [["watts": 60], ["watts": 40]]], as: .edit)
    #expect(lamp.spares.value == Array(spares.dropFirst()))
  }

  @Test func `An edit finds a member by another spelling of its values`() throws {
    let lamp = try Lamp.from(dictionaryValue: ["spares": [["watts": 40, "price": 4], ["watts": 60, "price": nil]]])
    let spares = lamp.spares.value
    try lamp.read(["spares": [["watts": 60, "price": nil], ["watts": 40, "price": 4.0]]], as: .edit)
    #expect(lamp.spares.value == spares?.reversed())
    #expect(spares?.map(\.isDirty) == [false, false])
  }

  @Test func `A local change is kept by edits of other fields, and replaced by an edit of its field`() throws {
    let clerk = try loaded()
    clerk.name.value = "Local"
    try clerk.read(["age": 1], as: .edit)
    #expect(clerk.name.value == "Local" && clerk.name.isDirty)
    try clerk.read(["name": "Ada"], as: .edit)
    #expect(clerk.name.value == "Ada")
  }
}
