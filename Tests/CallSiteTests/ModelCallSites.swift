// The call sites of models that the documentation shows, as users write them. Compiled in both default isolations.
import Foundation
import ModelKit
import Testing

final class Desk: Model {
  let id = Field<String>()
  let number = Field<Int>()
  let owner = ModelField<Clerk>()
  override var identifierField: AnyField? { id }
}

final class Clerk: Model {
  let id = Field<Int>()
  let name = Field<String>(priority: 1).require(.notBlank)
  let from = Field<Int>()
  let until = Field<Int>()
  let fullName = Field<String>(key: "profile.full_name")
  let desk = ModelField<Desk>(deleteRule: .cascade, inverse: \.owner)
  let friends = ModelField<Clerk>(foreignKey: true)*
  override var identifierField: AnyField? { id }

  override func validateModel() {
    if let from = from.value, let until = until.value, from > until { addError(at: "until", message: "is too early") }
  }
}

@Suite struct `Call sites of models` {
  @Test func `Call sites of models paths, subscripts and fields`() throws {
    let clerk = Clerk(), desk = Desk()
    clerk.desk.value = desk
    clerk["name"] = "Bartleby"
    clerk["desk.number"] = 7
    #expect(desk.number == 7)
    #expect(clerk["desk.number"] as? Int == 7)
    #expect(clerk.field(at: "desk.number") === desk.number)
    #expect(clerk.fields.first === clerk.name)
    #expect(Clerk.prototype().name.name == nil)
    #expect(Clerk.fieldKeys.contains("profile.full_name"))
    clerk << Field<String>(key: "nickname")
    clerk["nickname"] = "B."
    #expect(clerk.dictionaryValue["nickname"] == "B.")
    clerk.fullName.value = "Bartleby the Scrivener"
    #expect(clerk.dictionaryValue["profile"]?["full_name"] == "Bartleby the Scrivener")
    let path: FieldPath = ["desk", "number"]
    #expect(path == "desk.number")
  }

  @Test func `Call sites of models observers by path`() {
    let clerk = Clerk(), desk = Desk()
    var paths: [FieldPath] = []
    let token = clerk.addObserver(for: "desk.number") { _, path in paths.append(path) }
    clerk.desk.value = desk
    desk.number.value = 3
    token.cancel()
    desk.number.value = 4
    #expect(paths == ["desk", "desk.number"])
    _ = clerk.changes
  }

  @Test func `Call sites of models errors where they belong`() {
    let clerk = Clerk()
    clerk.desk.value = Desk()
    clerk.from.value = 3
    clerk.until.value = 1
    #expect(clerk.validate().isInvalid)
    clerk.addError(at: "desk.number", message: "is taken")
    let errors = clerk.validationErrors.map(\.description)
    #expect(errors.contains("until is too early") && errors.contains("desk.number is taken"))
  }

  @Test func `Call sites of models copy, merge and revert`() throws {
    let scope = ModelScope(transformers: ValueTransformerContext(keyCase: .snake))
    let clerk = try Clerk.from(dictionaryValue: ["id": 1, "name": "Bartleby"], in: scope)
    #expect(!clerk.isDirty && !clerk.isBlank && clerk.loadState == .loaded)
    let copy = clerk.copy()
    copy.name.value = "Turkey"
    copy.id.value = 2
    clerk.merge(from: copy, exclude: [clerk.id])
    #expect(clerk.name == "Turkey" && clerk.identifier == "1")
    clerk.revert()
    #expect(clerk.name == "Bartleby")
    clerk.unload()
    #expect(clerk.loadState == .incomplete && clerk.name.value == nil && clerk.id == 1)
    #expect(Clerk.with(identifier: "1", in: scope) === clerk)
    #expect(throws: FieldError.self) { try clerk.relation(forKey: "enemies") }
  }
}
