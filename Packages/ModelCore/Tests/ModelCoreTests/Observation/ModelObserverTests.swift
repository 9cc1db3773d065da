import ModelCore
import Testing

/// The notifications of an observer.
private final class Log {
  var paths: [String] = []
}

@Suite struct `An observer of a model` {
  private let log = Log()
  private let firm = Workplace(name: "ACM")
  private let ada = StaffMember(name: "Ada")
  private let bob = StaffMember(name: "Bob")

  private func observe<M: Model>(_ model: M, for path: FieldPath? = nil) -> ObservationToken {
    model.addObserver(for: path) { [log] _, path in log.paths.append("\(path)") }
  }

  private func received(_ body: () throws -> Void) rethrows -> [String] {
    log.paths = []
    try body()
    return log.paths
  }

  @Test func `An observer of a model is notified of changes of its fields, with the model and the path`() {
    var models: [StaffMember] = []
    ada.addObserver { model, path in models.append(model) }
    _ = observe(ada)
    #expect(received { ada.name.value = "Eve" } == ["name"])
    #expect(received { ada.name.value = "Eve" } == [])
    #expect(received { ada.id.value = 3 } == ["id"])
    #expect(models == [ada, ada])
  }

  @Test func `An observer of a model is not called when it is added`() {
    _ = observe(ada)
    _ = observe(ada, for: "name")
    #expect(log.paths == [])
  }

  @Test func `An observer of a model is notified of changes of related models, with their path`() {
    ada.desk.value = WorkDesk(place: "left")
    _ = observe(ada)
    #expect(received { ada.desk.value?.place.value = "right" } == ["desk.place"])
    #expect(received { ada.firm.value = firm } == ["firm"])
    #expect(received { firm.name.value = "IBM" } == ["firm.name"])
  }

  @Test func `An observer of a model is notified of changes of list members without their index`() {
    firm.employees.value = [ada, bob]
    _ = observe(firm)
    #expect(received { bob.name.value = "Rob" } == ["employees.name"])
    #expect(received { firm.employees.value = [bob, ada] } == ["employees"])
    #expect(received { bob.name.value = "Bob" } == ["employees.name"])
  }

  @Test func `An observer of a model follows the graph as it changes`() {
    _ = observe(firm)
    #expect(received { firm.employees.add(ada) }.contains("employees"))
    #expect(received { ada.name.value = "Eve" } == ["employees.name"])
    let desk = WorkDesk(place: "left")
    #expect(received { ada.desk.value = desk } == ["employees.desk"])
    #expect(received { desk.place.value = "right" } == ["employees.desk.place"])
    #expect(received { firm.employees.remove(ada) }.last == "employees")
    #expect(received { ada.name.value = "Ada" } == [])
    #expect(received { desk.place.value = "here" } == [])
    bob.desk.value = desk
    #expect(received { firm.employees.value = [bob] }.contains("employees"))
    #expect(received { desk.place.value = "there" } == ["employees.desk.place"])
  }

  @Test func `An observer of a model finds another path when the first is cut`() {
    let order = Person()
    let (left, right, far, end) = (Person(), Person(), Person(), Person())
    order.spouse.value = left
    order.children.value = [right]
    left.friends.value = [far]
    right.friends.value = [far]
    far.children.value = [end]
    _ = observe(order)
    #expect(received { end.name.value = "1" } == ["children.friends.children.name"])
    _ = received { right.friends.value = [] }
    #expect(received { end.name.value = "2" } == ["spouse.friends.children.name"])
    _ = received { left.friends.value = [] }
    #expect(received { end.name.value = "3" } == [])
    _ = received { left.friends.value = [far] }
    #expect(received { end.name.value = "4" } == ["spouse.friends.children.name"])
  }

  @Test func `An observer of a model is notified once in cycles, with a shortest path`() {
    firm.employees.value = [ada, bob]
    let friend = Person()
    let other = Person()
    friend.spouse.value = other
    friend.friends.value = [other]
    _ = observe(firm)
    _ = observe(friend)
    #expect(received { firm.name.value = "IBM" } == ["name"])
    #expect(received { ada.name.value = "Eve" } == ["employees.name"])
    #expect(received { friend.name.value = "x" } == ["name"])
    #expect(received { other.name.value = "y" } == ["spouse.name"])
    let loop = Person()
    loop.spouse.value = loop
    _ = observe(loop)
    #expect(received { loop.name.value = "z" } == ["name"])
  }

  @Test func `An observer of a model may change the model`() {
    ada.addObserver { ada, path in if ada.name.value == "Eve" { ada.name.value = "Ada" } }
    _ = observe(ada)
    #expect(received { ada.name.value = "Eve" } == ["name", "name"])
    #expect(ada.name == "Ada")
  }

  @Test func `An observer of a model is notified of changes of fields that are added later`() {
    _ = observe(firm)
    firm.employees.value = [ada]
    ada << Field<String>(key: "nickname")
    #expect(received { ada["nickname"] = "A" } == ["employees.nickname"])
    ada << ModelField<WorkDesk>(key: "home")
    let desk = WorkDesk()
    #expect(received { ada["home"] = desk } == ["employees.home"])
    #expect(received { desk.place.value = "x" } == ["employees.home.place"])
  }

