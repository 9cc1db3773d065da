import ModelCore
import Testing

private class Animal: Model {
  private let note = Field<Int>()
  let name = Field<String>()
}

private final class Cat: Animal {
  private let note = Field<String>()
}

private final class Dog: Animal {
  private let note = Field<String>(key: "dog_note")
  let owner = Field<String>(key: "owner.name")
  let chip = Field<String>(key: "owner")
}

private final class Fish: Model {
  let left = Field<Int>(key: "fin")
  let right = Field<Int>(key: "fin")
  let tail = Field<Int>(key: "fin")
}

@Suite struct `Fields with the same key` {
  @Test func `Equal keys of a class and its superclass are reported once, when the first instance is created`() {
    let issues = ReportedIssues.about("Cat has") {
      _ = Cat()
      _ = Cat()
    }
    let text = """
      Cat has more than one field with the key "note": only one of them is written, and a value is read into all. Give \
      each a key of its own, as in Field(key: "…").
      """
    #expect(issues == [text])
  }

  @Test func `Fields with the same key of one class are reported once for each key`() {
    #expect(ReportedIssues.about("Fish has") { _ = Fish.prototype() }.count == 1)
  }

  @Test func `A key that is the prefix of another key with dots is not reported`() {
    #expect(ReportedIssues.about("Dog has") { _ = Dog() }.isEmpty)
  }
}
