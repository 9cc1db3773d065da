import ModelCore
@_spi(ModelKitInternals) import ModelCore
import Testing

@Suite struct `Unloading a model` {
  private func loaded() throws -> Workplace {
    try Workplace.from(
      dictionaryValue: ["id": "f", "name": "ACM", "tags": ["a"], "employees": [["id": 1, "name": "Ada"], ["id": 2]]])
  }

  @Test func `Unloading a model discards all values but the identifier`() throws {
    let firm = try loaded()
    let staff = firm.employees.value
    firm.name.value = "IBM"
    firm.unload()
    #expect(firm.identifier == "f")
    #expect(firm.name.value == nil)
    #expect(firm.tags.value == nil)
    #expect(firm.employees.value == nil)
    #expect(firm.loadState == .incomplete)
    #expect(firm.fields.filter { $0 !== firm.id }.allSatisfy { $0.loadState == .notLoaded && !$0.isDirty })
    withExtendedLifetime(staff) {}
  }

  @Test func `Unloading a model keeps the inverses of its relations`() throws {
    let firm = try loaded()
    let staff = try #require(firm.employees.value)
    firm.unload()
    #expect(staff.allSatisfy { $0.firm.value === firm })
    #expect(staff.allSatisfy { !$0.firm.isDirty })
    let ada = staff[0]
    let other = StaffMember(name: "Eve")
    other.firm.value = firm
    ada.unload()
    #expect(ada.firm.value == nil)
    #expect(firm.employees.value == [other])
  }

  @Test func `An unloaded model has nothing to save`() throws {
    let firm = try loaded()
    firm.name.value = "IBM"
    firm.unload()
    #expect(firm.dirtyFields.isEmpty)
    #expect(firm.storableFields.compactMap(\.key) == ["id"])
    #expect(!firm.isDirty)
  }

  @Test func `An unloaded model can be read again`() throws {
    let scope = ModelScope()
    let firm = try Workplace.from(dictionaryValue: ["id": "f", "name": "ACM", "employees": [["id": 1]]], in: scope)
    let staff = firm.employees.value
    firm.unload()
    try firm.read(["id": "f", "name": "ACM", "employees": [["id": 1, "name": "Ada"]]])
    #expect(firm.loadState == .loaded)
    #expect(firm.employees.value == staff)
    #expect(staff?.first?.name.value == "Ada")
    #expect(staff?.first?.firm.value === firm)
  }

  @Test func `A merge sets the fields of an unloaded model`() throws {
    let firm = try loaded()
    let copy = firm.copy()
    firm.unload()
    firm.merge(from: copy)
    #expect(firm.name == "ACM")
    #expect(firm.tags.value == ["a"])
  }

  @Test func `Unloading a model notifies its observers`() throws {
    let firm = try loaded()
    var names: [String?] = []
    firm.name --> { names.append($0) }
    firm.unload()
    #expect(names == ["ACM", nil])
  }

  @Test func `Unloading a model is not undone by two-way bindings of its fields`() throws {
    let firm = try loaded()
    let box = Field<String>()
    box <--> firm.name
    firm.unload()
    #expect(firm.name.loadState == .notLoaded)
    #expect(!firm.name.isDirty)
  }
}

@Suite struct `Reverting a model` {
  @Test func `A reverted model has the values that were read`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A", "year": nil])
    book.title.value = "B"
    book.title.value = "C"
    book.year.value = 1843
    #expect(book.revert().compactMap(\.key) == ["title", "year"])
    #expect(book.title == "A")
    #expect(book.year.value == nil)
    #expect(book.year.loadState == .loaded)
    #expect(!book.isDirty)
    #expect(book.revert().isEmpty)
    book.title.value = "D"
    book.revert()
    #expect(book.title == "A")
  }

  @Test func `A reverted model has the values that were saved`() {
    let book = Book(id: 1, title: "A")
    book.markSaved(book.fields, asOf: .next())
    book.title.value = "B"
    book.markSaved([book.title], asOf: .next())
    book.title.value = "C"
    book.revert()
    #expect(book.title == "B")
  }

  @Test func `Reverting a model unsets fields that were neither read nor saved`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A"])
    book.year.value = 1843
    book.revert()
    #expect(book.year.value == nil)
    #expect(book.year.loadState == .notLoaded)
  }

  @Test func `Reverting a new model keeps its values`() {
    let book = Book(id: 1, title: "A")
    #expect(book.revert().isEmpty)
    #expect(book.title == "A")
    #expect(book.title.isDirty)
  }

  @Test func `Reverting a model keeps a field that was changed during a save`() {
    let book = Book(id: 1, title: "A")
    book.markSaved(book.fields, asOf: .next())
    book.title.value = "B"
    let start = ChangeStamp.next()
    book.title.value = "C"
    book.markSaved(book.fields, asOf: start)
    #expect(book.revert().isEmpty)
    #expect(book.title == "C")
    #expect(book.title.isDirty)
  }

  @Test func `Reverting a model reverts lists on both sides`() throws {
    let firm = try Workplace.from(dictionaryValue: ["id": "f", "tags": ["a", "b"]])
    firm.tags.append("c")
    firm.tags.remove(at: 0)
    firm.revert()
    #expect(firm.tags.value == ["a", "b"])
    firm.tags.value?.append("d")
    firm.revert()
    #expect(firm.tags.value == ["a", "b"])
  }

  @Test func `Reverting a model does not restore a value that a later read replaced`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A"])
    book.title.value = "B"
    try book.read(["title": "C"])
    book.title.value = "D"
    book.revert()
    #expect(book.title == "C")
  }

  @Test func `Reverting a model notifies observers once all fields are reverted`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A", "year": 1])
    book.title.value = "B"
    book.year.value = 2
    var seen: [String] = []
    book.title.addObserver(updateImmediately: false) { _, new in seen.append("\(new ?? "-") \(book.year.value ?? 0)") }
    book.revert()
    #expect(seen == ["A 1"])
  }
}
