@_spi(ModelKitInternals) import ModelCore
import Testing

private final class Firm: Model {
  let name = Field<String>()
  let staff = ModelField<Worker>(deleteRule: .cascade)*
  let site = ModelField<Site>(deleteRule: .nullify, inverse: \.firm)
  let debts = ModelField<Debt>(deleteRule: .deny)*
}

private final class Worker: Model {
  let id = Field<Int>()
  let firm = ModelField<Firm>(inverse: \.staff)
  let tools: ModelArrayField<Tool> = ModelField(deleteRule: .cascade, inverse: \.worker)*
  let mentor: ModelField<Worker> = ModelField(deleteRule: .cascade)
  override var identifierField: AnyField? { id }
}

private final class Tool: Model {
  let worker = ModelField<Worker>()
  let locks = ModelField<Debt>(deleteRule: .deny)*
}

private final class Site: Model {
  let firm = ModelField<Firm>()
}

private final class Debt: Model {
  let id = Field<Int>()
  let firm = ModelField<Firm>(inverse: \.debts)
  override var identifierField: AnyField? { id }
}

@Suite struct `A delete rule` {
  @Test func `The default delete rule is nullify`() {
    #expect(Author().books.deleteRule == .nullify)
    #expect(Book().author.deleteRule == .nullify)
    #expect(Firm().staff.deleteRule == .cascade)
  }

  @Test func `Nullify keeps the related models, without their link`() throws {
    let ada = Author(name: "Ada")
    let books = [Book(title: "A"), Book(title: "B")]
    ada.books.value = books
    let plan = try ada.deletionPlan()
    #expect(plan.models == [ada])
    #expect(books.allSatisfy { $0.author.value === ada })
    plan.nullifyLinks()
    #expect(books.allSatisfy { $0.author.value == nil })
    #expect(books.allSatisfy { $0.isDirty })
    #expect(ada.books.value == [])
  }

  @Test func `Cascade deletes the related models and those that their own rules delete`() throws {
    let firm = Firm()
    let workers = [Worker(), Worker()]
    let tools = [Tool(), Tool()]
    let site = Site()
    firm.staff.value = workers
    workers[1].tools.value = tools
    firm.site.value = site
    let plan = try firm.deletionPlan()
    #expect(plan.models == [firm, workers[0], workers[1], tools[0], tools[1]])
    plan.nullifyLinks()
    #expect(site.firm.value == nil)
    #expect(firm.staff.value == workers)
  }

  @Test func `A delete rule applies to the model that has the relation`() throws {
    let firm = Firm()
    let worker = Worker()
    firm.staff.add(worker)
    #expect(try worker.deletionPlan().models == [worker])
  }

  @Test func `A cascade visits each model of a cycle once`() throws {
    let workers = (0..<3).map { _ in Worker() }
    for (index, worker) in workers.enumerated() { worker.mentor.value = workers[(index + 1) % 3] }
    #expect(try workers[1].deletionPlan().models == [workers[1], workers[2], workers[0]])
    for worker in workers { worker.mentor.value = nil }
  }

  @Test func `A cascade follows a long chain`() throws {
    let workers = (0..<100_000).map { _ in Worker() }
    for (worker, mentor) in zip(workers, workers.dropFirst()) { worker.mentor.value = mentor }
    #expect(try workers[0].deletionPlan().models.count == 100_000)
    for worker in workers { worker.mentor.value = nil }
  }

