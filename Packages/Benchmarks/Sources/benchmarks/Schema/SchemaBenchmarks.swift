import BenchmarkHarness
import Foundation
import SchemaKit

/// The cost of keys in a model file instead of the class, and of reading the file.
enum SchemaBenchmarks {
  static var all: [Benchmark] { [reading, writing, readingFile] }

  private static var reading: Benchmark {
    Benchmark(group: "schema", name: "read people, identity in a scope", operation: "person", size: 20_000) { size in
      let data = try SchemaPeople.json(PersonRecord.samples(identifiers: 0..<size))
      return [
        Side(
          "keys in a model file", prepare: { _ in try SchemaPeople.scope() },
          run: { try MappedPerson.list(fromJSON: data, in: $0) }, checksum: { SchemaPeople.checksum($0) }),
        Side(
          "keys in the class", goal: 1.1, prepare: { _ in ModelScope() },
          run: { try KeyedPerson.list(fromJSON: data, in: $0) }, checksum: { SchemaPeople.checksum($0) }),
      ]
    }
  }

  private static var writing: Benchmark {
    Benchmark(group: "schema", name: "write people", operation: "person", size: 20_000) { size in
      let data = try SchemaPeople.json(PersonRecord.samples(identifiers: 0..<size))
      let (mappedScope, scope) = (try SchemaPeople.scope(), ModelScope())
      let mapped = try MappedPerson.list(fromJSON: data, in: mappedScope)
      let keyed = try KeyedPerson.list(fromJSON: data, in: scope)
      return [
        Side(
          "keys in a model file", prepare: { _ in }, run: { try mapped.jsonData() },
          checksum: { checksum(of: $0, mappedScope) }),
        Side(
          "keys in the class", goal: 1.1, prepare: { _ in }, run: { try keyed.jsonData() },
          checksum: { checksum(of: $0, scope) }),
      ]
    }
  }

  /// Returns the checksum of written people. Both sides write the same bytes.
  private static func checksum(of data: Data, _ scope: ModelScope) -> UInt64 {
    var checksum = Checksum()
    checksum.add(String(decoding: data, as: UTF8.self))
    return withExtendedLifetime(scope) { checksum.value }
  }

  private static var readingFile: Benchmark {
    Benchmark(
      group: "schema", name: "read a model file of 500 entities", operation: "file", size: 1, goal: 100_000_000
    ) { _ in
      let data = Data(CoreDataSchema(entities: entities(500)).contents.utf8)
      return [
        Side(
          "ModelKit", prepare: { _ in }, run: { try CoreDataSchema(contents: data) },
          checksum: { UInt64($0.entities.reduce(0) { $0 + $1.attributes.count + $1.relationships.count }) })
      ]
    }
  }

  /// Returns entities with ten attributes and one relationship each.
  private static func entities(_ count: Int) -> [CoreDataSchema.Entity] {
    (0..<count).map { number in
      let attributes = (0..<10).map { index in
        CoreDataSchema.Attribute(
          name: "attribute\(index)", type: index.isMultiple(of: 2) ? .string : .integer64, defaultText: "0",
          userInfo: ["jsonKeyPath": "attribute_\(index)"])
      }
      let next = "Entity\((number + 1) % count)"
      return CoreDataSchema.Entity(
        name: "Entity\(number)", attributes: attributes,
        relationships: [CoreDataSchema.Relationship(name: "next", destinationName: next)])
    }
  }
}
