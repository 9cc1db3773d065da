import RESTStore
import Testing

private final class SalesPerson: Model {}
private final class HTTPRequest: Model {}
private final class WidgetIDs: Model {}
private final class Quiz: Model {}
private final class Box<Content>: Model {}

@Suite struct `A router` {
  @Test func `A router finds a class at its name, in the plural and in snake case`() {
    final class Mouse: Model {}
    let router = RESTRouter()
    #expect(router.collectionPath(for: Person.self) == "/people")
    #expect(router.collectionPath(for: Company.self) == "/companies")
    #expect(router.collectionPath(for: SalesPerson.self) == "/sales_people")
    #expect(router.collectionPath(for: HTTPRequest.self) == "/http_requests")
    #expect(router.collectionPath(for: WidgetIDs.self) == "/widget_ids")
    #expect(router.collectionPath(for: Quiz.self) == "/quizzes")
    #expect(router.collectionPath(for: Box<Int>.self) == "/boxes")
    #expect(router.collectionPath(for: Mouse.self) == "/mice")
  }

  @Test func `A router finds a model below its collection, and none without identifier`() {
    let router = RESTRouter()
    let person = Person(name: "Ada")
    #expect(router.instancePath(for: person) == nil)
    person.id.value = 10
    #expect(router.instancePath(for: person) == "/people/10")
    #expect(router.instancePath(for: Person.self, identifier: "10") == "/people/10")
  }

  @Test func `A router takes a registered path first, then that of the class, then the name of the class`() {
    let router = RESTRouter()
    #expect(router.collectionPath(for: StaffMember.self) == "/v2/staff%20members")
    router.route(StaffMember.self, to: "members")
    router.route(Person.self, to: "/v1/humans")
    #expect(router.collectionPath(for: StaffMember.self) == "/members")
    #expect(router.collectionPath(for: Person.self) == "/v1/humans")
  }

  @Test func `A router keeps a hierarchy in one collection unless a class is routed itself`() {
    let router = RESTRouter()
    #expect(router.collectionPath(for: Circle.self) == "/shapes")
    router.route(Shape.self, to: "forms")
    #expect(router.collectionPath(for: Circle.self) == "/forms")
    router.route(Circle.self, to: "rounds")
    #expect(router.collectionPath(for: Circle.self) == "/rounds")
    #expect(router.collectionPath(for: Shape.self) == "/forms")
  }

  @Test(arguments: [
    ("a/b", "a%2Fb"), ("..admin", "..admin"), ("%41", "%2541"), ("...", "..."), ("a b", "a%20b"),
    ("a?b=c&d#e", "a%3Fb%3Dc%26d%23e"), ("\u{E9}", "%C3%A9"), ("\u{1F40D}", "%F0%9F%90%8D"), ("a\\b", "a%5Cb"),
    ("a\r\nb", "a%0D%0Ab"), ("A-z_0.9~", "A-z_0.9~"), ("+;:@", "%2B%3B%3A%40"), ("a\u{0}", "a%00"), (".a", ".a"),
  ])
  func `A router keeps every identifier in one path component`(identifier: String, component: String) {
    #expect(RESTRouter().instancePath(for: Document.self, identifier: identifier) == "/documents/" + component)
  }

  @Test(arguments: ["", ".", "..", "../admin", "a/..", "a\\.", "%2e%2e", "..;a", "%252E%252E/a"])
  func `A router has no path for an identifier that can't be a path component`(identifier: String) {
    #expect(RESTRouter().instancePath(for: Document.self, identifier: identifier) == nil)
    let document = Document()
    document.path.value = identifier
    #expect(RESTRouter().instancePath(for: document) == nil)
  }

  @Test(arguments: ["", "/", "..", "people/../admin", "./people"])
  func `A router has no path for a class whose route is invalid`(route: String) {
    let router = RESTRouter()
    router.route(Person.self, to: route)
    #expect(router.collectionPath(for: Person.self) == nil)
    #expect(router.instancePath(for: Person(id: 1, name: "Ada")) == nil)
  }
}

@Suite struct `A router of models with owners` {
  private func employee(of companyID: Int?) -> (Employee, Company) {
    let company = Company()
    company.id.value = companyID
    let employee = Employee()
    employee.id.value = 45
    employee.company.value = company
    return (employee, company)
  }

  @Test func `A router of models with owners nests them below their owner, under the key of the inverse`() {
    let (employee, company) = employee(of: 10)
    let router = RESTRouter(maxPathDepth: 1)
    #expect(router.instancePath(for: employee) == "/companies/10/employees/45")
    #expect(router.collectionPath(for: employee) == "/companies/10/employees")
    #expect(router.instancePath(for: company) == "/companies/10")
    #expect(router.collectionPath(for: Employee.self) == "/employees")
  }

  @Test func `A router of models with owners is not misled by another relation between the same models`() {
    let (employee, company) = employee(of: 10)
    company.advisers.add(employee)
    #expect(RESTRouter().instancePath(for: employee) == "/companies/10/employees/45")
  }

  @Test func `A router of models with owners does not nest them at depth 0, or without owner`() {
    let (employee, company) = employee(of: 10)
    #expect(RESTRouter(maxPathDepth: 0).instancePath(for: employee) == "/employees/45")
    #expect(RESTRouter().instancePath(for: employee, maxDepth: 0) == "/employees/45")
    #expect(RESTRouter(maxPathDepth: -1).instancePath(for: employee) == "/employees/45")
    employee.company.value = nil
    #expect(RESTRouter().instancePath(for: employee) == "/employees/45")
    #expect(company.employees.value == [])
  }

  @Test func `A router of models with owners has no path while the owner has no identifier`() {
    let (employee, company) = employee(of: nil)
    #expect(RESTRouter().instancePath(for: employee) == nil)
    #expect(RESTRouter().collectionPath(for: employee) == nil)
    company.id.value = 3
    #expect(RESTRouter().instancePath(for: employee) == "/companies/3/employees/45")
  }

  @Test func `A router of models with owners names as many owners as it may`() {
    let folders = ["a", "b", "c"].map { name in
      let folder = Folder()
      folder.id.value = name
      return folder
    }
    folders[1].parent.value = folders[0]
    folders[2].parent.value = folders[1]
    #expect(RESTRouter(maxPathDepth: 0).instancePath(for: folders[2]) == "/folders/c")
    #expect(RESTRouter(maxPathDepth: 1).instancePath(for: folders[2]) == "/folders/b/children/c")
    #expect(RESTRouter(maxPathDepth: 9).instancePath(for: folders[2]) == "/folders/a/children/b/children/c")
  }

  @Test func `A router of models with owners ends where owners form a cycle`() {
    let first = Folder()
    let second = Folder()
    first.id.value = "1"
    second.id.value = "2"
    first.parent.value = second
    second.parent.value = first
    #expect(RESTRouter(maxPathDepth: .max).instancePath(for: first) == "/folders/2/children/1")
  }
}
