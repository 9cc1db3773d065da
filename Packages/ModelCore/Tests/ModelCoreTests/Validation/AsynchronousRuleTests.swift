import Synchronization
import Testing

@_spi(ModelKitInternals) @testable import ModelCore

private final class Member: Model {
  let name = Field<String>().require(.notBlank).require(code: "taken", message: "is taken") { name in
    await Task.yield()
    return name != "root"
  }
  let email = Field<String>().require(code: "unreachable", message: "is unreachable") { email in
    await Task.yield()
    return !email.hasSuffix("invalid")
  }
  let age = Field<Int>().require(.range(18...))

  override func beforeSave() { name.value = name.value?.lowercased() }
}

@Suite struct `Asynchronous rules of a model` {
  @Test func `A model is unknown until its asynchronous rules are checked`() async {
    let member = Member()
    member.name.value = "ada"
    #expect(member.validate() == .unknown)
    #expect(member.validationErrors.isEmpty)
    #expect(await member.validateFully() == .valid)
    #expect(member.validate() == .valid)
  }

  @MainActor
  @Test func `A field is validating while its rule is checked, and the other fields of the model are not`() async {
    let member = Member()
    let (checks, begin) = AsyncStream.makeStream(of: String.self)
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    member.name.require(code: "reserved", message: "is reserved") { name in
      begin.yield(name)
      for await isFree in answers { return isFree }
      return false
    }
    (member.name.value, member.email.value, member.age.value) = ("ada", "ada@example.org", 36)
    let task = Task { await member.name.validateFully() }
    for await name in checks {
      #expect(name == "ada")
      break
    }
    #expect(member.validate() == .validating)
    #expect(member.name.validationState == .validating)
    #expect(member.email.validationState == .unknown)
    #expect(member.age.validationState == .valid)
    answer.yield(true)
    #expect(await task.value == .valid)
    #expect(member.validate() == .unknown)
    #expect(await member.validateFully() == .valid)
  }

  @Test func `All errors of a model are reported in the order of its fields`() async {
    let member = Member()
    member.name.value = "root"
    member.email.value = "ada@example.invalid"
    member.age.value = 3
    let state = await member.validateFully()
    #expect(
      state.messages == [
        "name is taken", "email is unreachable", "age must be greater than or equal to 18",
      ])
    #expect(member.validationErrors.map(\.path.description) == ["name", "email", "age"])
  }

  @Test func `A model without asynchronous rules is validated at once`() async {
    final class Plain: Model { let name = Field<String>().require(.notBlank) }
    #expect(await Plain().validateFully() == .invalid(["name cannot be blank"]))
  }

  @Test func `A model that was not checked can't be saved`() {
    let member = Member()
    member.name.value = "ada"
    #expect(member.validateForSaving().map(\.description) == ["name was not checked: call validateFully() first"])
  }

  @Test func `A stored value is not checked, nor is one that equals it again`() async throws {
    // The stored model itself has the name that the rule finds taken.
    let member = try Member.from(dictionaryValue: ["name": "root", "age": 36], in: ModelScope())
    #expect(member.validate() == .unknown, "no store has it yet")
    member.markSaved(member.orderedFields, asOf: .next())
    member.age.value = 37
    #expect(member.validate() == .valid)
    #expect(await member.validateFully() == .valid)
    member.name.value = "ada"
    #expect(member.validate() == .unknown)
    member.name.value = "root"
    #expect(await member.validateFully() == .valid)
    await member.finishChecksForSaving()
    #expect(member.validateForSaving() == [])
    let draft = member.draft()
    draft.model.age.value = 38
    #expect(await draft.model.validateFully() == .valid)
    draft.model.name.value = "ada"
    #expect(await draft.model.validateFully() == .valid)
    member.email.value = "ada@example.invalid"
    #expect(await member.validateFully() == .invalid(["email is unreachable"]))
  }

  @Test func `A test that failed to run is repeated by the next validation`() async throws {
    struct Unreachable: Error {}
    final class Server: Sendable {
      let isReachable = Atomic(false)
    }
    let server = Server()
    let member = Member()
    member.name.value = "ada"
    member.name.require(code: "free", message: "is in use") { _ in
      if !server.isReachable.load(ordering: .relaxed) { throw Unreachable() }
      return true
    }
    #expect(await member.validateFully().messages.count == 1)
    server.isReachable.store(true, ordering: .relaxed)
    #expect(await member.validateFully() == .valid)
  }

  @Test func `The value that beforeSave makes is the one that is checked`() async {
    let member = Member()
    member.name.value = "Root"
    await member.finishChecksForSaving()
    #expect(member.name.value == "root")
    #expect(member.validateForSaving().map(\.description) == ["name is taken"])
  }

  @Test func `A required related model is not invalid because it was not checked`() {
    final class Team: Model { let captain = ModelField<Member>(foreignKey: true).requireValid() }
    let team = Team()
    team.captain.value = Member()
    team.captain.value?.name.value = "ada"
    #expect(team.validate() == .valid)
    team.captain.value?.age.value = 3
    #expect(team.validate().isInvalid)
  }
}
