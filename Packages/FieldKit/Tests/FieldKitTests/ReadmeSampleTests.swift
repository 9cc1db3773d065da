import FieldKit
import Testing

@Suite struct `The sample of the README` {
  enum Color: String, CaseIterable { case red, green }

  @Test func `The sample of the README prints the output in its comments`() {
    var printed: [String] = []
    let name = Field<String>(name: "Name").require(.notBlank).require(.length(...80))
    let age = Field<Int>().require(.range(0...130))
    let tags = ArrayField(Field<String>().require(.notBlank), name: "Tags", allowsDuplicates: false)
    let color = EnumField<Color>(.red)
    let token = name --> { printed.append("name: \($0 ?? "none")") }

    age.value = 131
    #expect("\(age.validate().messages)" == #"["must be less than or equal to 130"]"#)
    tags.value = ["new", "", "new"]
    #expect("\(tags.validate().messages)" == #"["[1] cannot be blank"]"#)
    #expect("\(color.isDirty) \(name.loadState)" == "false notLoaded")
    #expect(printed == ["name: none"])
    token.cancel()
  }
}
