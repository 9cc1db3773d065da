import ModelCore
import Testing

@Suite struct `A relation of a class to itself` {
  private let people = (0..<4).map { _ in Person() }

  @Test func `A relation of a class to itself forms trees`() {
    people[0].children.value = [people[1], people[2]]
    people[3].parent.value = people[1]
    #expect(people[1].parent.value === people[0])
    #expect(people[1].children.value == [people[3]])
    people[2].children.add(people[3])
    #expect(people[1].children.value == [])
    #expect(people[3].parent.value === people[2])
    #expect(people[0].parent.value == nil)
  }

  @Test func `A relation of a class to itself forms pairs with one field`() {
    people[0].spouse.value = people[1]
    #expect(people[1].spouse.value === people[0])
    people[2].spouse.value = people[3]
    people[0].spouse.value = people[2]
    #expect(people.map { $0.spouse.value } == [people[2], nil, people[0], nil])
    people[2].spouse.value = nil
    #expect(people.allSatisfy { $0.spouse.value == nil })
  }

  @Test func `A relation of a class to itself forms networks with one list`() {
    people[0].friends.value = [people[1], people[2]]
    #expect(people[1].friends.value == [people[0]])
    people[1].friends.add(people[2])
    #expect(people[2].friends.value == [people[0], people[1]])
    people[2].friends.value = [people[3]]
    #expect(people[0].friends.value == [people[1]])
    #expect(people[3].friends.value == [people[2]])
  }

  @Test func `A model may reference itself, and be unlinked from itself`() {
    let person = people[0]
    person.spouse.value = person
    #expect(person.spouse.value === person)
    person.spouse.value = people[1]
    #expect(people[1].spouse.value === person)
    people[1].spouse.value = people[1]
    #expect(person.spouse.value == nil)
    person.friends.add(person)
    #expect(person.friends.value == [person])
    person.friends.remove(person)
    #expect(person.friends.value == [])
    person.parent.value = person
    #expect(person.children.value == [person])
    person.parent.value = nil
    #expect(person.children.value == [])
    people[1].spouse.value = nil
  }
}
