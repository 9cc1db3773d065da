import Foundation
import Testing

@testable @_spi(ModelKitInternals) import ModelCore

@Suite struct `A stream of models` {
  private let document = """
    {"version": 1, "results": {"total": 3, "people": [
      {"id": 1, "name": "Ada", "books": [{"id": 9, "title": "Notes"}]},
      {"id": 2, "name": "Bob \\ud83d\\ude00"},
      {"id": 3, "name": "Zoë"}
    ]}, "end": [{"id": 4}]}
    """

  private func collect(_ stream: ModelStream<Author>) async -> (names: [String?], error: (any Error)?) {
    var names: [String?] = []
    do {
      for try await author in stream { names.append(author.name.value) }
      return (names, nil)
    } catch {
      return (names, error)
    }
  }

  // MARK: Sources

  @Test func `A stream of models reads a file`() async throws {
    let file = try TemporaryFile(document)
    let stream = Author.stream(fromJSON: file.url, at: "results.people")
    for _ in 0..<2 {
      let found = await collect(stream)
      #expect(found.names == ["Ada", "Bob 😀", "Zoë"])
      #expect(found.error == nil)
    }
  }

  @Test func `A stream of models reads chunks of any kind and single bytes`() async throws {
    let bytes = Array(document.utf8)
    let chunks = Chunks(cuts: [3, 50, 51, 200], of: bytes)
    let expected: [String?] = ["Ada", "Bob 😀", "Zoë"]
    #expect(await collect(Author.stream(fromJSON: chunks, at: "results.people")).names == expected)
    #expect(await collect(Author.stream(fromJSON: chunks.map { Data($0) }, at: "results.people")).names == expected)
    #expect(await collect(Author.stream(fromJSON: chunks.map { $0[...] }, at: "results.people")).names == expected)
    #expect(await collect(Author.stream(fromJSON: Bytes(bytes), at: "results.people")).names == expected)
  }

  @Test func `A stream of models reads lines from all three sources`() async throws {
    let text = "{\"name\": \"Ada\"}\n\n{\"name\": \"Bob\"}\r\n{\"name\": \"Cy\"}"
    let file = try TemporaryFile(text)
    let expected: [String?] = ["Ada", "Bob", "Cy"]
    #expect(await collect(Author.stream(fromJSONLines: file.url)).names == expected)
    #expect(await collect(Author.stream(fromJSONLines: Chunks(cuts: [9], of: Array(text.utf8)))).names == expected)
    #expect(await collect(Author.stream(fromJSONLines: Bytes(Array(text.utf8)))).names == expected)
  }

  @Test func `A stream of models returns the models of the whole document, wherever the bytes are split`() async throws
  {
    for seed in 0..<60 as Range<UInt64> {
      let type = modelClasses[Int(seed) % modelClasses.count]
      try await compare(type, seed: seed)
    }
  }

  private func compare<M: Model>(_ type: M.Type, seed: UInt64) async throws {
    var random = RandomDocument(seed: seed &* 104_729)
    random.mistakes = 1
    let text = random.list(of: type)
    let bytes = Array(text.utf8)
    for _ in 0..<4 {
      let cuts = (0..<random.number(0...6)).map { _ in random.number(0...bytes.count) }
      // Both are read element by element, so that their identifiers do not meet.
      let (expectedScope, foundScope) = (ModelScope(), ModelScope())
      var expected: [ModelObject] = []
      var found: [ModelObject] = []
      var message = ""
      do {
        var elements = try JSONArrayReader(Data(bytes))
        while let range = try elements.nextRange() {
          expected.append(try type.from(json: Data(bytes[range]), in: expectedScope))
        }
      } catch let error as JSONSyntaxError {
        message = error.message
      } catch let error as ModelDecodingError {
        message = error.inside(FieldPath([.index(expected.count)])).description
      }
      var foundMessage = ""
      do {
        for try await model in type.stream(fromJSON: Chunks(cuts: cuts, of: bytes), in: foundScope) {
          found.append(model)
        }
      } catch let error as ModelStreamError {
        foundMessage = error.message
        #expect(error.deliveredCount == found.count)
      }
      #expect(foundMessage == message, "\(text) cut at \(cuts)")
      #expect(dump(found, scope: foundScope) == dump(expected, scope: expectedScope), "\(text) cut at \(cuts)")
    }
  }

  @Test func `A stream of models returns one object per identifier in a scope`() async throws {
    let scope = ModelScope()
    let known = try Author.from(dictionaryValue: ["id": 2, "name": "B"], in: scope)
    let bytes = Array("[{\"id\": 2, \"name\": \"Bob\"}, {\"id\": 2}, {\"id\": 1}]".utf8)
    var authors: [Author] = []
    for try await author in Author.stream(fromJSON: Chunks(cuts: [], of: bytes), in: scope) { authors.append(author) }
    #expect(authors[0] === known && authors[1] === known)
    #expect(known.name == "Bob")
    #expect(authors[2].scope === scope)
  }

  // MARK: Errors

