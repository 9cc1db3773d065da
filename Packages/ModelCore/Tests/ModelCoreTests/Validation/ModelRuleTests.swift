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

@Suite struct `A rule about several fields` {
  @Test func `A rule about several fields blames the fields it names`() {
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

  @Test func `A rule about several fields blames all fields that it needs unless it says otherwise`() {
    let span = Span()
    span.start.value = 5
    span.note.value = "abc"
    #expect(span.validate() == .invalid(["start don't go together", "note don't go together"]))
  }

  @Test func `A rule about several fields is not asked as long as a value is missing`() {
    let span = Span()
    span.start.value = 5
    #expect(span.validate() == .valid)
  }

  @Test func `A rule about several fields comes after the rules of the fields`() {
    let span = Span()
    span.start.value = 5
    span.note.value = ""
    #expect(
      span.validate()
        == .invalid(["start don't go together", "note cannot be blank", "note don't go together"]))
  }

  @Test func `A rule about several fields does not keep the model alive`() {
    weak var gone: Span?
    do {
      let span = Span()
      gone = span
      span.validate()
    }
    #expect(gone == nil)
  }
}

@Suite struct `A model that checks itself` {
  @Test func `A model that checks itself may be invalid as a whole`() {
    let span = Span()
    span.start.value = 13
    #expect(span.validate() == .invalid(["is unlucky"]))
    #expect(span.validationErrors.map(\.path) == [FieldPath()])
    span.start.value = 12
    #expect(span.validate() == .valid)
  }

  @Test func `A model that checks itself may blame a field, each time again`() {
    let span = Span()
    span.start.value = 14
    #expect(span.validate() == .invalid(["start is one too many"]))
    #expect(span.validate() == .invalid(["start is one too many"]))
    #expect(!span.start.valid)
  }
}

@Suite struct `An error from elsewhere` {
  private let firm = Workplace(name: "ACM", employees: [StaffMember(name: "Ada"), StaffMember(name: "Bob")])

  @Test func `An error from elsewhere is kept by the field it is about, until that is set`() {
    firm.addError(at: "name", message: "is taken")
    #expect(firm.name.validationState == .invalid(["is taken"]))
    #expect(firm.validationErrors.map(\.description) == ["name is taken"])
    firm.name.value = "IBM"
    #expect(firm.validationErrors.isEmpty)
  }

  @Test func `An error from elsewhere is kept by a field of a related model, and known to the model that was told`()
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

  /// Minutes, if each message went through those before it.
  @Test func `An error from elsewhere of which a field has 20,000 is added and listed in linear time`() {
    let messages = (0..<20_000).map { JSONValue.string("is wrong in way \($0)") }
    firm.addErrors(["name": .array(messages), "employees": [["name": .array(messages)]]])
    #expect(firm.name.validationState.messages.count == 20_000)
    #expect(firm.validationErrors.count == 40_000)
    #expect(firm.validationErrors.last?.message == "is wrong in way 19999")
  }

  @Test func `An error from elsewhere about an element names its position`() {
    firm.tags.value = ["a", "b"]
    firm.addError(at: "tags[1]", message: "is rude")
    #expect(firm.validationErrors.map(\.description) == ["tags[1] is rude"])
    #expect(firm.tags.violations.map(\.index) == [1])
  }

  @Test func `An error from elsewhere never gets lost: at a path that leads nowhere it is about the model`() {
    firm.addError(at: "employees[7].name", message: "is unknown")
    firm.addError(at: "vat.number", message: "is missing")
    #expect(firm.validationErrors.map(\.description) == ["employees[7].name is unknown", "vat.number is missing"])
    #expect(firm.validate() == .valid)
    #expect(firm.validationErrors.isEmpty)
  }

  @Test func `An error from elsewhere goes when the state is reset`() {
    firm.addError(at: "name", message: "is taken")
    firm.addError(at: "nowhere", message: "is odd")
    firm.resetValidationState()
    #expect(firm.validationErrors.isEmpty)
    #expect(firm.name.validationState == .unknown)
  }

  @Test func `An error from elsewhere of a server is found by the keys that the server uses`() {
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

  @Test func `An error from elsewhere of a server about members of a list is found by their positions`() throws {
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

  @Test func `An error from elsewhere may come from another model`() {
    let other = Workplace()
    other.name.value = ""
    other.validate()
    firm.addErrors(other.validationErrors)
    #expect(firm.validationErrors == other.validationErrors)
  }
}

@Suite struct `Who shows the validation states of fields` {
  @Test func `A field is not reported as valid while a rule about several fields is broken`() {
    let span = Span()
    span.start.value = 5
    span.end.value = 3
    var told: [ValidationState] = []
    let token = span.end.validationStates --> { told.append($0) }
    span.validate()
    span.end.value = 2
    span.validate()
    withExtendedLifetime(token) {}
    #expect(told.first == .unknown)
    #expect(!told.contains(.valid))
    #expect(told.last == .invalid(["must not be before start"]))
  }
}