  @Test func `An observer of a model is notified at the end of a transaction, once per changed field`() {
    firm.employees.value = [ada]
    _ = observe(firm)
    let seen = received {
      transaction {
        ada.name.value = "x"
        firm.name.value = "y"
        ada.name.value = "z"
        #expect(log.paths == [])
      }
    }
    #expect(seen == ["employees.name", "name"])
    #expect(
      received {
        transaction {
          ada.name.value = "q"; ada.name.value = "z"
        }
      } == [])
  }

  @Test func `An observer of a model is removed by its token`() {
    let token = observe(ada)
    let second = observe(ada)
    token.cancel()
    #expect(received { ada.name.value = "Eve" } == ["name"])
    second.cancel()
    #expect(received { ada.name.value = "Ada" } == [])
    _ = observe(ada)
    #expect(received { ada.name.value = "Eve" } == ["name"])
    ada.removeAllObservers()
    #expect(received { ada.name.value = "Ada" } == [])
  }

  @Test func `An observer of a model may have no parameters`() {
    var calls = 0
    ada.addObserver { calls += 1 }
    ada.addObserver(for: "name") { calls += 10 }
    ada.id.value = 1
    #expect(calls == 1)
    ada.name.value = "Eve"
    #expect(calls == 12)
  }

  @Test func `An observer of a model is removed with its owner, or by it`() {
    final class Screen: ObservationOwner {}
    var screen: Screen? = Screen()
    let other = Screen()
    var calls = 0
    if let screen { ada.addObserver(screen) { _, _ in calls += 1 } }
    ada.addObserver(other, for: "name") { _, _ in calls += 10 }
    ada.name.value = "1"
    #expect(calls == 11)
    screen = nil
    ada.name.value = "2"
    #expect(calls == 21)
    ada.removeObserver(other)
    ada.removeObserver(Screen())
    ada.name.value = "3"
    #expect(calls == 21)
  }

  @Test func `An observer of a model retains neither the model nor its related models`() {
    weak var gone: Workplace?
    weak var member: StaffMember?
    do {
      let firm = Workplace(name: "ACM", employees: [StaffMember(name: "Ada")])
      gone = firm
      member = firm.employees.value?.first
      firm.addObserver { _, _ in }
      firm.addObserver(for: "employees.firm.name") { _, _ in }
      firm.addObserver(for: "employees.*") { _, _ in }
      member?.addObserver { _, _ in }
    }
    #expect(gone == nil)
    #expect(member == nil)
  }

  @Test func `An observer of a model no longer watches deallocated models`() {
    _ = observe(firm)
    for round in 0..<50 {
      let guest = StaffMember(name: "\(round)")
      guest.firm.value = firm
      #expect(received { guest.name.value = "x" } == ["employees.name"])
    }
    firm.employees.value = []
    let last = StaffMember(name: "last")
    firm.employees.add(last)
    #expect(received { last.name.value = "x" } == ["employees.name"])
  }

  @Test func `An observer of a model needs no deep stack for a chain of 10,000 models`() {
    let chain = ChainLink.chain(10_000)
    var length = 0
    let token = chain[0].addObserver { _, path in length = path.components.count }
    chain[9_999].name.value = "end"
    #expect(length == 10_000)
    chain[0].next.value = nil
    length = 0
    chain[9_999].name.value = "gone"
    #expect(length == 0)
    token.cancel()
  }

  @Test func `An observer of a model is notified exactly of the models that can be reached, in any graph`() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<60 {
      let people = (0..<8).map { _ in Person() }
      var last: FieldPath?
      people[0].addObserver { _, path in if path.components.last == .key("name") { last = path } }
      for step in 0..<40 {
        let (one, other) = (Int.random(in: 0..<8, using: &generator), Int.random(in: 0..<8, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: people[one].spouse.value = people[other]
        case 1: people[one].spouse.value = nil
        case 2: people[one].children.add(people[other])
        case 3: people[one].children.value = []
        default: people[one].friends.value = [people[other]]
        }
        var reached: Set<Person> = [people[0]]
        people[0].visitAllFieldValues { if let person = $0 as? Person { reached.insert(person) } }
        for person in people {
          last = nil
          person.name.value = "\(step)"
          #expect((last != nil) == reached.contains(person))
          // Without indices, a path may stand for several models: one of them has changed.
          if let last { #expect(people[0].models(at: last).contains(person)) }
        }
      }
    }
  }
}

extension ModelObject {
  /// Returns the models for which a path without indices may stand.
  fileprivate func models(at path: FieldPath) -> [ModelObject] {
    path.components.dropLast().reduce([self]) { models, component in
      guard case .key(let key) = component else { return [] }
      let next = models.flatMap { model in
        ((model as? Person)?.field(at: FieldPath([.key(key)])) as? any RelationField)?.relatedModels ?? []
      }
      return Array(Set(next))
    }
  }
}