  @Test func `A stream of models reports the position of a wrong element, and the number of delivered ones`()
    async throws
  {
    let text = document.replacingOccurrences(of: "\"id\": 3", with: "\"id\": \"x\"")
    let found = await collect(
      Author.stream(fromJSON: Chunks(cuts: [100], of: Array(text.utf8)), at: "results.people"))
    #expect(found.names == ["Ada", "Bob 😀"])
    let error = try #require(found.error as? ModelStreamError)
    #expect(error.code == .invalidElement)
    #expect(error.index == 2 && error.deliveredCount == 2)
    #expect(error.line == 4 && error.column == 3)
    #expect(Array(text.utf8)[error.offset] == UInt8(ascii: "{"))
    #expect((error.cause as? ModelDecodingError)?.path == "results.people[2].id")
    #expect(
      error.description
        == "Element 2 (line 4, column 3, byte \(error.offset)) can't be read: results.people[2].id: "
        + "expected an integer, found the string \"x\". 2 elements were delivered before it.")
  }

  @Test func `A stream of models reports invalid JSON inside an element and after the list`()
    async throws
  {
    for (old, new, index) in [("\"id\": 2", "\"id\": 02", 1), ("\"end\"", "end", nil)] as [(String, String, Int?)] {
      let text = document.replacingOccurrences(of: old, with: new)
      let found = await collect(Author.stream(fromJSON: Bytes(Array(text.utf8)), at: "results.people"))
      let error = try #require(found.error as? ModelStreamError)
      #expect(error.code == .invalidJSON)
      #expect(error.index == index && error.deliveredCount == index ?? 3)
      let expected = #expect(throws: JSONSyntaxError.self) { try Author.list(fromJSON: Data(text.utf8), at: "results") }
      #expect(error.cause as? JSONSyntaxError == expected)
    }
  }

  @Test func `A stream of models reports truncated bytes at any position`() async throws {
    let bytes = Array(document.utf8)
    for length in 0..<bytes.count {
      let found = await collect(
        Author.stream(fromJSON: Chunks(cuts: [length / 2], of: Array(bytes[..<length])), at: "results.people"))
      let error = try #require(found.error as? ModelStreamError)
      #expect(
        error.code == .truncated || (error.cause as? JSONSyntaxError)?.code == .loneSurrogate
          || (error.cause as? JSONSyntaxError)?.code == .invalidUTF8, "\(error)")
      #expect(error.deliveredCount == found.names.count)
      #expect(error.description.contains("delivered before it"))
    }
  }

  @Test func `A stream of models reports a missing list`() async throws {
    for path in ["", "results", "results.total", "none", "end[1].x"] {
      let found = await collect(Author.stream(fromJSON: Bytes(Array(document.utf8)), at: path))
      let error = try #require(found.error as? ModelStreamError)
      let expected = #expect(throws: JSONSyntaxError.self) { try Author.list(fromJSON: Data(document.utf8), at: path) }
      #expect(error.cause as? JSONSyntaxError == expected)
      #expect(error.index == nil)
    }
  }

  @Test func `A stream of models reports a file that can't be read`() async throws {
    let file = try TemporaryFile("")
    for url in [file.url.appending(path: "none.json"), file.url.deletingLastPathComponent()] {
      let found = await collect(Author.stream(fromJSON: url))
      let error = try #require(found.error as? ModelStreamError)
      #expect(error.code == .unreadable)
      #expect(error.message.contains("'\(url.path(percentEncoded: false))'"))
    }
    let found = await collect(Author.stream(fromJSON: try #require(URL(string: "https://example.com/a.json"))))
    #expect("\(try #require(found.error))".contains("is not a file URL"))
  }

  @Test func `A stream of models rethrows the errors of the sequence of bytes`() async throws {
    let cut = try #require(document.utf8.firstRange(of: "\"id\": 3".utf8)).lowerBound
    let beginning = document.utf8.distance(from: document.startIndex, to: cut)
    let bytes = Chunks(cuts: [beginning], of: Array(document.utf8), failsAt: 1)
    let stream = Author.stream(fromJSON: bytes, at: "results.people")
    let found = await collect(stream)
    #expect(found.names == ["Ada", "Bob 😀"])
    #expect(found.error is LineWentDead)
  }

  @Test func `A stream of models continues after elements that do not fit, if requested`() async throws {
    var reports: [String] = []
    let text = "[{\"name\": 1}, {\"name\": \"Ada\"}, 5, {\"name\": \"Bob\"}]"
    let list = Author.stream(fromJSON: Bytes(Array(text.utf8))).skippingElements { reports.append($0.message) }
    #expect(await collect(list).names == ["Ada", "Bob"])
    #expect(
      reports == ["[0].name: expected a string, found 1", "[2]: expected an object, found 5"])
    var errors: [ModelStreamError] = []
    let lines = "{\"name\": 1}\nnonsense\n{\"name\": \"Ada\"}\n{\"name\""
    let stream = Author.stream(fromJSONLines: Bytes(Array(lines.utf8)))
    #expect(await collect(stream.skippingElements { errors.append($0) }).names == ["Ada"])
    #expect(errors.map(\.code) == [.invalidElement, .invalidJSON, .truncated])
    #expect(errors.map(\.index) == [0, 1, 3])
    #expect(errors.map(\.line) == [1, 2, 4])
    #expect(errors.map(\.deliveredCount) == [0, 0, 1])
    #expect(await collect(stream).error is ModelStreamError)
  }

  @Test func `A lenient stream of models reports rejected values with their paths in the document`() async throws {
    var context = ValueTransformerContext()
    context.decoding = .lenient
    let scope = ModelScope(transformers: context)
    var issues: [String] = []
    scope.decodingIssueHandler = { issues += $0.map { $0.path.description } }
    let text = #"{"authors": [{"id": 1, "name": "Ada"}, {"id": 2, "books": [{"id": 3, "year": []}]}]}"#
    var authors: [Author] = []
    for try await author in Author.stream(fromJSON: Bytes(Array(text.utf8)), at: "authors", in: scope) {
      authors.append(author)
    }
    #expect(issues == ["authors[1].books[0].year"])
    #expect(authors.map(\.identifier) == ["1", "2"])
    let book = try #require(authors[1].books.value?.first)
    #expect(book.rejectedValues.map(\.json) == [[]])
  }

  @Test func `A stream of models ends with its first error`() async throws {
    var iterator = Author.stream(fromJSONLines: Bytes(Array("x\n{}\n".utf8))).makeAsyncIterator()
    await #expect(throws: ModelStreamError.self) { _ = try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  // MARK: Lifetime

  @Test func `A stream of models delivers an element before the next bytes arrive`() async throws {
    let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    var iterator = Author.stream(fromJSON: chunks).makeAsyncIterator()
    for text in ["[{\"name\": \"Ada\"}", ", {\"name\": \"Bob\"}", ",{\"name\": \"Cy\"}]"] {
      continuation.yield(Array(text.utf8))
      #expect(try await iterator.next() != nil)
    }
    continuation.finish()
    #expect(try await iterator.next() == nil)
  }

  @Test func `A stream of models does not retain delivered models`() async throws {
    weak var last: Author?
    for try await author in Author.stream(fromJSON: Bytes(Array("[{\"id\": 1}, {\"id\": 2}]".utf8)), in: ModelScope()) {
      #expect(last == nil)
      last = author
    }
    #expect(last == nil)
  }

  @Test func `A stream of models ends when its task is cancelled`() async throws {
    let file = try TemporaryFile("[" + Array(repeating: "{\"id\": 1}", count: 1_000).joined(separator: ",") + "]")
    let task = Task {
      var count = 0
      do {
        for try await _ in Author.stream(fromJSON: file.url) {
          count += 1
          if count == 10 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        return -1
      } catch is CancellationError {
        return count
      }
    }
    #expect(try await task.value == 10)
  }

  @Test func `A stream of models stops waiting for a pipe when its task is cancelled`() async throws {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID())")
    #expect(mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
    defer { try? FileManager.default.removeItem(at: pipe) }
    let task = Task {
      for try await _ in Author.stream(fromJSON: pipe) {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `A stream of models reads a pipe that is being written`() async throws {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID())")
    #expect(mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
    defer { try? FileManager.default.removeItem(at: pipe) }
    let bytes = Data(document.utf8)
    Thread.detachNewThread { try? bytes.write(to: pipe) }
    #expect(await collect(Author.stream(fromJSON: pipe, at: "results.people")).names == ["Ada", "Bob 😀", "Zoë"])
  }

  #if os(Linux)
    @Test func `A stream of models closes its file whenever the loop ends`() async throws {
      let file = try TemporaryFile("[{\"id\": 1}, {\"id\": 2}, {\"id\": \"x\"}]")
      func isOpen() throws -> Bool {
        let folder = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
          .contains { (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)) == file.url.path() }
      }
      func read(stoppingAt limit: Int) async throws {
        var count = 0
        for try await _ in Author.stream(fromJSON: file.url) {
          #expect(try isOpen())
          count += 1
          if count == limit { break }
        }
      }
      try await read(stoppingAt: 1)
      #expect(try !isOpen())
      var iterator = Author.stream(fromJSON: file.url).makeAsyncIterator()
      await #expect(throws: ModelStreamError.self) { while try await iterator.next() != nil {} }
      #expect(try !isOpen())
      #expect(try await iterator.next() == nil)
    }
  #endif

  @MainActor @Test func `A stream of models creates its models in the isolation of the loop`() async throws {
    let screen = Screen()
    let file = try TemporaryFile(document)
    for try await author in Author.stream(fromJSON: file.url, at: "results.people", in: screen.scope) {
      MainActor.assertIsolated()
      screen.authors.append(author)
    }
    #expect(screen.authors.count == 3)
    #expect(await Reader().read(file.url) == 3)
  }
}

@MainActor private final class Screen {
  let scope = ModelScope()
  var authors: [Author] = []
}

private actor Reader {
  private let scope = ModelScope()
  private var authors: [Author] = []

  func read(_ url: URL) async -> Int {
    do {
      for try await author in Author.stream(fromJSON: url, at: "results.people", in: scope) {
        assertIsolated()
        authors.append(author)
      }
    } catch {
      Issue.record(error)
    }
    return authors.count
  }
}
