import ModelCore
import Testing

@Suite struct `A copy of a model` {
  private let firm = Workplace(
    id: "f", name: "ACM", employees: [StaffMember(id: 1, name: "Ada"), StaffMember(id: 2, name: "Bob")])

  @Test func `A copy of a model is another object with the same identifier and values`() {
    let copy = firm.copy()
    #expect(copy !== firm)
    #expect(copy.identifier == "f")
    #expect(copy.name == "ACM")
    #expect(copy.dictionaryValue == firm.dictionaryValue)
  }

  @Test func `A copy of a model has copies of the related models, which reference the copy`() throws {
    let copy = firm.copy()
    let employees = try #require(copy.employees.value)
    #expect(employees.map(\.name.value) == ["Ada", "Bob"])
    #expect(employees.allSatisfy { $0.firm.value === copy })
    #expect(Set(employees).isDisjoint(with: firm.employees.value ?? []))
    #expect(firm.employees.value?.allSatisfy { $0.firm.value === firm } == true)
  }

  @Test func `A copy of a model is independent of the original`() throws {
    let copy = firm.copy()
    copy.name.value = "IBM"
    copy.employees.value?[0].name.value = "Eve"
    copy.employees.add(StaffMember(id: 3, name: "Cy"))
    #expect(firm.name == "ACM")
    #expect(firm.employees.value?.map(\.name.value) == ["Ada", "Bob"])
    #expect(copy.employees.count == 3)
    firm.employees.value?[1].firm.value = nil
    #expect(copy.employees.count == 3)
    #expect(firm.employees.count == 1)
  }

  @Test func `A copy of a model is in no scope`() throws {
    let scope = ModelScope()
    let original = try Workplace.from(dictionaryValue: ["id": "f", "name": "ACM", "employees": [["id": 1]]], in: scope)
    let copy = original.copy()
    let second = original.copy()
    #expect(copy !== original)
    #expect(copy !== second)
    #expect(copy.scope == nil)
    #expect(Workplace.with(identifier: "f", in: scope) === original)
    #expect(StaffMember.with(identifier: "1", in: scope) === original.employees.value?.first)
  }

  @Test func `A copy of a model has the states of the original`() throws {
    let original = try Workplace.from(dictionaryValue: [
      "id": "f", "name": "ACM", "employees": [["id": 1, "name": "Ada"]],
    ])
    original.name.value = "IBM"
    let copy = original.copy()
    for (mine, other) in zip(copy.fields, original.fields) {
      #expect(mine.isDirty == other.isDirty)
      #expect(mine.loadState == other.loadState)
      #expect(mine.updatedAt == other.updatedAt)
      #expect(mine.changedAt == other.changedAt)
      #expect(!mine.isNewer(than: other) && !other.isNewer(than: mine))
    }
    #expect(copy.name.isDirty)
    #expect(!copy.employees.isDirty)
    #expect(copy.loadState == original.loadState)
    copy.revert()
    #expect(copy.name == "ACM")
    #expect(original.name == "IBM")
  }

  @Test func `A copy of an unloaded reference is incomplete, too`() {
    let unloadedReference = Workplace.with(identifier: "f", in: ModelScope())
    let copy = unloadedReference.copy()
    #expect(copy.loadState == .incomplete)
    #expect(copy.identifier == "f")
    #expect(copy.name.loadState == .notLoaded)
  }

  @Test func `A copy of a model references the same models by foreign keys, whose inverses are not updated`() {
    let album = Album()
    album.id.value = 1
    let tracks = (0..<2).map { index in
      let track = Track()
      track.id.value = "\(index)"
      return track
    }
    album.tracks.value = tracks
    let copy = album.copy()
    #expect(copy.tracks.value == tracks)
    #expect(album.tracks.value == tracks)
    #expect(tracks.allSatisfy { $0.album.value === album })
    let track = tracks[0].copy()
    #expect(track.album.value === album)
    #expect(album.tracks.value == tracks)
    #expect(!tracks[0].album.isDirty || album.tracks.isDirty)
  }

