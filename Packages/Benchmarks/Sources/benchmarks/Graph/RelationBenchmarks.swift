import BenchmarkHarness
import Foundation
import ModelCore

/// Models with inverse relations: the cost of one must not depend on their number.
enum RelationBenchmarks {
  static var all: [Benchmark] { [imports, children] }

  private static var imports: Benchmark {
    Benchmark(
      group: "models", name: "import authors with books, inverses and identity", operation: "model", size: 1_000_000,
      goal: 10_000, maximumRounds: 3
    ) { size in
      try [1_000_000, 100_000, 10_000].filter { $0 <= size }.map { count in
        let data = try JSONEncoder().encode(Library.authors(count / (Library.booksOfAnAuthor + 1)))
        return Side(
          "\(count.formatted()) models at once", goal: count == size ? nil : 1.25, prepare: { _ in },
          run: { try (0..<size / count).map { _ in try Author.list(fromJSON: data, in: ModelScope()) } },
          checksum: { UInt64($0.reduce(0) { $0 + $1.count * (Library.booksOfAnAuthor + 1) }) })
      }
    }
  }

  private static var children: Benchmark {
    Benchmark(
      group: "models", name: "add books to an author one by one", operation: "book", size: 100_000, maximumRounds: 5
    ) { size in
      [adding(100_000, size, goal: nil), adding(10_000, size, goal: 1.25), adding(1_000, size, goal: 1.25)]
    }
  }

  private static func adding(_ count: Int, _ size: Int, goal: Double?) -> Side {
    Side(
      "\(count.formatted()) books an author", goal: goal,
      prepare: { _ in (0..<size).map { _ in Book() } },
      run: { books in
        var author = Author()
        var authors = [author]
        for (index, book) in books.enumerated() {
          if index > 0, index.isMultiple(of: count) {
            author = Author()
            authors.append(author)
          }
          author.books.add(book)
        }
        return (authors, books)
      },
      checksum: { authors, books in
        let added = authors.reduce(0) { $0 + ($1.books.value?.count ?? 0) }
        return books.allSatisfy { $0.author.value != nil } ? UInt64(added) : 0
      })
  }
}
