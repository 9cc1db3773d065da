import ModelCore
import Testing

private final class Span: Model {
  let start = Field<Int>()
  let end = Field<Int>()
  let note = Field<String>().require(message: "cannot be blank") { !$0.isEmpty }
  let next = ModelField<Span>()
  let labels = Field<String>()*

  required init() {
    super.init()
    requireAll(start, end, blaming: [end], code: "order", message: "must not be before start") { $0 <= $1 }
    requireAll(start, note, message: "don't go together") { start, note in note.count >= start }
  }

  override func validateModel() {
    if start.value == 13 { addError(at: "", message: "is unlucky") }
    if start.value == 14 { addError(at: "start", message: "is one too many") }
  }
}

@Suite struct `A rule over several fields` {
  @Test func `A rule over several fields makes the blamed fields invalid`() {
    let span = Span()
    span.start.value = 5
    span.end.value = 3
    #expect(span.validate() == .invalid(["end must not be before start"]))
    #expect(span.validationErrors == [ModelValidationError(path: "end", message: "must not be before start")])
    #expect(span.end.violations.map(\.code) == ["order"])
    #expect(span.start.validationState == .valid)
    span.end.value = 6
    #expect(span.validationErrors.isEmpty)
    #expect(span.validate() == .valid)
  }

  @Test func `A rule over several fields makes all its fields invalid by default`() {
    let span = Span()
    span.start.value = 5
    span.note.value = "abc"
    #expect(span.validate() == .invalid(["start don't go together", "note don't go together"]))
  }

  @Test func `A rule over several fields is not tested while a value is missing`() {
    let span = Span()
    span.start.value = 5
    #expect(span.validate() == .valid)
  }

  @Test func `A rule over several fields is tested after the rules of the fields`() {
    let span = Span()
    span.start.value = 5
    span.note.value = ""
    #expect(
      span.validate()
        == .invalid(["start don't go together", "note cannot be blank", "note don't go together"]))
  }

  @Test func `A rule over several fields does not retain the model`() {
    weak var gone: Span?
    do {
      let span = Span()
      gone = span
      span.validate()
    }
    #expect(gone == nil)
  }
}

@Suite struct `A model that validates itself` {
  @Test func `A model that validates itself may be invalid as a whole`() {
    let span = Span()
    span.start.value = 13
    #expect(span.validate() == .invalid(["is unlucky"]))
    #expect(span.validationErrors.map(\.path) == [FieldPath()])
    span.start.value = 12
    #expect(span.validate() == .valid)
  }

  @Test func `A model that validates itself may add an error of a field in each validation`() {
    let span = Span()
    span.start.value = 14
    #expect(span.validate() == .invalid(["start is one too many"]))
    #expect(span.validate() == .invalid(["start is one too many"]))
    #expect(!span.start.valid)
  }
}

@Suite struct `An error added to a model` {
  private let firm = Workplace(name: "ACM", employees: [StaffMember(name: "Ada"), StaffMember(name: "Bob")])

  @Test func `An added error is kept by its field until the field is set`() {
    firm.addError(at: "name", message: "is taken")
    #expect(firm.name.validationState == .invalid(["is taken"]))
    #expect(firm.validationErrors.map(\.description) == ["name is taken"])
    firm.name.value = "IBM"
    #expect(firm.validationErrors.isEmpty)
  }

  @Test func `An added error of a related model is also an error of the model to which it was added`()
    throws
  {
    let bob = try #require(firm.employees.value?.last)
    firm.addError(at: "employees[1].name", message: "is a stranger")
    #expect(bob.name.validationState == .invalid(["is a stranger"]))
    #expect(firm.validationErrors.map(\.description) == ["employees[1].name is a stranger"])
    #expect(bob.validationErrors.map(\.description) == ["name is a stranger"])
    bob.name.value = "Cy"
    #expect(firm.validationErrors.isEmpty)
  }

