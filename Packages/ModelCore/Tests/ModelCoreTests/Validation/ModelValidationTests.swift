import ModelCore
import Testing

private final class Account: Model {
  let name = Field<String>(key: "owner.name").require(.notBlank)
  let age = Field<Int>().require(.range(18...)).require(message: "must be even") { $0 % 2 == 0 }
  let tags = ArrayField(Field<String>().require(.notBlank))
  let friend = ModelField<Account>(foreignKey: true)
  let guardian = ModelField<Account>(foreignKey: true).requireNotNil()
}

@Suite struct `Validating a model` {
  private func account() -> Account {
    let account = Account()
    account.name.value = "Ada"
    account.age.value = 20
    account.guardian.value = Account()
    return account
  }

  @Test func `A model that satisfies its rules is valid`() {
    let account = account()
    #expect(account.validate() == .valid)
    #expect(account.validationErrors.isEmpty)
  }

  @Test func `Validating a model names the field in every message, in the order of fields and rules`() {
    let account = Account()
    account.age.value = 7
    account.tags.value = ["a", ""]
    #expect(
      account.validate()
        == .invalid([
          "owner.name cannot be blank", "age must be greater than or equal to 18", "age must be even",
          "tags[1] cannot be blank", "guardian is required",
        ]))
  }

  @Test func `Validating a model reports errors by field`() {
    let account = account()
    account.age.value = 19
    account.validate()
    #expect(account.validationErrors.map(\.message) == ["must be even"])
    #expect(account.validationErrors.map(\.path.components) == [[.key("age")]])
    #expect(account.validationErrors.map(\.description) == ["age must be even"])
  }

  @Test func `Validating a model does not validate models that it references`() {
    let account = account()
    account.friend.value = Account()
    #expect(account.validate() == .valid)
  }

  @Test func `Added errors of a model are kept until the next validation`() {
    let account = account()
    account.name.addValidationError("is taken")
    #expect(account.validationErrors.map(\.description) == ["owner.name is taken"])
    #expect(account.validate() == .valid)
    #expect(account.validationErrors.isEmpty)
  }

  @Test func `Setting a field removes its validation errors`() {
    let account = account()
    account.age.value = 7
    account.validate()
    account.age.value = 20
    #expect(account.validationErrors.isEmpty)
  }
}
