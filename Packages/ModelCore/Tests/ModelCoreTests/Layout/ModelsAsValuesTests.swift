import FieldKit
import ModelCore
import Testing

private final class Harbour: Model {
  @Field var name: String?
}

private final class Sloop: Model {
  @Field var port: Harbour?
}

private final class Fleet: Model {
  @Required var ports: [Harbour] = []
}

private final class Barge: Model {
  @ModelField var port: Harbour?
  @ModelArrayField var ports: [Harbour]?
  let home = Field<Harbour>().transform(
    importValue: { json in json.isNull ? nil : Harbour() }, exportValue: { .string($0.name ?? "") })
}

@Suite struct `A property of models that is no relation` {
  @Test func `A model in a field of values is reported, with the declaration to write instead`() {
    let text = """
      The property "port" of Sloop was declared as a field with values of type Harbour, but models need a relation: stores \
      reject Sloop. Declare @ModelField var port: Harbour?
      """
    let issues = ReportedIssues.about("of Sloop was") {
      _ = Sloop()
      _ = Sloop()
    }
    #expect(issues == [text])
  }

  @Test func `A list of models in a field of values is reported, with the declaration to write instead`() {
    let issues = ReportedIssues.about("of Fleet was") { _ = Fleet() }
    #expect(issues.count == 1)
    #expect(issues.first?.hasSuffix("Declare @ModelArrayField var ports: Array<Harbour>?") == true)
  }

  @Test func `Relations, and models that a transformer converts, are not reported`() {
    #expect(ReportedIssues.about("of Barge was") { _ = Barge() }.isEmpty)
  }
}
