import Foundation
import Testing

@_spi(ModelKitInternals) @testable import ModelCore

/// Foreign keys to models of the same class.
private final class Fan: Model {
  let id = Field<Int>()
  let idol = ModelField<Fan>(foreignKey: true)
  let idols = ModelField<Fan>(foreignKey: true)*
  let fans: ModelArrayField<Fan> = ModelField(foreignKey: true, inverse: \.fans)*
  override var identifierField: AnyField? { id }
}

/// A way to link two models that have an inverse relation.
private struct Linking<A: Model, B: Model>: Sendable {
  let name: String
  let link: @Sendable (A, B) -> Void
}

@Suite struct `Related models` {
  private static func isFreed<A: Model, B: Model>(_ linking: Linking<A, B>) -> Bool {
    var a: A? = A()
    var b: B? = B()
    weak let ghostA = a
    weak let ghostB = b
    if let a, let b { linking.link(a, b) }
    a = nil
    b = nil
    return ghostA == nil && ghostB == nil
  }

  @Test func `Models of a one-to-many relation are deallocated however they were linked`() {
    let linkings: [Linking<Author, Book>] = [
      Linking(name: "set") { $1.author.value = $0 },
      Linking(name: "add") { $0.books.add($1) },
      Linking(name: "assign") { $0.books.value = [$1] },
      Linking(name: "append") { $0.books.value?.append($1) },
      Linking(name: "set, add") {
        $1.author.value = $0
        $0.books.add($1)
      },
      Linking(name: "add, set") {
        $0.books.add($1)
        $1.author.value = $0
      },
      Linking(name: "set, assign") {
        $1.author.value = $0
        $0.books.value = [$1, Book()]
      },
      Linking(name: "assign, set, assign") {
        $0.books.value = [$1]
        $1.author.value = $0
        $0.books.value = [Book(), $1]
      },
      Linking(name: "cut and link again") {
        $1.author.value = $0
        $0.books.remove($1)
        $0.books.add($1)
        $1.author.value = nil
        $1.author.value = $0
      },
      Linking(name: "read by the member") { try? $1.read(["author": ["id": 1, "books": [["title": "A"]]]]) },
      Linking(name: "read by the owner") { owner, _ in
        try? owner.read(["books": [["title": "A", "author": ["name": "B"]]]])
      },
    ]
    for linking in linkings { #expect(Self.isFreed(linking), "\(linking.name)") }
  }

  @Test func `Models of a one-to-one relation are deallocated however they were linked`() {
    let linkings: [Linking<Country, City>] = [
      Linking(name: "one side") { $0.capital.value = $1 },
      Linking(name: "other side") { $1.capitalOf.value = $0 },
      Linking(name: "both sides") {
        $0.capital.value = $1
        $1.capitalOf.value = $0
      },
      Linking(name: "after another partner") {
        $0.capital.value = City()
        $1.capitalOf.value = Country()
        $1.capitalOf.value = $0
      },
    ]
    for linking in linkings { #expect(Self.isFreed(linking), "\(linking.name)") }
  }

  @Test func `Models of a many-to-many relation are deallocated however they were linked`() {
    let linkings: [Linking<Student, Course>] = [
      Linking(name: "add") { $0.courses.add($1) },
      Linking(name: "add on the inverse") { $1.students.add($0) },
      Linking(name: "both sides") {
        $0.courses.add($1)
        $1.students.add($0)
      },
      Linking(name: "assign on both sides") {
        $0.courses.value = [$1]
        $1.students.value = [$0]
      },
      Linking(name: "assign with others") {
        $0.courses.value = [$1, Course()]
        $1.students.value = [Student(), $0]
      },
    ]
    for linking in linkings { #expect(Self.isFreed(linking), "\(linking.name)") }
  }

  @Test func `Related models of one class are deallocated however they were linked`() {
    let linkings: [Linking<Person, Person>] = [
      Linking(name: "parent") { $1.parent.value = $0 },
      Linking(name: "children") { $0.children.add($1) },
      Linking(name: "spouse") { $0.spouse.value = $1 },
      Linking(name: "friends") { $0.friends.value = [$1] },
      Linking(name: "friends on both sides") {
        $0.friends.value = [$1]
        $1.friends.value = [$0]
      },
    ]
    for linking in linkings { #expect(Self.isFreed(linking), "\(linking.name)") }
  }

  @Test func `A model that references itself is deallocated however it was linked`() {
    let linkings: [Linking<Person, Fan>] = [
      Linking(name: "parent") { person, _ in person.parent.value = person },
      Linking(name: "children") { person, _ in person.children.add(person) },
      Linking(name: "assigned children") { person, _ in person.children.value = [Person(), person] },
      Linking(name: "spouse") { person, _ in person.spouse.value = person },
      Linking(name: "friends") { person, _ in person.friends.add(person) },
      Linking(name: "many friends") { person, _ in
        person.friends.value = (0..<100).map { _ in Person() }
        person.friends.add(person)
        person.friends.add(Person())
      },
      Linking(name: "reverted") { person, _ in
        person.parent.value = person
        person.markSaved(person.allStoredFields, asOf: .next())
        person.parent.value = Person()
        person.revert()
      },
      Linking(name: "without inverse") { _, fan in
        fan.idol.value = fan
        fan.idols.add(fan)
      },
      Linking(name: "read without inverse") { _, fan in
        try? fan.read(["id": 1, "idol": ["id": 1], "idols": [["id": 1]]])
      },
    ]
    for linking in linkings { #expect(Self.isFreed(linking), "\(linking.name)") }
  }

  @Test func `A model that references itself keeps its links, even in a copy and a draft`() {
    let person = Person()
    person.parent.value = person
    person.friends.add(person)
    var copies: [Person?] = [person.copy(), person.draft(including: [person.parent]).model]
    for copy in copies.compactMap(\.self) {
      #expect(copy.parent.value === copy)
      #expect(copy.children.value == [copy] && copy.friends.value == [copy])
    }
    weak let copy = copies[0]
    copies = []
    #expect(copy == nil)
    #expect(person.parent.value === person && person.children.value == [person])
    person.children.removeAll()
    #expect(person.parent.value == nil && person.friends.value == [person])
  }

  @Test func `A model that references itself is deallocated after it was read into a scope, and edited`() throws {
    let scope = ModelScope()
    let json: AttributeDictionary = ["id": 1, "idol": 1, "idols": [1], "fans": [1]]
    var fan: Fan? = try Fan.from(dictionaryValue: json, in: scope)
    #expect(fan?.idol.value === fan)
    #expect(fan?.idols.value == fan.map { [$0] } && fan?.fans.value == fan.map { [$0] })
    try fan?.read(json)
    _ = try Fan.list(fromJSON: Data(#"[{"id": 1, "idol": 1, "idols": [1, 2], "fans": [2, 1]}]"#.utf8), in: scope)
    #expect(fan?.idols.value?.first === fan && fan?.fans.value?.last === fan)
    fan?.idol.value = nil
    fan?.idol.value = fan
    fan?.revert()
    weak let ghost = fan
    fan = nil
    #expect(ghost == nil)
  }

  @Test func `Related models that were read in cycles are deallocated, with and without a scope`() throws {
    let json: AttributeDictionary = [
      "id": 1, "courses": [["id": 1, "students": [["id": 1], ["id": 2, "courses": [["id": 1], ["id": 2]]]]]],
    ]
    for scope in [nil, ModelScope()] {
      var student: Student? = try Student.from(dictionaryValue: json, in: scope)
      weak let course = student?.courses.value?.first
      weak let ghost = student
      #expect(course?.students.count == 2)
      student = nil
      #expect(ghost == nil)
      #expect(course == nil)
    }
  }

  @Test func `Related models are retained by the side on which the link was set`() {
    let book = Book(title: "T")
    var author: Author? = Author(name: "Ada")
    book.author.value = author
    weak let kept = author
    author = nil
    #expect(kept != nil)
    #expect(book.author.value?.name.value == "Ada")
    book.author.value = nil
    #expect(kept == nil)
  }

  @Test func `Related models are retained by the list to which they were added`() {
    let author = Author(name: "Ada")
    author.books.add(Book(title: "A"))
    author.books.value?.append(Book(title: "B"))
    #expect(author.books.value?.map(\.title.value) == ["A", "B"])
    #expect(author.books.loadState == .loaded)
  }

  @Test func `Related models stay retained by the side that was linked first`() {
    let author = Author(name: "Ada")
    var book: Book? = Book(title: "A")
    weak let kept = book
    if let book { author.books.add(book) }
    book?.author.value = author
    book = nil
    #expect(kept != nil)
    #expect(author.books.count == 1)
  }

  @Test func `A weak link is removed from a list when its model is deallocated`() {
    let author = Author(name: "Ada")
    var book: Book? = Book(title: "A")
    book?.author.value = author
    #expect(author.books.count == 1)
    book = nil
    #expect(author.books.value == [])
    #expect(author.books.loadState == .incomplete)
  }
}
