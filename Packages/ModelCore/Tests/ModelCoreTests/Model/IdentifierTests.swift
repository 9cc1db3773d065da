import Foundation
import ModelCore
import Testing

private final class Numbered: Model {
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
}

private final class Named: Model {
  let slug = Field<String>()
  override var identifierField: AnyField? { slug }
}

private final class Unique: Model {
  let id = Field<UUID>()
  let name = Field<String>()
  let next = ModelField<Unique>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

private final class Versioned: Model {
  let version = Field<Double>()
  override var identifierField: AnyField? { version }
}

private final class Pictured: Model {
  let data = Field<Data>()
  override var identifierField: AnyField? { data }
}

private final class Coded: Model {
  let id = Field<Int>().transform(
    importValue: { json in json.stringValue.flatMap { Int($0.dropFirst(2)) } },
    exportValue: { .string("p-\($0)") })
  let name = Field<String>()
  let next = ModelField<Coded>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

@Suite struct `The identifier of a model` {
  private let text = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"

  @Test func `The identifier of a model is the text of an integer, a string, a UUID or a convertible type`() {
    let numbered = Numbered()
    numbered.id.value = 10
    #expect(numbered.identifier == "10")
    let named = Named()
    named.slug.value = "ada"
    #expect(named.identifier == "ada")
    let unique = Unique()
    unique.id.value = UUID(uuidString: text)
    #expect(unique.identifier == text)
    let versioned = Versioned()
    versioned.version.value = 1.5
    #expect(versioned.identifier == "1.5")
  }

  @Test func `The identifier of a model is nil without value, without field, and for types without text`() {
    #expect(Numbered().identifier == nil)
    #expect(Order().identifier == nil)
    let pictured = Pictured()
    pictured.data.value = Data([1])
    #expect(pictured.identifier == nil)
  }

  @Test func `The identifier of an unloaded reference is converted to the value of its field`() {
    let scope = ModelScope()
    #expect(Numbered.with(identifier: "10", in: scope).id == 10)
    #expect(Named.with(identifier: "ada", in: scope).slug == "ada")
    #expect(Unique.with(identifier: text, in: scope).id.value == UUID(uuidString: text))
    #expect(Versioned.with(identifier: "1.5", in: scope).version == 1.5)
  }

  @Test func `A model with an identifier that does not fit its field has no identifier`() {
    let scope = ModelScope()
    #expect(Numbered.with(identifier: "ten", in: scope).id.value == nil)
    #expect(Unique.with(identifier: "ten", in: scope).identifier == nil)
    #expect(Pictured.with(identifier: "ten", in: scope).identifier == nil)
    #expect(Order.with(identifier: "10", in: scope).identifier == nil)
  }

  @Test func `The identifier of a model is the same for every spelling of a UUID`() throws {
    let scope = ModelScope()
    let lower = JSONValue.string(text.lowercased())
    let first = try Unique.from(dictionaryValue: ["id": lower, "name": "A"], in: scope)
    #expect(try Unique.from(dictionaryValue: ["id": .string(text), "name": "B"], in: scope) === first)
    #expect(try Unique.from(dictionaryValue: ["id": lower], in: scope) === first)
    #expect(Unique.with(identifier: text.lowercased(), in: scope) === first)
    let other = try Unique.from(dictionaryValue: ["name": "C", "next": lower], in: scope)
    #expect(other.next.value === first)
  }

  @Test func `The identifier of a model is the same for every spelling of an integer`() {
    let scope = ModelScope()
    let first = Numbered.with(identifier: "7", in: scope)
    #expect(Numbered.with(identifier: "007", in: scope) === first)
    #expect(Numbered.with(identifier: "+7", in: scope) === first)
  }

  @Test func `The identifier of a model is read through the transformer of its field`() throws {
    let scope = ModelScope()
    let first = try Coded.from(dictionaryValue: ["id": "p-5", "name": "A"], in: scope)
    #expect(first.identifier == "5")
    #expect(try Coded.from(dictionaryValue: ["id": "p-5", "name": "B"], in: scope) === first)
    let other = try Coded.from(dictionaryValue: ["id": "p-6", "next": "p-5"], in: scope)
    #expect(other.next.value === first)
    #expect(other.dictionaryValue == ["id": "p-6", "next": "p-5"])
  }
}