  @Test func `A deletion that is denied names the relation and the related models`() throws {
    let firm = Firm()
    let debt = Debt()
    debt.id.value = 7
    firm.debts.value = [debt, Debt()]
    let error = #expect(throws: DeletionDeniedError.self) { _ = try firm.deletionPlan() }
    #expect(error?.relation == "debts")
    #expect(error?.count == 2)
    let name = debt.storedTypeName
    #expect(error?.members == ["\(name) \"7\"", "\(name) without identifier"])
    #expect(
      error?.description == """
        This \(firm.storedTypeName) was not deleted: "debts" still refers to 2 models (\(name) "7", \(name) without \
        identifier), and its delete rule is deny. Remove or delete them first.
        """)
    #expect(firm.debts.count == 2)
    firm.debts.removeAll()
    #expect(try firm.deletionPlan().models == [firm])
  }

  @Test func `A rule that denies also applies to models that a cascade would delete`() throws {
    let firm = Firm()
    let worker = Worker()
    worker.id.value = 7
    let tool = Tool()
    firm.staff.add(worker)
    worker.tools.add(tool)
    tool.locks.add(Debt())
    let error = #expect(throws: DeletionDeniedError.self) { _ = try firm.deletionPlan() }
    #expect(error?.typeName == tool.storedTypeName)
    #expect(firm.staff.value == [worker])
  }

  @Test func `A deletion is not denied if the related models are deleted with it`() throws {
    let firm = Firm()
    let debt = Debt()
    firm.debts.add(debt)
    #expect(try DeletionPlan(deleting: [firm, debt, firm]).models == [firm, debt])
  }

  @Test func `A deletion plan lists the relations that are not fully loaded`() throws {
    let scope = ModelScope()
    let worker = Worker.with(identifier: "1", in: scope)
    let plan = try worker.deletionPlan()
    #expect(plan.unknownRelations.map(\.key) == ["tools", "mentor"])
    let planForNew = try Worker().deletionPlan()
    #expect(planForNew.unknownRelations.isEmpty)
  }

  @Test func `The error of a denied deletion names few of many related models`() {
    let firm = Firm()
    firm.debts.value = (0..<100).map { _ in Debt() }
    let error = #expect(throws: DeletionDeniedError.self) { _ = try firm.deletionPlan() }
    #expect(error?.count == 100)
    #expect((error?.description.count ?? 0) < 300)
  }

  @Test func `A deletion plan changes nothing before the links are cut`() throws {
    let scope = ModelScope()
    let ada = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 1], ["id": 2]]], in: scope)
    let books = ada.books.value
    let plan = try ada.deletionPlan()
    #expect(plan.nullifiedModels == books)
    #expect(scope.unsavedModels.isEmpty)
    #expect(ada.books.value == books)
  }

  @Test func `A deletion plan lists only models whose own relations are nullified`() throws {
    let order = Order()
    order.customer.value = Author(name: "Ada")
    let plan = try order.deletionPlan()
    #expect(plan.cuts.count == 1)
    #expect(plan.nullifiedModels == [])
    let firm = Firm()
    let (site, worker) = (Site(), Worker())
    firm.site.value = site
    firm.staff.add(worker)
    #expect(try firm.deletionPlan().nullifiedModels == [site])
    #expect(try worker.deletionPlan().nullifiedModels == [firm])
  }

  @Test func `Observers of models that stay are notified once, after all links are cut`() throws {
    let students = (0..<2).map { _ in Student() }
    let courses = (0..<2).map { _ in Course() }
    for student in students { student.courses.value = courses }
    var received: [Int?] = []
    students[0].courses.addObserver(updateImmediately: false) { _, new in
      received.append((students[1].courses.value?.count ?? 0) + (new?.count ?? 0))
    }
    let plan = try DeletionPlan(deleting: courses)
    plan.nullifyLinks()
    #expect(received == [0])
  }

  @Test func `A revert does not restore a reference to a deleted model`() throws {
    let scope = ModelScope()
    let ada = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 1], ["id": 2]]], in: scope)
    let bob = try Author.from(dictionaryValue: ["id": 2, "books": []], in: scope)
    let books = ada.books.value ?? []
    books[0].author.value = bob
    let plan = try ada.deletionPlan()
    plan.nullifyLinks()
    for book in books { book.revert() }
    #expect(books.allSatisfy { $0.author.value == nil && !$0.isDirty })
    #expect(bob.books.value == [])
  }
}

extension ModelObject {
  /// Returns the changes of other models that are required when this one is deleted.
  func deletionPlan(ignoresDenials: Bool = false) throws -> DeletionPlan {
    try DeletionPlan(deleting: [self], ignoresDenials: ignoresDenials)
  }
}