  @Test func `A copy of a model references copies by foreign keys where these exist, in the order of the list`() {
    final class Node: Model {
      let id = Field<Int>()
      let children = ModelField<Node>()*
      let parent = ModelField<Node>(foreignKey: true, inverse: { $0.children })
      let friends: ModelArrayField<Node> = ModelField(foreignKey: true, inverse: \.friends)*
      override var identifierField: AnyField? { id }
    }
    let nodes = (0..<4).map { id in
      let node = Node()
      node.id.value = id
      return node
    }
    nodes[0].children.value = [nodes[1], nodes[2]]
    nodes[0].friends.value = [nodes[1], nodes[3], nodes[2]]
    let copy = nodes[0].copy()
    let children = copy.children.value ?? []
    #expect(children.map(\.id.value) == [1, 2])
    #expect(children.allSatisfy { $0.parent.value === copy })
    #expect(copy.friends.value?.map(\.id.value) == [1, 3, 2])
    #expect(copy.friends.value?.map { $0 === nodes[3] } == [false, true, false])
    #expect(children.allSatisfy { $0.friends.value == [copy] })
    #expect(nodes[3].friends.value == [nodes[0]])
    #expect(nodes[0].friends.value == [nodes[1], nodes[3], nodes[2]])
  }

  @Test func `A copy of a model forms no retain cycle with its related models`() {
    weak var copied: Workplace?
    weak var member: StaffMember?
    do {
      let employee = StaffMember(id: 1, name: "Ada")
      let original = Workplace(name: "ACM")
      // Retained by the employee's side: the original firm does not retain it.
      employee.firm.value = original
      let copy = original.copy()
      copied = copy
      member = copy.employees.value?.first
      #expect(member?.name.value == "Ada")
      #expect(member?.firm.value === copy)
    }
    #expect(copied == nil)
    #expect(member == nil)
  }

  @Test func `A copy of a model that references itself references itself`() {
    let person = Person()
    person.spouse.value = person
    let copy = person.copy()
    #expect(copy.spouse.value === copy)
    #expect(person.spouse.value === person)
  }

  @Test func `A copy of some fields has no other values and no identifier`() {
    let copy = firm.copy(fields: [firm.name])
    #expect(copy.name == "ACM")
    #expect(copy.identifier == nil)
    #expect(copy.employees.value == [])
    #expect(copy.employees.loadState == .notLoaded)
    #expect(copy.loadState == .loaded)
    #expect(firm.copy(fields: [Workplace().name]).name.value == nil)
    let withStaff = firm.copy(fields: [firm.employees])
    #expect(withStaff.employees.value?.map(\.id.value) == [1, 2])
    #expect(withStaff.employees.value?.allSatisfy { $0.firm.value === withStaff } == true)
    #expect(withStaff.name.value == nil)
  }

  @Test func `A copy of a model of a subclass is of that subclass`() {
    let shape: Shape = Circle()
    #expect(shape.copy() is Circle)
  }

  @Test func `A copy of a model replaces the values that the class sets`() {
    final class Counter: Model {
      let count = Field<Int>()
      required init() {
        super.init()
        count.value = 1
      }
    }
    let counter = Counter()
    counter.count.value = 5
    #expect(counter.copy().count == 5)
    counter.count.value = nil
    #expect(counter.copy().count.value == nil)
  }

  @Test func `Copying a chain of 20,000 models needs no deep stack`() {
    let chain = ChainLink.chain(20_000)
    chain[19_999].name.value = "end"
    let copy = chain[0].copy()
    var last = copy
    var all = [copy]
    while let next = last.next.value {
      last = next
      all.append(next)
    }
    #expect(all.count == 20_000)
    #expect(last.name == "end")
    #expect(last !== chain[19_999])
    // Releasing the chain at its start would need as many nested calls as it is long.
    for link in all { link.next.value = nil }
  }
}
