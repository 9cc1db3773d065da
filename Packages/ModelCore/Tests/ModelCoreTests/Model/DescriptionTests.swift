import ModelCore
import Testing

private final class Account: Model {
  let id = Field<Int>()
  let login = Field<String>(name: "Login").require(.notBlank)
  let password = Field<Int>(sensitive: true)
  let description = Field<String>()
  let friends = ModelField<Account>()*
  let boss = ModelField<Account>(inverse: \.staff)
  let staff = ModelField<Account>()*
  override var identifierField: AnyField? { id }
}

@Suite struct `The description of a model` {
  @Test func `The description of a model has the fields that are set, and related models by their identifiers`() {
    let account = Account(), boss = Account()
    account.id.value = 1
    account.login.value = "ada"
    account.password.value = 4711
    account.description.value = "A field of this name is no problem."
    boss.id.value = 2
    account.boss.value = boss
    account.friends.value = [boss, Account()]
    let model: ModelObject = account
    #expect(
      model.description == """
        Account(id: 1, login: "ada", password: (redacted), description: "A field of this name is no problem.", \
        friends: [Account(id: 2), Account()], boss: Account(id: 2))
        """)
    #expect("\(boss)" == "Account(id: 2, staff: [Account(id: 1)])")
    #expect("\(Account())" == "Account()")
    #expect("\(account.boss)" == "ModelField<Account> boss = Account(id: 2)")
  }

  @Test func `The debug description of a model has its unsaved and invalid fields`() {
    let account = Account()
    account.login.value = ""
    account.validate()
    let model: ModelObject = account
    #expect(
      model.debugDescription == #"Account(login: "") [new; not saved: login; invalid: Login cannot be blank]"#)
  }

  @Test func `The dump of a model has only its fields, without sensitive values`() {
    let account = Account(), boss = Account()
    account.login.value = "ada"
    account.password.value = 4711
    account.boss.value = boss
    #expect(Mirror(reflecting: account).children.compactMap(\.label) == Account.fieldKeys)
    #expect(Mirror(reflecting: account).superclassMirror == nil)
    for value: Any in [account, boss, account.boss, [boss]] {
      var text = ""
      dump(value, to: &text)
      #expect(text.contains("password: (redacted)"))
      #expect(text.contains(#"login: Optional("ada")"#))
      #expect(!text.contains("4711"))
      #expect(!text.contains("layout"))
    }
  }

  @Test func `Descriptions and errors of a model hide sensitive values`() throws {
    let error = #expect(throws: ModelDecodingError.self) {
      try Account.from(dictionaryValue: ["password": "hunter2"])
    }
    #expect(error.map { "\($0)" }?.contains("hunter2") == false)
    #expect(error?.path == "password")
    let account = Account()
    account.password.value = 4711
    account.addError(at: "password", message: "4711 is known to everybody")
    #expect(account.validationErrors.map(\.description) == ["password (redacted) is known to everybody"])
    let other = Account()
    other.boss.value = account
    account.resetValidationState()
    other.addError(at: "boss.password", message: "4711 is known to everybody")
    #expect(other.validationErrors.map(\.message) == ["(redacted) is known to everybody"])
  }

  @Test func `Errors of a model name a field by its name`() {
    let account = Account()
    #expect(account.validate() == .invalid(["Login cannot be blank"]))
    #expect(account.validationErrors.first?.name == "Login")
    #expect(account.validationErrors.first?.path == "login")
    #expect(account.validationErrors == [ModelValidationError(path: "login", message: "cannot be blank")])
  }
}
