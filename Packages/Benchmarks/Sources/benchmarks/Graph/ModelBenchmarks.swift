import BenchmarkHarness
import ModelCore

/// The cost of models beyond that of their fields.
enum ModelBenchmarks {
  static var all: [Benchmark] { [creation, lookup, toDictionary, fromDictionary] }

  /// The fields of a person in a class that is not a model.
  private final class BareFields {
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
  }

  private static var creation: Benchmark {
    Benchmark(group: "models", name: "create and drop a person", operation: "person", size: 20_000) { size in
      [
        Side("ModelKit") { _ in
          for _ in 0..<size { blackHole(Person()) }
          return UInt64(size)
        },
        Side("its ten fields in a class that is no model (floor)") { _ in
          for _ in 0..<size { blackHole(BareFields()) }
          return UInt64(size)
        },
      ]
    }
  }

  private static var lookup: Benchmark {
    Benchmark(group: "models", name: "live person by identifier", operation: "lookup", size: 200_000) { size in
      let scope = ModelScope()
      let people = PersonRecord.samples(identifiers: 0..<10_000).map { Person($0).canonicalInstance(in: scope) }
      let table = Dictionary(uniqueKeysWithValues: people.map { (String($0.id.value ?? 0), $0) })
      // The order differs from those of the identifiers and of the heap.
      let identifiers = (0..<size).map { String($0 &* 7_919 % people.count) }
      return [
        Side("ModelKit") { _ in
          var sum = 0
          for identifier in identifiers {
            sum &+= Person.with(identifier: identifier, in: scope).score.value ?? 0
          }
          return UInt64(bitPattern: Int64(sum))
        },
        Side("Dictionary<String, Person>", goal: 2) { _ in
          var sum = 0
          for identifier in identifiers { sum &+= table[identifier]?.score.value ?? 0 }
          return UInt64(bitPattern: Int64(sum))
        },
      ]
    }
  }

  private static var toDictionary: Benchmark {
    Benchmark(group: "models", name: "person to dictionaryValue", operation: "person", size: 10_000) { size in
      let people = PersonRecord.samples(identifiers: 0..<size).map { Person($0) }
      return [
        Side("ModelKit") { _ in
          var checksum = Checksum()
          for person in people { add(person.dictionaryValue, to: &checksum) }
          return checksum.value
        },
        Side("by hand", goal: 3) { _ in
          var checksum = Checksum()
          for person in people { add(dictionary(of: person), to: &checksum) }
          return checksum.value
        },
      ]
    }
  }

  private static func add(_ dictionary: AttributeDictionary, to checksum: inout Checksum) {
    checksum.add(dictionary.count)
    checksum.add(dictionary["score"]?.intValue)
  }

  private static func dictionary(of person: Person) -> AttributeDictionary {
    var dictionary: AttributeDictionary = [:]
    dictionary.reserveCapacity(10)
    if let id = person.id.value { dictionary["id"] = .int(id) }
    if let name = person.name.value { dictionary["name"] = .string(name) }
    if let email = person.email.value { dictionary["email"] = .string(email) }
    if let age = person.age.value { dictionary["age"] = .int(age) }
    if let height = person.height.value { dictionary["height"] = .double(height) }
    if let isActive = person.isActive.value { dictionary["isActive"] = .bool(isActive) }
    if let city = person.city.value { dictionary["city"] = .string(city) }
    if let phone = person.phone.value { dictionary["phone"] = .string(phone) }
    if let score = person.score.value { dictionary["score"] = .int(score) }
    if let tags = person.tags.value { dictionary["tags"] = .array(tags.map { .string($0) }) }
    return dictionary
  }

  private static var fromDictionary: Benchmark {
    Benchmark(group: "models", name: "dictionaryValue to person", operation: "person", size: 10_000) { size in
      let dictionaries = PersonRecord.samples(identifiers: 0..<size).map { Person($0).dictionaryValue }
      return [
        Side(
          "ModelKit", prepare: { _ in }, run: { try dictionaries.map { try Person.from(dictionaryValue: $0) } },
          checksum: { Person.checksum($0) }),
        Side(
          "by hand, into the same fields", goal: 3, prepare: { _ in }, run: { dictionaries.map { person(from: $0) } },
          checksum: { Person.checksum($0) }),
      ]
    }
  }

  private static func person(from dictionary: AttributeDictionary) -> Person {
    let person = Person()
    person.id.value = dictionary["id"]?.intValue
    person.name.value = dictionary["name"]?.stringValue
    person.email.value = dictionary["email"]?.stringValue
    person.age.value = dictionary["age"]?.intValue
    person.height.value = dictionary["height"]?.doubleValue
    person.isActive.value = dictionary["isActive"]?.boolValue
    person.city.value = dictionary["city"]?.stringValue
    person.phone.value = dictionary["phone"]?.stringValue
    person.score.value = dictionary["score"]?.intValue
    person.tags.value = dictionary["tags"]?.arrayValue?.compactMap(\.stringValue)
    return person
  }
}
