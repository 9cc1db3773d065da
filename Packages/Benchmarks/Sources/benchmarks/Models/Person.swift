import BenchmarkHarness
import ModelCore

/// The person of the JSON and store benchmarks: ten properties, about 220 bytes of JSON.
final class Person: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let email = Field<String>()
  let age = Field<Int>()
  let height = Field<Double>()
  let isActive = Field<Bool>()
  let city = Field<String>()
  let phone = Field<String>()
  let score = Field<Int>()
  let tags = Field<String>()*

  override var identifierField: AnyField? { id }

  /// Creates a model with the values of a record.
  convenience init(_ record: PersonRecord) {
    self.init()
    id.value = record.id
    name.value = record.name
    email.value = record.email
    age.value = record.age
    height.value = record.height
    isActive.value = record.isActive
    city.value = record.city
    phone.value = record.phone
    score.value = record.score
    tags.value = record.tags
  }
}

extension Person {
  static func checksum(_ people: [Person]) -> UInt64 {
    var checksum = Checksum()
    for person in people {
      checksum.add(person.id.value)
      checksum.add(person.name.value)
      checksum.add(person.email.value)
      checksum.add(person.age.value)
      checksum.add(person.height.value)
      checksum.add(person.isActive.value)
      checksum.add(person.city.value)
      checksum.add(person.phone.value)
      checksum.add(person.score.value)
      checksum.add(person.tags.value ?? [])
    }
    return checksum.value
  }
}
