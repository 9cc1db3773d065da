import ModelCore
import Testing

@Suite struct `An observer of a path` {
  private let firm = Workplace(name: "ACM")
  private let ada = StaffMember(name: "Ada")
  private let bob = StaffMember(name: "Bob")

  /// Returns the paths reported to an observer of a path.
  private func received<M: Model>(
    _ path: FieldPath, of model: M, _ body: () -> Void
  ) -> [String] {
    var paths: [String] = []
    let token = model.addObserver(for: path) { _, path in paths.append("\(path)") }
    body()
    token.cancel()
    return paths
  }

  @Test func `An observer of a path is notified of changes of that field and of no other`() {
    #expect(received("name", of: ada) { ada.name.value = "Eve" } == ["name"])
    #expect(received("name", of: ada) { ada.id.value = 1 } == [])
    ada.firm.value = firm
    #expect(received("firm.name", of: ada) { firm.name.value = "IBM" } == ["firm.name"])
    #expect(
      received("firm.name", of: ada) {
        firm.id.value = "f"
        ada.name.value = "x"
        firm.employees.add(bob)
      } == [])
  }

  @Test func `An observer of a path is notified of replacements on the path, and follows them`() {
    let other = Workplace(name: "IBM")
    ada.firm.value = firm
    let paths = received("firm.name", of: ada) {
      ada.firm.value = other
      firm.name.value = "no"
      other.name.value = "yes"
      ada.firm.value = nil
      other.name.value = "no"
      ada.firm.value = firm
      firm.name.value = "yes"
    }
    #expect(paths == ["firm", "firm.name", "firm", "firm", "firm.name"])
  }

  @Test func `An observer of a path is notified of changes below it only with a wildcard`() {
    ada.firm.value = firm
    #expect(received("firm", of: ada) { firm.name.value = "IBM" } == [])
    #expect(received("firm.*", of: ada) { firm.name.value = "ACM" } == ["firm.name"])
    let paths = received("firm.*", of: ada) {
      ada.name.value = "x"
      ada.firm.value = Workplace(name: "new")
      ada.firm.value?.name.value = "y"
      firm.name.value = "z"
    }
    #expect(paths.first == "firm.employees.name" || paths.first == "firm")
    #expect(paths.suffix(1) == ["firm.name"])
    #expect(received("name.*", of: ada) { ada.name.value = "q" } == ["name"])
  }

  @Test func `An observer of a path through a list is notified of changes of each member and of the list`() {
    firm.employees.value = [ada, bob]
    let cy = StaffMember(name: "Cy")
    let paths = received("employees.name", of: firm) {
      bob.name.value = "Rob"
      firm.employees.add(cy)
      cy.name.value = "Sy"
      firm.employees.remove(ada)
      ada.name.value = "Eve"
    }
    #expect(paths == ["employees.name", "employees", "employees.name", "employees"])
  }

  @Test func `An observer of a path with an index is notified of changes of that member`() {
    firm.employees.value = [ada, bob]
    let paths = received("employees[1].name", of: firm) {
      ada.name.value = "Eve"
      bob.name.value = "Rob"
      firm.employees.value = [bob, ada]
      ada.name.value = "Ada"
      bob.name.value = "Bob"
    }
    #expect(paths == ["employees[1].name", "employees", "employees[1].name"])
  }

  @Test func `An observer of a path is notified once of a model that is on the path twice`() {
    ada.firm.value = firm
    let paths = received("firm.employees.firm.name", of: ada) { firm.name.value = "IBM" }
    #expect(paths == ["firm.employees.firm.name"])
  }

  @Test func `An observer of a path supports keys with dots`() {
    ada.desk.value = WorkDesk(place: "left")
    #expect(received("desk.label.text", of: ada) { ada.desk.value?.label.value = "x" } == ["desk.label.text"])
  }

  @Test func `An observer of a path without field is reported, and waits for the field`() {
    var paths: [String] = []
    let issues = ReportedIssues.about("nickname") {
      ada.addObserver(for: "nickname") { _, path in paths.append("\(path)") }
    }
    #expect(issues == ["The observer of nickname receives nothing yet: StaffMember has no field \"nickname\"."])
    ada << Field<String>(key: "nickname")
    ada["nickname"] = "A"
    #expect(paths == ["nickname"])
  }

  @Test func `An observer of an empty path or of a star is notified of every change`() {
    #expect(received("", of: ada) { ada.name.value = "x" } == ["name"])
    #expect(received("*", of: ada) { ada.name.value = "y" } == ["name"])
  }

  @Test func `An observer of a path does not observe fields outside its path`() {
    firm.employees.value = [ada]
    let token = firm.addObserver(for: "employees.name") { _, _ in }
    #expect(ada.name.observations.isEmpty == false)
    #expect(ada.id.observations.isEmpty)
    token.cancel()
    ada.name.value = "x"
    #expect(ada.name.observations.isEmpty)
    #expect(firm.employees.observations.isEmpty)
  }
}
