import Foundation
import ModelCore
import Testing

/// A screen that loads models in the background.
@MainActor private final class Screen {
  var authors: [Author] = []
  var author: Author?

  func load(_ data: Data) async throws {
    authors = try await Author.list(decoding: data, at: "authors")
    author = try await Author.from(decoding: Data(#"{"id": 7, "name": "Cy"}"#.utf8))
  }
}

private actor Library {
  private var authors: [Author] = []

  func load(_ data: Data) async throws -> Int {
    authors = try await Author.list(decoding: data, at: "authors", transformers: .standard)
    return authors.count
  }
}

@Suite struct `Reading in the background` {
  private let data = Data(#"{"authors": [{"id": 1, "name": "Ada", "books": [{"title": "T"}]}, {"id": 2}]}"#.utf8)

  @MainActor @Test func `Models read in the background are returned to the main actor`() async throws {
    let screen = Screen()
    try await screen.load(data)
    #expect(screen.authors.map(\.name.value) == ["Ada", nil])
    #expect(screen.author?.name.value == "Cy")
    screen.authors[1].name.value = "Bob"
    #expect(screen.authors[1].isDirty)
  }

  @Test func `Models read in the background are returned to an actor, and to a nonisolated caller`() async throws {
    #expect(try await Library().load(data) == 2)
    let authors = try await Author.list(decoding: data, at: "authors")
    #expect(authors[0].books.value?.first?.author.value === authors[0])
    #expect(authors[0].scope != nil)
    #expect(authors[0].scope === authors[1].scope)
  }

  @Test func `Models read in the background are passed on to another task`() async throws {
    let authors = try await Author.list(decoding: data, at: "authors")
    let name = await Task { authors.first?.name.value }.value
    #expect(name == "Ada")
  }

  @Test func `Reading in the background throws the same errors as reading in place`() async throws {
    await #expect(throws: JSONSyntaxError.self) { try await Author.list(decoding: Data("[".utf8)) }
    let wrong = Data(#"[{"name": 1}]"#.utf8)
    let error = await #expect(throws: ModelDecodingError.self) { try await Author.list(decoding: wrong) }
    #expect(error?.path == "[0].name")
    await #expect(throws: ModelDecodingError.self) { try await Author.from(decoding: Data("{\"id\": \"x\"}".utf8)) }
  }

  @Test func `Reading in the background throws in a task that was cancelled`() async throws {
    let data = data
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Author.list(decoding: data, at: "authors").count
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
