import Foundation
import ModelCore
import Testing

@Suite struct `Models in cycles` {
  @Test func `Models in cycles are written in full once, and by identifier after that`() throws {
    let author = Author(id: 1, name: "Ada")
    let book = Book(id: 2, title: "A")
    author.books.add(book)
    #expect(try author.jsonData().text == #"{"books":[{"author":{"id":1},"id":2,"title":"A"}],"id":1,"name":"Ada"}"#)
    #expect(try book.jsonData().text == #"{"author":{"books":[{"id":2}],"id":1,"name":"Ada"},"id":2,"title":"A"}"#)
  }

  @Test func `Models in cycles without identifier are omitted where they would be repeated`() {
    let author = Author(name: "Ada")
    author.books.add(Book(title: "A"))
    #expect(author.dictionaryValue == ["name": "Ada", "books": [["title": "A"]]])
    let first = Person()
    let second = Person()
    first.friends.value = [second, first]
    // A list whose members can't be referenced is omitted as well: an empty one would cut the links.
    #expect(first.dictionaryValue == ["friends": [[:]]])
  }

  @Test(arguments: [nil, 5])
  func `Models in a cycle that starts without identifier are read back linked`(identifier: Int?) throws {
    let book = Book(title: "Emma"), author = Author(id: identifier, name: "Jane")
    book.author.value = author
    let other = Book(id: 7, title: "Persuasion")
    #expect(book.dictionaryValue["author"]?.objectValue?["books"] == nil)
    #expect(try book.dictionaryValue == JSONValue(json: book.jsonData()).objectValue)
    for _ in 0..<2 {
      let fromDictionary = try Book.from(dictionaryValue: book.dictionaryValue)
      let fromJSON = try Book.from(json: book.jsonData())
      for copy in [fromDictionary, fromJSON] {
        #expect(copy.author.value?.name.value == "Jane")
        #expect(copy.author.value?.books.value?.contains(copy) == true)
        #expect(copy.author.value?.books.value?.count == author.books.count)
      }
      // With another member, the list is written without the one that has no identifier.
      author.books.add(other)
    }
  }

  @Test func `Models in cycles are read linked from a list that lacks the outermost one`() throws {
    let json = #"{"author":{"books":[],"id":5,"name":"Jane"},"id":1,"title":"Emma"}"#
    let scope = ModelScope()
    for book in [
      try Book.from(json: Data(json.utf8), in: scope),
      try Book.from(dictionaryValue: #require(try JSONValue(json: Data(json.utf8)).objectValue), in: scope),
    ] {
      #expect(book.author.value?.name.value == "Jane")
      #expect(book.author.value?.books.value == [book])
    }
  }

  @Test func `Many-to-many models in cycles keep a link that the inner list can't reference`() throws {
    let student = Student(), course = Course()
    course.title.value = "Logic"
    student.courses.value = [course]
    let json = #"{"courses":[{"students":[{"id":2}],"title":"Logic"}]}"#
    let copy = try Student.from(json: student.jsonData())
    #expect(copy.courses.value?.first?.students.value == [copy])
    let read = try Student.from(json: Data(json.utf8))
    #expect(read.courses.value?.map(\.title.value) == ["Logic"])
    #expect(Set(read.courses.value?.first?.students.value?.map(\.id.value) ?? []) == [nil, 2])
  }

  @Test func `Models that reference themselves are written`() {
    let person = Person()
    person.id.value = 1
    person.spouse.value = person
    #expect(person.dictionaryValue == ["id": 1, "spouse": ["id": 1]])
    person.spouse.value = nil
  }

  @Test func `The size of a document with cycles is linear in the number of models and links`() throws {
    let students = (0..<20).map { id in
      let student = Student()
      student.id.value = id
      student.name.value = "a student"
      return student
    }
    let courses = (0..<20).map { id in
      let course = Course()
      course.id.value = id
      course.title.value = "a course"
      return course
    }
    for student in students { student.courses.value = courses }
    let text = try students[0].jsonData().text
    #expect(text.components(separatedBy: "a student").count - 1 == 20)
    #expect(text.components(separatedBy: "a course").count - 1 == 20)
    #expect(text.utf8.count < 20 * 20 * 2 * 20)
  }

  @Test func `Models in cycles are read back with the same links`() throws {
    let students = (1...4).map { id in
      let student = Student()
      student.id.value = id
      return student
    }
    let courses = (1...3).map { id in
      let course = Course()
      course.id.value = id
      return course
    }
    let links = [[1, 2], [2, 3], [], [1, 2, 3]]
    for (student, ids) in zip(students, links) { student.courses.value = ids.map { courses[$0 - 1] } }
    let copy = try Student.from(json: students[0].jsonData())
    var found: [Int: Set<Int>] = [:]
    var seen: Set<Student> = []
    var open = [copy]
    while let student = open.popLast() {
      guard seen.insert(student).inserted else { continue }
      found[student.id.value ?? 0] = Set((student.courses.value ?? []).compactMap(\.id.value))
      open += (student.courses.value ?? []).flatMap { $0.students.value ?? [] }
    }
    // The third student has no courses, so it is not reached by another path.
    #expect(found == [1: [1, 2], 2: [2, 3], 4: [1, 2, 3]])
    #expect(seen.count == 3)
    let copiedCourses = Set(seen.flatMap { $0.courses.value ?? [] })
    #expect(copiedCourses.count == 3)
    #expect(copiedCourses.isDisjoint(with: courses))
  }

  @Test func `Models in cycles are read back as cycles`() throws {
    let people = (1...3).map { id in
      let person = Person()
      person.id.value = id
      return person
    }
    people[0].children.value = [people[1], people[2]]
    people[1].spouse.value = people[2]
    people[2].friends.value = people
    let copy = try Person.from(dictionaryValue: people[0].dictionaryValue)
    let children = try #require(copy.children.value)
    #expect(children.compactMap(\.id.value) == [2, 3])
    #expect(children.allSatisfy { $0.parent.value === copy })
    #expect(children[0].spouse.value === children[1])
    #expect(children[1].spouse.value === children[0])
    #expect(Set(children[1].friends.value ?? []) == Set([copy] + children))
    #expect(copy.friends.value == [children[1]])
  }

  @Test func `Models of a list in a document share their related models`() throws {
    let author = Author(id: 1, name: "Ada")
    let books = [Book(id: 2, title: "A"), Book(id: 3, title: "B")]
    author.books.value = books
    let copies = try Book.list(fromJSON: books.jsonData())
    #expect(copies.count == 2)
    let copy = try #require(copies[0].author.value)
    #expect(copies[1].author.value === copy)
    #expect(copy.name == "Ada")
    #expect(Set(copy.books.value ?? []) == Set(copies))
  }
}
