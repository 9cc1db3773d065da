import ModelCore
import Testing

@Suite struct `Many to many` {
  private let students = [Student(), Student(), Student()]
  private let courses = [Course(), Course()]

  @Test func `A many-to-many link is on both sides, wherever it is made`() {
    students[0].courses.add(courses[0])
    courses[0].students.add(students[1])
    #expect(courses[0].students.value == [students[0], students[1]])
    #expect(students[1].courses.value == [courses[0]])
    students[1].courses.add(courses[1])
    #expect(students[1].courses.value == courses)
    #expect(courses[1].students.value == [students[1]])
  }

  @Test func `A many-to-many relation contains a link once`() {
    #expect(students[0].courses.add(courses[0]))
    #expect(!courses[0].students.add(students[0]))
    #expect(!students[0].courses.add(courses[0]))
    #expect(courses[0].students.value == [students[0]])
    #expect(students[0].courses.value == [courses[0]])
  }

  @Test func `A many-to-many link is cut from either side`() {
    for student in students { student.courses.value = courses }
    #expect(courses[0].students.remove(students[1]))
    #expect(students[1].courses.value == [courses[1]])
    #expect(students[0].courses.remove(courses[1]))
    #expect(courses[1].students.value == [students[1], students[2]])
    students[2].courses.value = nil
    #expect(courses.map { $0.students.count } == [1, 1])
  }

  @Test func `A many-to-many relation keeps the other links when a list is replaced`() {
    for student in students { student.courses.value = [courses[0]] }
    courses[0].students.value = [students[2], students[0]]
    #expect(courses[0].students.value == [students[2], students[0]])
    #expect(students[1].courses.value == [])
    courses[1].students.value = students
    #expect(students[0].courses.value == courses)
    #expect(students[1].courses.value == [courses[1]])
  }
}
