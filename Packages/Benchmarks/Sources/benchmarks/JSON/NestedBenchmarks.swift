import BenchmarkHarness
import Foundation
import ModelCore

/// Authors with nine nested books each. Times are for one object of either kind.
enum NestedBenchmarks {
  private static let modelsOfAnAuthor = Library.booksOfAnAuthor + 1

  static var all: [Benchmark] {
    [
      reading("read authors with books, no scope", goal: 1 / 2.5) { data in
        Side(
          "ModelKit", prepare: { _ in }, run: { try Author.list(fromJSON: data) }, checksum: { Library.checksum($0) })
      },
      reading("read authors with books, identity in a scope", goal: 1 / 1.8) { data in
        Side(
          "ModelKit", prepare: { _ in ModelScope() }, run: { try Author.list(fromJSON: data, in: $0) },
          checksum: { Library.checksum($0) })
      },
      reading("read again into live authors with books, nothing changed", goal: 1 / 3) { data in
        let scope = ModelScope()
        let authors = try Author.list(fromJSON: data, in: scope)
        let tally = Tally()
        for author in authors {
          author.name.addObserver(updateImmediately: false) { _, _ in tally.add(1) }
          author.books.addObserver(updateImmediately: false) { _, _ in tally.add(1) }
        }
        return Side(
          "ModelKit", prepare: { _ in }, run: { try Author.list(fromJSON: data, in: scope) },
          checksum: { read in
            let isCanonical = zip(read, authors).allSatisfy { $0 === $1 }
            return isCanonical && tally.take() == 0 ? Library.checksum(read) : 0
          })
      },
      writing,
    ]
  }

  private static func reading(_ name: String, goal: Double, ours: @escaping (Data) throws -> Side) -> Benchmark {
    Benchmark(group: "json", name: name, operation: "model", size: 20_000) { size in
      let data = try JSONEncoder().encode(Library.authors(max(1, size / modelsOfAnAuthor)))
      let decoder = JSONDecoder()
      return [
        try ours(data),
        Side(
          "JSONDecoder, final classes", goal: goal, prepare: { _ in },
          run: { try decoder.decode([CodableAuthor].self, from: data) }, checksum: { Library.checksum($0) }),
      ]
    }
  }

  private static var writing: Benchmark {
    Benchmark(group: "json", name: "write authors with books", operation: "model", size: 20_000) { size in
      let codable = Library.authors(max(1, size / modelsOfAnAuthor))
      let authors = try Author.list(fromJSON: try JSONEncoder().encode(codable))
      let encoder = JSONEncoder()
      func side(_ name: String, goal: Double? = nil, write: @escaping () throws -> Data) -> Side {
        Side(
          name, goal: goal, prepare: { _ in }, run: { try write() },
          checksum: { Library.checksum(try JSONDecoder().decode([CodableAuthor].self, from: $0)) })
      }
      return [
        side("ModelKit (sorted keys)") { try authors.jsonData() },
        side("JSONEncoder, final classes", goal: 1 / 3) { try encoder.encode(codable) },
      ]
    }
  }
}
