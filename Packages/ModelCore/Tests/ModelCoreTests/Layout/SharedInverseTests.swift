import ModelCore
import Testing

private final class Shore: Model {
  @ModelArrayField var ferries: [Ferry]?
  @ModelArrayField var arrivals: [Canoe]?
  @ModelArrayField var departures: [Canoe]?
}

private final class Ferry: Model {
  @ModelField(foreignKey: true, inverse: \.$ferries) var from: Shore?
  @ModelField(foreignKey: true, inverse: \.$ferries) var to: Shore?
  @ModelField(foreignKey: true, inverse: \.$ferries) var home: Shore?
}

private final class Canoe: Model {
  @ModelField(foreignKey: true, inverse: \.$departures) var from: Shore?
  @ModelField(foreignKey: true, inverse: \.$arrivals) var to: Shore?
}

private final class Buoy: Model {
  @ModelField(inverse: \.$previous) var next: Buoy?
  @ModelField var previous: Buoy?
  @ModelField(inverse: \.$previous) var last: Buoy?
}

@Suite struct `Relations with the same inverse` {
  @Test func `Relations with the same inverse are reported once, when the first instance is created`() {
    let issues = ReportedIssues.about("Ferry has") {
      _ = Ferry()
      _ = Ferry()
    }
    let text = """
      Ferry has more than one relation with the inverse "ferries" of Shore: a model may be in it twice. Give each an \
      inverse of its own, or none.
      """
    #expect(issues == [text])
  }

  @Test func `Relations of a class to itself with the same inverse are reported`() {
    #expect(ReportedIssues.about("Buoy has") { _ = Buoy() }.count == 1)
  }

  @Test func `Relations with different inverses are not reported`() {
    #expect(ReportedIssues.about("Canoe has") { _ = Canoe() }.isEmpty)
  }
}
