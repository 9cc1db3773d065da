@_spi(ModelKitInternals) import ModelCore
import Testing

/// A model that was unloaded does not know its links, but the models on the other side still do.
@Suite struct `A relation of which one side was unloaded` {
  private let scope = ModelScope()

  private func enrolled() throws -> (Student, Course) {
    let student = try Student.from(
      dictionaryValue: ["id": 1, "courses": [["id": 1, "title": "A"], ["id": 2, "title": "B"]]], in: scope)
    return (student, try #require(student.courses.value?.first))
  }

  @Test func `is whole again after reading, without duplicates`() throws {
    let (student, course) = try enrolled()
    let courses = try #require(student.courses.value)
    student.unload()
    #expect(course.students.value == [student])
    try student.read(["courses": [1, 2]])
    #expect(student.courses.value == courses)
    #expect(course.students.value == [student])
    #expect(course.students.count == 1)
  }

  @Test func `has no member twice, on whichever side it is added again`() throws {
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

  @Test func `has no member twice when the list was unloaded`() throws {
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

  @Test func `lets a link be cut by the side that still has it, and the other one stays not loaded`() throws {
    let (student, course) = try enrolled()
    student.unload()
    course.students.remove(student)
    #expect(course.students.value == [])
    #expect(student.courses.value == nil)
    #expect(student.courses.loadState == .notLoaded)
    #expect(!student.courses.isDirty)
  }

  @Test func `retains a link once after it was made again`() throws {
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

  @Test func `is filled anew in linear time`() throws {
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
