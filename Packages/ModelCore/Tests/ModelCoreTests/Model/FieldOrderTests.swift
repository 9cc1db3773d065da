import ModelCore
import Testing

private class Form: Model {
  let first = Field<String>()
  let second = Field<String>(priority: 2)
  let third = Field<String>()
}

private final class LongForm: Form {
  let fourth = Field<String>(priority: 1)
  let fifth = Field<String>(priority: 1_001)
  let sixth = Field<String>()
  let list = Field<Int>(priority: -5)*
}

private final class Flexible: Model {
  let one: Field<String>
  let two = Field<String>()

  required init() {
    one = Field()
    super.init()
  }

  init(priority: Int) {
    one = Field(priority: priority)
    super.init()
  }
}

@Suite struct `The order of fields` {
  @Test func `Fields are ordered by priority, and by declaration from 1,000 on`() {
    #expect(Form.fieldKeys == ["second", "first", "third"])
    #expect(LongForm.fieldKeys == ["list", "fourth", "second", "first", "third", "fifth", "sixth"])
  }

  @Test func `Fields without priorities are in the order of their declaration, superclasses first`() {
    #expect(Circle.fieldKeys == ["id", "kind", "radius"])
  }

  @Test func `Priorities of an instance determine the order of its fields`() {
    for (model, keys) in [
      (Flexible(), ["one", "two"]), (Flexible(priority: 2_000), ["two", "one"]), (Flexible(), ["one", "two"]),
    ] { #expect(model.fields.compactMap(\.key) == keys) }
  }

  @Test func `Fields added at run time are ordered with the declared ones`() {
    let form = Form()
    form << Field<String>(key: "last")
    form << Field<String>(key: "zeroth", priority: 0)
    #expect(form.fields.compactMap(\.key) == ["zeroth", "second", "first", "third", "last"])
    #expect(Form.fieldKeys == ["second", "first", "third"])
  }
}

private class Labelled: Model, FieldInitializing {
  let firstName = Field<String>().require(.notBlank)
  let plain = Field<Int>(7, key: "number", priority: 3)
  var seen: [String] = []

  func initializeField(_ field: AnyField) {
    seen.append(field.key ?? "-")
    field.rename(field.key.map { "<\($0)>" })
  }
}

private final class MoreLabelled: Labelled {
  let link = ModelField<Author>()
}

@Suite struct `A class that initialises its fields` {
  @Test func `A class that initialises its fields receives each field once, with its key and owner`() {
    for _ in 0..<2 {
      let model = MoreLabelled()
      #expect(model.seen == ["firstName", "number", "link"])
      #expect(model.fields.allSatisfy { $0.owner === model })
    }
  }

  @Test func `A class that initialises its fields can set the name and keeps the rest of the declaration`() {
    let model = Labelled()
    #expect(model.firstName.name == "<firstName>")
    #expect(model.plain.name == "<number>")
    #expect(model.plain.key == "number")
    #expect(model.plain.priority == 3)
    #expect(model.plain == 7)
    model.firstName.value = ""
    #expect(model.firstName.validate().isInvalid)
    model.firstName.rename(nil)
    #expect(model.firstName.name == nil)
  }

  @Test func `A class that initialises its fields receives fields that are added at run time`() {
    let model = Labelled()
    model << Field<Int>(key: "extra")
    #expect(model.seen.last == "extra")
    #expect(model.field(at: "extra")?.name == "<extra>")
  }
}
