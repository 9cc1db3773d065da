// Every call site that the documentation shows, as users write them. The same file is compiled twice: in a module
// without default isolation, and in one whose default isolation is the main actor.
import Foundation
import ModelKit
import Observation
import StoreProtocolTesting
import Testing

enum Color: String, CaseIterable, Sendable { case red, green }

final class Company: Model {
  let id = Field<String>()
  let name = Field<String>()
  let employees = ModelField<Person>()*
  override var identifierField: AnyField? { id }
}

final class Person: Model {
  let id = Field<Int>()
  let name = Field<String>(name: "Name").require(.notBlank).require(.length(1...80)).require(.matching(/[A-Za-z ]+/))
  let age = Field<Int>().require(.range(0...130)).require { $0 > 0 }
    .require(message: "must be even", allowNil: false) { $0 % 2 == 0 }.requireNotNil()
  let nickname = Field<String>(key: "names.nick").require(.characters(in: "abcdefghijklmnopqrstuvwxyz"))
  let tags = Field<String>()*
  let labels = *Field<String>()
  let few = ArrayField(Field<String>()).require(.count(1...5))
  let color = EnumField<Color>()
  let birthday = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let company = ModelField<Company>(inverse: \.employees)
  let boss = ModelField<Person>(inverse: { $0.reports })
  let reports = ModelField<Person>()*
  override var identifierField: AnyField? { id }

  convenience init(name: String) {
    self.init()
    self.name.value = name
  }
}

class Shape: Model {
  let kind = Field<String>()
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "circle" ? Circle.self : nil
  }
}

nonisolated final class Circle: Shape {
  let radius = Field<Double>()
}

@Observable final class Settings { var count = 1 }

@MainActor final class Screen: ObservationOwner {
  var title = ""
  var tokens = Set<ObservationToken>()

  func show(_ person: Person) {
    person.name --> { self.title = $0 ?? "" }
    (person.name --> { [weak self] in self?.title += "!" }).store(in: &tokens)
    person.name --> self { screen, name in screen.title = name ?? "nobody" }
  }
}

@MainActor final class Label: @MainActor ValueObserver {
  var text = ""
  func valueChanged(from oldValue: String?, to newValue: String?, observable: any ValueObservable<String?>) {
    text = newValue ?? ""
  }
}

actor Library {
  let store: MemoryModelStore

  init(_ handle: MemoryEngine) { store = MemoryModelStore(handle) }

  func names() async throws -> [String] { try await store.list(Person.self).compactMap(\.name.value) }
}

@concurrent func load(_ handle: MemoryEngine) async throws -> sending [Person] {
  try await MemoryModelStore(handle).list(Person.self)
}

@Suite struct CallSites {
  @Test func `Fields are observed and bound as the documentation shows`() {
    let name = Field<String>(), other = Field<String>(), third = Field<String>()
    var log: [String] = []
    let token = name --> { log.append($0 ?? "nil") }
    let second = name.addObserver(requiresChange: true, updateImmediately: true) { old, new in
      log.append("\(old ?? "nil") to \(new ?? "nil")")
    }
    name --> other --> third
    name.value = "Ada"
    #expect(third.value == "Ada")
    token.cancel()
    second.cancel()
    name -/-> other
    other <-- third
    other <--> third
    third.value = "Grace"
    #expect(other == "Grace")
    #expect(name != "Grace")
    #expect(log == ["nil", "nil to nil", "Ada", "nil to Ada"])
    #expect(Settings().count == 1)
  }

  @Test @MainActor func `The user interface observes without ceremony`() {
    let person = Person(name: "Ada"), screen = Screen(), label = Label()
    screen.show(person)
    person.name --> label
    person.name.value = "Grace"
    #expect(screen.title == "Grace")
    #expect(label.text == "Grace")
  }

  @Test func `Models relate, validate, and go to JSON and back`() throws {
    let person = Person(name: "Ada"), company = Company()
    person.company.value = company
    person.boss.value = Person(name: "Charles")
    #expect(company.employees.value == [person])
    #expect(person.boss.value?.reports.value == [person])
    company.employees.remove(person)
    company.employees.add(person)
    person.tags.append("x")
    person.tags.value?.append("y")
    person.nickname.value = "countess"
    person.age.value = 7
    #expect(person.validate().isInvalid)
    #expect(person.validationErrors.map(\.description).contains("age must be even"))
    #expect(person.dictionaryValue["names"]?["nick"] == "countess")
    #expect(person.dictionaryValue(fields: [person.name]) == ["name": "Ada"])
    let copy = try Person.from(json: person.jsonData(pretty: true))
    #expect(copy.tags.value == ["x", "y"])
    #expect(try Shape.from(dictionaryValue: ["kind": "circle", "radius": 2]) is Circle)
    #expect(try Person.list(fromJSON: Data(#"{"people": [{"name": "Ada"}]}"#.utf8), at: "people").count == 1)
    #expect(try JSONEncoder().encode(person).isEmpty == false)
    #expect(throws: ModelDecodingError.self) { try person.read(["age": "seven"]) }
    let fields: [AnyField] = person.fields
    #expect(fields.count == Person.fieldKeys.count)
    let scope = ModelScope(transformers: ValueTransformerContext(keyCase: .snake, explicitNull: true))
    #expect(Person.with(identifier: "10", in: scope) === Person.with(identifier: "10", in: scope))
  }

  @Test func `A store works from here, from an actor and from a task`() async throws {
    let store = MemoryModelStore()
    let people = try await store.createAll([Person(valid: "Ada"), Person(valid: "Grace")])
    #expect(people.map(\.identifier) == ["1", "2"])
    let handle = store.handle
    #expect(try await Library(handle).names() == ["Ada", "Grace"])
    let count = try await Task {
      let instance = MemoryModelStore(handle)
      _ = try await instance.create(Person(valid: "Edsger"))
      return try await instance.list(Person.self).count
    }.value
    #expect(count == 3)
    #expect(try await load(handle).count == 3)
    people[0].age.value = 38
    try await store.save(people[0])
    let found: any ModelStore = store
    #expect(try await found.lookup(Person.self, identifier: "1") === people[0])
    await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(Person.self, identifier: "99") }
    try await store.delete(people[1])
    #expect(try await store.list(Person.self, limit: 1, offset: 1).count == 1)
    #expect(try store.lookupImmediately(Person.self, identifier: "1").age == 38)
  }

  @Test(arguments: ModelStoreContract.checks)
  func `A store is put to the contract in one line`(check: ModelStoreContract.Check) async throws {
    try await check.run { MemoryModelStore() }
  }

  @Test func `Importing the library does not slow down the checking of other expressions`() {
    // With operators that take part in every `&&`, this line alone took the compiler 14 seconds.
    let (a, b, s, o) = (1, 2, "hello", Int?.none)
    #expect(a + b * 2 - 3 > 4 && s.count == 5 || o == nil && b - a * 2 < 9 && !s.isEmpty)
  }
}

extension Person {
  convenience init(valid name: String) {
    self.init(name: name)
    age.value = 36
    few.value = ["one"]
  }
}
