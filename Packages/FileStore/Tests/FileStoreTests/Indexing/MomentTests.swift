import Foundation
import Testing

@testable import FileStore

@Suite struct `Reads from one snapshot` {
  @Test func `A moment shows no later write, and a compaction leaves its files readable`() async throws {
    try await withTemporaryDirectory { (directory: String) in
      let engine = FileEngine(
        directory: directory + "/store", options: FileEngineOptions(), fileSystem: PosixFileSystem(),
        clock: SystemClock())
      let (old, new) = (JournalScript.json("old"), JournalScript.json("new"))
      try await engine.write((1...100).map { .create("Book", "\($0)", old) })
      let moment = try await engine.moment(keepsFiles: true)
      try await engine.write((2...100).map { .update("Book", "\($0)", new) } + [.delete("Book", "1")])
      try await engine.compact()
      let chunk = try await engine.readChunk("Book", after: .start, at: moment)
      #expect(chunk.rows.map(\.identifier) == (1...100).map(String.init))
      #expect(chunk.rows.allSatisfy { chunk.value($0).elementsEqual(old) })
      #expect(try await engine.record("Book", "1", at: moment)?.bytes == old)
      #expect(try await engine.readChunk("Book").rows.count == 99)
      try await engine.close()
    }
  }

  #if os(Linux)
    @Test(arguments: [true, false])
    func `A stream reads files that a compaction removed, and frees their space with its iterator`(ends: Bool)
      async throws
    {
      try await withTemporaryDirectory { (directory: URL) in
        let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
        let books = (1...1_000).map { number -> Book in
          let book = Book()
          book.title.value = "old \(number)"
          return book
        }
        try await store.createAll(books)
        /// The files of the store that are open and have no name any more.
        func removedFiles() throws -> Set<String> {
          let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
          }
          return Set(files.filter { $0.hasPrefix(directory.path()) && $0.hasSuffix("(deleted)") })
        }
        let other = FileModelStore(store.handle)
        var iterator: StoredModelSequence<Book>.Iterator? = other.stream(Book.self).makeAsyncIterator()
        #expect(try await iterator?.next()?.title.value == "old 1")
        for book in books { book.title.value = "new" }
        try await store.transaction { store in
          for book in books { try await store.update(book) }
        }
        try await store.compact()
        #expect(try removedFiles().count == 1)
        for number in 2...(ends ? 1_000 : 700) {
          #expect(try await iterator?.next()?.title.value == "old \(number)")
        }
        if ends { #expect(try await iterator?.next() == nil) } else { iterator = nil }
        #expect(try removedFiles() == [])
        #expect(try await other.list(Book.self).allSatisfy { $0.title.value == "new" })
        try await store.close()
      }
    }
  #endif

  private final class Book: Model {
    let id = Field<Int>()
    let title = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "StreamedBook" }
  }
}
