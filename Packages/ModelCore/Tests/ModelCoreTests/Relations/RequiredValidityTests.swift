import FieldKit
import ModelCore
import Testing

private final class Manager: Model {
  let name = Field<String>().require(.notBlank)
  let company = ModelField<Firm>(foreignKey: true, inverse: { $0.director }).requireValid()
  let friend = ModelField<Manager>(foreignKey: true).requireValid()
  let rival = ModelField<Manager>(foreignKey: true)

  convenience init(name: String) {
    self.init()
    self.name.value = name
  }
}

private final class Firm: Model {
  let name = Field<String>().require(.notBlank)
  let director: ModelField<Manager> = ModelField(foreignKey: true).requireValid()
}

/// A model that requires any number of others to be valid.
private final class Knot: Model {
  let name = Field<String>().require(.notBlank)
  let one = ModelField<Knot>(foreignKey: true).requireValid()
  let two = ModelField<Knot>(foreignKey: true).requireValid()
  let three = ModelField<Knot>(foreignKey: true).requireValid()
  var links: [ModelField<Knot>] { [one, two, three] }
}

@Suite struct `A relation that requires validity` {
  @Test func `A relation that requires validity is invalid with an invalid related model, with the default message`() {
    let person = Manager(name: "Ada")
    let company = Firm()
    person.company.value = company
    #expect(person.company.validate() == .invalid(["is invalid"]))
    #expect(person.validate() == .invalid(["company is invalid"]))
    #expect(person.company.violations.map(\.code) == ["validModel"])
    company.name.value = "ACM"
    #expect(person.company.validate() == .valid)
    #expect(person.validate() == .valid)
  }

  @Test func `A relation that requires validity validates the related model`() {
    let person = Manager(name: "Ada")
    let company = Firm()
    person.company.value = company
    person.validate()
    #expect(company.name.validationState == .invalid(["cannot be blank"]))
  }

  @Test func `A relation that requires validity is valid without a related model`() {
    #expect(Manager(name: "Ada").validate() == .valid)
  }

  @Test func `A relation that does not require validity does not validate the related model`() {
    let person = Manager(name: "Ada")
    person.rival.value = Manager()
    #expect(person.validate() == .valid)
    #expect(person.rival.value?.name.validationState == .unknown)
    person.name.value = nil
    person.friend.value = Manager()
    #expect(person.validate().messages.count == 2)
    person.name.value = "Ada"
    person.friend.value?.name.value = "Bob"
    #expect(person.validate() == .valid)
  }

  @Test func `A relation that requires validity may have a message of its own`() {
    let field = ModelField<Firm>().requireValid(message: "is not a proper company")
    field.value = Firm()
    #expect(field.validate() == .invalid(["is not a proper company"]))
  }

  @Test func `A relation that requires validity ends where two models require each other`() {
    let person = Manager(name: "Ada")
    let company = Firm()
    company.name.value = "ACM"
    person.company.value = company
    #expect(company.director.value === person)
    #expect(person.validate() == .valid)
    #expect(company.validate() == .valid)
    company.name.value = nil
    #expect(person.validate() == .invalid(["company is invalid"]))
    #expect(company.validate() == .invalid(["name cannot be blank", "director is invalid"]))
    company.name.value = "ACM"
    person.name.value = nil
    #expect(person.validate().isInvalid)
    #expect(company.validate() == .invalid(["director is invalid"]))
  }

  @Test func `A relation that requires validity ends where a model references itself`() {
    let person = Manager(name: "Ada")
    person.friend.value = person
    #expect(person.validate() == .valid)
    person.name.value = ""
    #expect(person.validate().isInvalid)
  }

  @Test func `A relation that requires validity is invalid exactly if a broken rule can be reached, in any graph`() {
    var generator = SeededGenerator(seed: 13)
    for _ in 0..<200 {
      let knots = (0..<Int.random(in: 1...9, using: &generator)).map { _ in Knot() }
      for knot in knots {
        knot.name.value = Int.random(in: 0..<5, using: &generator) == 0 ? "" : "x"
        for link in knot.links where Bool.random(using: &generator) {
          link.value = knots.randomElement(using: &generator)
        }
      }
      for knot in knots {
        var reached: Set<Knot> = [knot]
        var waiting = [knot]
        while let next = waiting.popLast() {
          for link in next.links { if let other = link.value, reached.insert(other).inserted { waiting.append(other) } }
        }
        #expect(knot.validate().isValid == reached.allSatisfy { $0.name.value == "x" })
        for link in knot.links {
          let isBroken = link.value.map { $0.validate().isInvalid } ?? false
          #expect(link.validate().isInvalid == isBroken)
        }
      }
    }
  }

  @Test func `A relation that requires validity takes polynomial time in a complete graph`() {
    let knots = (0..<60).map { _ in Knot() }
    for (index, knot) in knots.enumerated() {
      knot.name.value = "x"
      for (step, link) in knot.links.enumerated() { link.value = knots[(index * 7 + step * 13 + 1) % knots.count] }
    }
    #expect(knots[0].validate() == .valid)
    knots[59].name.value = ""
    #expect(knots[0].validate().isInvalid)
  }
}
