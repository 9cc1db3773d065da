@_spi(ModelKitInternals) import ModelCore
import Testing

/// A model that was unloaded has lost its links, but their inverses remain.
@Suite struct `A relation with an unloaded side` {
  private let scope = ModelScope()

  private func enrolled() throws -> (Student, Course) {
    let student = try Student.from(
      dictionaryValue: ["id": 1, "courses": [["id": 1, "title": "A"], ["id": 2, "title": "B"]]], in: scope)
    return (student, try #require(student.courses.value?.first))
  }

  @Test func `A relation with an unloaded side is complete after reading, without duplicates`() throws {
    let (student, course) = try enrolled()
    let courses = try #require(student.courses.value)
    student.unload()
    #expect(course.students.value == [student])
    try student.read(["courses": [1, 2]])
    #expect(student.courses.value == courses)
    #expect(course.students.value == [student])
    #expect(course.students.value?.count == 1)
    #expect(course.students.count == nil)
  }

  @Test func `A relation with an unloaded side contains no member twice, wherever it is added again`()
    throws
  {
    let (student, course) = try enrolled()
    student.unload()
    #expect(!course.students.add(student))
    #expect(course.students.value == [student])
    student.courses.add(course)
    #expect(student.courses.value == [course])
    #expect(course.students.value == [student])
    #expect(!student.courses.add(course))
    #expect(!course.students.add(student))
  }

  @Test func `A relation with an unloaded list contains no member twice`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "author": ["id": 2, "name": "Ada"]], in: scope)
    let ada = try #require(book.author.value)
    ada.unload()
    ada.books.add(book)
    #expect(ada.books.value == [book])
    #expect(book.author.value === ada)
    book.unload()
    book.author.value = ada
    #expect(ada.books.value == [book])
  }

  @Test func `A link to an unloaded side is cut by the side that has it, and the other stays not loaded`() throws {
    let (student, course) = try enrolled()
    student.unload()
    course.students.remove(student)
    #expect(course.students.value == [])
    #expect(student.courses.value == nil)
    #expect(student.courses.loadState == .notLoaded)
    #expect(!student.courses.isDirty)
  }

  @Test func `An unloaded side that is set or read again leaves no stale inverse`() throws {
    let old = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 1], ["id": 2], ["id": 3]]], in: scope)
    let new = try Author.from(dictionaryValue: ["id": 2, "books": []], in: scope)
    let books = try #require(old.books.value)
    for book in books { book.unload() }
    #expect(old.books.value == books)
    books[0].author.value = new
    #expect(old.books.value == [books[1], books[2]])
    #expect(old.books.isDirty)
    new.books.add(books[1])
    #expect(old.books.value == [books[2]])
    try books[2].read(["author": nil])
    #expect(old.books.value == [])
    #expect(new.books.value == [books[0], books[1]])
  }

  @Test func `A relation with an unloaded side is updated when a list is set or read again`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 1], ["id": 2], ["id": 3]]], in: scope)
    let books = try #require(author.books.value)
    author.unload()
    try author.read(["books": [1, 3]])
    #expect(author.books.value == [books[0], books[2]])
    #expect(books[1].author.value == nil)
    #expect(!books[1].isDirty)
    author.unload()
    var received: [Author?] = []
    books[0].author.addObserver(updateImmediately: false) { received.append($1) }
    author.books.value?.append(books[1])
    #expect(received == [])
    #expect(books[0].author.value === author)
    author.books.value = []
    #expect(received == [nil])
    #expect(books.allSatisfy { $0.author.value == nil })
    let (student, course) = try enrolled()
    student.unload()
    try student.read(["courses": [2]])
    #expect(course.students.value == [])
  }

  @Test func `An unloaded relation does not retain its previous models`() throws {
    weak var ghost: Author?
    let book = try Book.from(dictionaryValue: ["id": 1, "author": ["id": 2]], in: scope)
    ghost = book.author.value
    book.unload()
    #expect(ghost == nil)
  }

  @Test func `A relation with an unloaded side retains a link once after it was made again`() throws {
    weak var ghost: Course?
    weak var other: Student?
    do {
      let (student, course) = try enrolled()
      course.unload()
      try course.read(["students": [1]])
      try student.read(["courses": [1]])
      student.unload()
      try student.read(["courses": [1]])
      ghost = course
      other = student
    }
    #expect(ghost == nil)
    #expect(other == nil)
  }

  @Test func `A relation with an unloaded side is filled again in linear time`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada", "books": []], in: scope)
    author.unload()
    let books = (0..<20_000).map { Book(id: $0, title: "") }
    for book in books { book.author.value = author }
    #expect(author.books.value?.elementsEqual(books) == true)
    author.unload()
    for book in books { author.books.add(book) }
    #expect(author.books.value?.elementsEqual(books) == true)
    #expect(books.allSatisfy { $0.author.value === author })
  }
}
