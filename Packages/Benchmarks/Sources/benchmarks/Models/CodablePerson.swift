import BenchmarkHarness

/// The same person as a class for `JSONDecoder` and `JSONEncoder`, the alternative to a model.
final class CodablePerson: Codable {
  let id: Int?
  let name: String?
  let email: String?
  let age: Int?
  let height: Double?
  let isActive: Bool?
  let city: String?
  let phone: String?
  let score: Int?
  let tags: [String]

  init(_ record: PersonRecord) {
    id = record.id
    name = record.name
    email = record.email
    age = record.age
    height = record.height
    isActive = record.isActive
    city = record.city
    phone = record.phone
    score = record.score
    tags = record.tags
  }

  static func checksum(_ people: [CodablePerson]) -> UInt64 {
    var checksum = Checksum()
    for person in people {
      checksum.add(person.id)
      checksum.add(person.name)
      checksum.add(person.email)
      checksum.add(person.age)
      checksum.add(person.height)
      checksum.add(person.isActive)
      checksum.add(person.city)
      checksum.add(person.phone)
      checksum.add(person.score)
      checksum.add(person.tags)
    }
    return checksum.value
  }
}