  /// This would take minutes if each message were compared with all earlier ones.
  @Test func `Adding and listing 20,000 errors of a field takes linear time`() {
    let messages = (0..<20_000).map { JSONValue.string("is wrong in way \($0)") }
    firm.addErrors(["name": .array(messages), "employees": [["name": .array(messages)]]])
    #expect(firm.name.validationState.messages.count == 20_000)
    #expect(firm.validationErrors.count == 40_000)
    #expect(firm.validationErrors.last?.message == "is wrong in way 19999")
  }

  @Test func `An added error of an element names its index`() {
    firm.tags.value = ["a", "b"]
    firm.addError(at: "tags[1]", message: "is rude")
    #expect(firm.validationErrors.map(\.description) == ["tags[1] is rude"])
    #expect(firm.tags.violations.map(\.index) == [1])
  }

  @Test func `An added error at a path without field is an error of the model`() {
    firm.addError(at: "employees[7].name", message: "is unknown")
    firm.addError(at: "vat.number", message: "is missing")
    #expect(firm.validationErrors.map(\.description) == ["employees[7].name is unknown", "vat.number is missing"])
    #expect(firm.validate() == .valid)
    #expect(firm.validationErrors.isEmpty)
  }

  @Test func `An added error is removed when the validation state is reset`() {
    firm.addError(at: "name", message: "is taken")
    firm.addError(at: "nowhere", message: "is odd")
    firm.resetValidationState()
    #expect(firm.validationErrors.isEmpty)
    #expect(firm.name.validationState == .unknown)
  }

  @Test func `An added error of a server is found by the keys of the server`() {
    final class Contact: Model {
      let firstName = Field<String>()
      let zip = Field<String>(key: "address.zipCode")
      let closeFriend = ModelField<Contact>()
    }
    let contact = Contact()
    let friend = Contact()
    contact.closeFriend.value = friend
    contact.addErrors(
      [
        "first_name": ["is short", "is rude"], "close_friend": ["first_name": "is unknown"],
        "address": ["zip_code": "is wrong"], "base": 404, "ok": nil,
      ],
      in: ValueTransformerContext(keyCase: .snake))
    #expect(contact.firstName.validationState == .invalid(["is short", "is rude"]))
    #expect(friend.firstName.validationState == .invalid(["is unknown"]))
    #expect(
      Set(contact.validationErrors.map(\.description)) == [
        "firstName is short", "firstName is rude", "closeFriend.firstName is unknown", "address.zipCode (zip) is wrong",
        "base 404",
      ])
  }

  @Test func `An added error of a server for list members is found by their indices`() throws {
    final class Member: Model {
      let lastName = Field<String>()
    }
    final class Club: Model {
      let allMembers = ModelField<Member>()*
      let tags = Field<String>()*
    }
    let club = Club()
    club.allMembers.value = [Member(), Member()]
    club.addErrors(
      [
        "all_members": [[:], ["last_name": ["is missing"]], ["last_name": "is lost"]],
        "tags": ["are too many", ["code": "few"]],
      ],
      in: ValueTransformerContext(keyCase: .snake))
    #expect(club.allMembers.value?.map { $0.lastName.validationState.messages } == [[], ["is missing"]])
    #expect(
      Set(club.validationErrors.map(\.description)) == [
        "allMembers[1].lastName is missing", "allMembers[2].last_name is lost", "tags are too many", "tags[1].code few",
      ])
  }

  @Test func `Added errors may come from another model`() {
    let other = Workplace()
    other.name.value = ""
    other.validate()
    firm.addErrors(other.validationErrors)
    #expect(firm.validationErrors == other.validationErrors)
  }
}

@Suite struct `Observers of validation states` {
  @Test func `A field is not reported as valid while a rule about several fields is broken`() {
    let span = Span()
    span.start.value = 5
    span.end.value = 3
    var received: [ValidationState] = []
    let token = span.end.validationStates --> { received.append($0) }
    span.validate()
    span.end.value = 2
    span.validate()
    withExtendedLifetime(token) {}
    #expect(received.first == .unknown)
    #expect(!received.contains(.valid))
    #expect(received.last == .invalid(["must not be before start"]))
  }
}
