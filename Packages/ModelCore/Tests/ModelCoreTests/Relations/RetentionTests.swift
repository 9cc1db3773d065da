import ModelCore
import Testing

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
