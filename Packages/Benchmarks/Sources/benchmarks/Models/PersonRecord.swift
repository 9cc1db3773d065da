import BenchmarkHarness
import Foundation
import GRDB

/// The same person as a value, which GRDB stores. It is also the source of sample data.
struct PersonRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "person"

  var id: Int
  var name: String
  var email: String
  var age: Int
  var height: Double
  var isActive: Bool
  var city: String
  var phone: String
  var score: Int
  var tags: [String]
}

extension PersonRecord {
  /// Returns people with different values, which depend only on the identifiers.
  static func samples(identifiers: Range<Int>) -> [PersonRecord] {
    identifiers.map { id in
      let first = firstNames[id % firstNames.count]
      let last = lastNames[id / 7 % lastNames.count]
      return PersonRecord(
        id: id, name: "\(first) \(last)", email: "\(first).\(last).\(id)@example.org".lowercased(),
        age: 18 + id % 73, height: Double(145 + id % 60) / 100, isActive: id % 3 != 0,
        city: cities[id / 3 % cities.count], phone: "+49 30 \(10_000_000 + id * 37 % 90_000_000)",
        score: id &* 2_654_435_761 % 100_000,
        tags: [interests[id % interests.count], interests[(id / 5 + 3) % interests.count], "group-\(id % 50)"])
    }
  }

  /// Returns the samples as a JSON list.
  static func json(_ samples: [PersonRecord]) throws -> Data { try JSONEncoder().encode(samples) }

  static func checksum(_ people: [PersonRecord]) -> UInt64 {
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

  private static let firstNames = [
    "Ada", "Bertrand", "Chiyo", "Dmitri", "Edith", "Fernando", "Grazia", "Hermann", "Isabel", "Jorge", "Katherine",
  ]
  private static let lastNames = [
    "Achterberg", "Baudelaire", "Cavafy", "Dickinson", "Eichendorff", "Fontane", "Goncharov", "Hawthorne", "Ibsen",
  ]
  private static let cities = ["Amsterdam", "Buenos Aires", "Kyōto", "Lisbon", "Reykjavík", "Valparaíso", "Zürich"]
  private static let interests = [
    "astronomy", "botany", "chess", "dancing", "engraving", "fencing", "gardening", "hiking",
  ]
}
