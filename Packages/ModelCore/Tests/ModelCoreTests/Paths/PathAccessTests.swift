import ModelCore
import Testing

@Suite struct `A path into a model` {
  private let firm = Workplace(name: "ACM", employees: [StaffMember(name: "Ada"), StaffMember(name: "Bob")])
  private var ada: StaffMember? { firm.employees.value?.first }

  @Test func `A path into a model finds its own fields, those of related models and of list members`() {
    #expect(firm.field(at: "name") === firm.name)
    #expect(ada?.field(at: "firm.name") === firm.name)
    #expect(firm.field(at: "employees[1].name") === firm.employees.value?[1].name)
    #expect(firm.field(at: "employees[1].firm.employees[0].name") === ada?.name)
    #expect(firm.field(at: "tags[7]") === firm.tags)
  }

  @Test(arguments: [
    "", "nmae", "name.first", "employees.name", "employees[2].name", "employees[-1].name", "tags[0].x", "[0]", "*",
    "name.*",
    "name[0].x",
  ])
  func `A path into a model that is not found returns nil`(path: String) {
    firm.tags.value = ["a"]
    if path != "[0]" { #expect(firm.field(at: FieldPath(path)) == nil) }
    #expect(firm[path] == nil)
  }

  @Test func `A path into a model ends at a relation without model`() {
    #expect(StaffMember().field(at: "firm.name") == nil)
    #expect(StaffMember().field(at: "firm") != nil)
  }

  @Test func `A path into a model reads values of any type`() {
    firm.tags.value = ["red", "blue"]
    #expect(firm["name"] as? String == "ACM")
    #expect(ada?["firm.name"] as? String == "ACM")
    #expect(ada?["firm"] as? Workplace === firm)
    #expect(firm["tags"] as? [String] == ["red", "blue"])
    #expect(firm["tags[1]"] as? String == "blue")
    #expect(firm["tags[2]"] == nil)
    #expect(firm["employees[0]"] as? StaffMember === ada)
    #expect(firm["id"] == nil)
  }

  @Test func `A path into a model sets values`() {
    firm["name"] = "IBM"
    #expect(firm.name == "IBM")
    firm["employees[0].name"] = "Eve"
    #expect(ada?.name.value == "Eve")
    firm[["employees", 0, "id"]] = 7
    #expect(ada?.id.value == 7)
    firm["name"] = nil
    #expect(firm.name.value == nil)
    #expect(firm.name.loadState == .loaded)
  }

  @Test func `A path into a model sets existing elements`() throws {
    firm.tags.value = ["red", "blue"]
    firm["tags[1]"] = "green"
    #expect(firm.tags.value == ["red", "green"])
    let cy = StaffMember(name: "Cy")
    let before = ada
    try firm.set(cy, at: "employees[0]")
    #expect(ada === cy)
    #expect(cy.firm.value === firm)
    #expect(before?.firm.value == nil)
  }

  @Test func `A path into a model finds a key with dots before it follows a relation`() {
    final class Paper: Model {
      let author = ModelField<Author>()
      let authorName = Field<String>(key: "author.name")
    }
    let paper = Paper()
    paper.author.value = Author(id: 1, name: "Ada")
    #expect(paper.field(at: "author.name") === paper.authorName)
    #expect(paper.field(at: "author.id") === paper.author.value?.id)
    #expect(paper.field(at: ["author.name"]) === paper.authorName)
    let ada = StaffMember(name: "Ada")
    ada.desk.value = WorkDesk(place: "left")
    ada["desk.label.text"] = "mine"
    #expect(ada.desk.value?.label.value == "mine")
  }

  @Test func `A path into a model without components has an error of its own`() {
    let error = #expect(throws: FieldError.self) { try Author().set("Ada", at: "") }
    #expect(error?.description == "The empty path was not set: it refers to a model, not to a field.")
  }

  @Test func `A path into a model throws for values that can't be set, and changes nothing`() throws {
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "nothing"
      } catch {
        return "\(error)"
      }
    }
    #expect(message { try firm.set("x", at: "nmae") } == "nmae was not set: Workplace has no field \"nmae\".")
    #expect(
      message { try StaffMember().set("x", at: "firm.name") } == "firm.name was not set: there is no model in firm.")
    #expect(
      message { try firm.set("x", at: "employees.name") }
        == "employees.name was not set: employees is a list: name the element, as in employees[0].")
    #expect(
      message { try firm.set("x", at: "employees[9].name") }
        == "employees[9].name was not set: employees has no element 9, it has 2.")
    #expect(
      message { try firm.set("x", at: "tags[0]") }
        == "tags[0] was not set: there is no element at index 0, the list has 0.")
    #expect(message { try firm.set("x", at: "name[0]") } == "name[0] was not set: name is not a list.")
    #expect(message { try firm.set(nil, at: "employees[0]") }.contains("can't be nil"))
    #expect(message { try firm.set("x", at: "name.*") }.contains("more than one field"))
    #expect(message { try firm.set("x", at: "") }.contains("refers to a model"))
    #expect(refusal { try firm.set(3, at: "name") } == .wrongType)
    #expect(refusal { try firm.set(WorkDesk(), at: "employees[0]") } == .wrongType)
    #expect(firm.name == "ACM")
    #expect(firm.employees.count == 2)
  }

  @Test func `A path into a model reports values that a subscript can't set, and keeps the old ones`() {
    let wrong = ReportedIssues.about("\"name\"") { firm["name"] = 3.25 }
    #expect(wrong == ["Field \"name\" keeps its value: it takes String, not Double."])
    #expect(firm.name == "ACM")
    let unknown = ReportedIssues.about("zip") { firm["zip"] = 3 }
    #expect(unknown == ["zip was not set: Workplace has no field \"zip\"."])
  }
}
