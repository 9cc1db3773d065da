@_spi(ModelKitInternals) import ModelCore
import Testing

/// Copies of random graphs with cycles, unloaded sides and unsaved changes.
@Suite struct `Copies of random graphs` {
  private func relations(of person: Person) -> [any RelationField] {
    [person.parent, person.children, person.spouse, person.friends]
  }

  private func people(_ generator: inout SeededGenerator) throws -> [Person] {
    let people = (0..<6).map { number in Person.with(identifier: "\(number)", in: ModelScope()) }
    for step in 0..<40 {
      let person = people[Int.random(in: 0..<6, using: &generator)]
      let other = people[Int.random(in: 0..<6, using: &generator)]
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: person.parent.value = other
      case 1: person.spouse.value = other
      case 2: person.friends.add(other)
      case 3: person.children.add(other)
      case 4: person.friends.remove(other)
      case 5: person.spouse.value = nil
      case 6 where step < 20: person.markSaved(person.fields, asOf: .next())
      case 7 where step < 30: person.unload()
      default: person.name.value = "\(step)"
      }
    }
    return people
  }

  /// Returns the state of all models that can be reached, as text.
  private func describe(_ people: [Person]) -> [String] {
    people.map { person in
      let relations = relations(of: person).map { field in
        let numbers = field.relatedModels.compactMap { ($0 as? Person)?.id.value }
        return "\(numbers) \(field.anyValue == nil) \(field.isDirty) \(field.loadState)"
      }
      return "\(person.id.value ?? -1) \(person.name.value ?? "-") \(relations)"
    }
  }

  /// Returns all people that can be reached by relations, by their numbers.
  private func reach(_ person: Person) -> [Person] {
    var people = [person]
    var next = 0
    while next < people.count {
      for case let other as Person in relations(of: people[next]).flatMap(\.relatedModels)
      where !people.contains(other) {
        people.append(other)
      }
      next += 1
    }
    return people.sorted { ($0.id.value ?? 0) < ($1.id.value ?? 0) }
  }

  private func clear(_ people: [Person]) {
    for person in people {
      person.parent.value = nil
      person.spouse.value = nil
      person.friends.value = nil
      person.children.value = nil
    }
    for person in people { person.markSaved(person.fields, asOf: .next()) }
  }

  @Test func `Copies of random graphs equal the originals and do not change them`() throws {
    for seed in 1...200 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let people = try people(&generator)
      let before = describe(people)
      let copy = people[0].copy()
      let copies = reach(copy)
      for (found, expected) in zip(describe(copies), describe(reach(people[0]))) {
        #expect(found == expected, "seed \(seed)")
      }
      #expect(describe(people) == before, "seed \(seed)")
      #expect(copies.allSatisfy { !people.contains($0) }, "seed \(seed)")
      clear(copies)
      #expect(describe(people) == before, "seed \(seed)")
      clear(people)
    }
  }

  @Test func `Copies of random graphs are deallocated with all their related models`() throws {
    for seed in 1...50 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let people = try people(&generator)
      weak var ghost: Person?
      do {
        let copies = reach(people[0].copy())
        ghost = copies.last
        clear(copies)
      }
      #expect(ghost == nil, "seed \(seed)")
      clear(people)
    }
  }
}
