import Foundation
import ModelCore
import Testing

/// A screen whose models are on the main actor with it.
@MainActor private final class AuthorScreen {
  private(set) var title = ""
  private(set) var count = 0
  let author = Author(name: "Ada")
  private var tokens: Set<ObservationToken> = []

  init() {
    (author.name --> { self.title = $0 ?? "" }).store(in: &tokens)
    (author.books --> { self.count = $0?.count ?? 0 }).store(in: &tokens)
  }

  func addBook() { author.books.add(Book(title: "T")) }

  func refresh() async throws {
    let people = try await load()
    let book = Book(title: people[0].name.value ?? "")
    author.books.add(book)
  }

  func close() { for token in tokens { token.cancel() } }
}

@MainActor private final class Label: @MainActor ValueObserver {
  var text = ""

  func valueChanged(from oldValue: String?, to newValue: String?, observable: any ValueObservable<String?>) {
    text = newValue ?? ""
  }
}

/// Decodes in the background and returns the models to the caller.
@concurrent private func load() async throws -> sending [Author] {
  try Author.list(fromJSON: Data(#"[{"id": 1, "name": "Bob", "books": [{"title": "A"}]}, {"id": 2}]"#.utf8))
}

/// An actor with models and a scope of its own.
private actor Library {
  private let scope = ModelScope()
  private var authors: [Author] = []

  func add(_ json: Data) throws -> Int {
    authors = try Author.list(fromJSON: json, in: scope)
    return authors.count
  }

  func take(_ more: sending [Author]) { authors += more }

  func rename(_ identifier: String, to name: String) {
    Author.with(identifier: identifier, in: scope).name.value = name
  }

  var names: [String?] { authors.map(\.name.value) }

  /// Returns a value, which may cross to another isolation.
  var dictionaries: [AttributeDictionary] { authors.map(\.dictionaryValue) }
}

@Suite struct `Models and isolation` {
  @MainActor @Test func `Models on the main actor are used by a class of the main actor`() async throws {
    let screen = AuthorScreen()
    let label = Label()
    screen.author.name --> label
    screen.author.name.value = "Cy"
    screen.addBook()
    #expect(screen.title == "Cy")
    #expect(label.text == "Cy")
    #expect(screen.count == 1)
    try await screen.refresh()
    #expect(screen.author.books.value?.last?.title.value == "Bob")
    screen.close()
  }

  @Test func `Models created in the background are returned to the caller`() async throws {
    let authors = try await load()
    #expect(authors[0].books.value?.first?.author.value === authors[0])
    authors[0].name.value = "changed here"
    #expect(authors[0].name == "changed here")
  }

  @Test func `Models created in the background are returned to the main actor`() async throws {
    let name = try await MainActor.run { () -> Task<String?, any Error> in
      Task { try await load().first?.name.value }
    }.value
    #expect(name == "Bob")
  }

  @Test func `Models of an actor are used by that actor`() async throws {
    let library = Library()
    let json = Data(#"[{"id": 1, "name": "Ada"}, {"id": 2}]"#.utf8)
    #expect(try await library.add(json) == 2)
    await library.rename("2", to: "Bob")
    #expect(await library.names == ["Ada", "Bob"])
    #expect(await library.dictionaries == [["id": 1, "name": "Ada"], ["id": 2, "name": "Bob"]])
  }

  @Test func `Models are sent to an actor`() async throws {
    let library = Library()
    let author = Author(id: 3, name: "Cy")
    author.books.add(Book(title: "T"))
    await library.take([author])
    #expect(await library.names == ["Cy"])
  }

  @Test func `Models of an actor are independent of those of other actors`() async throws {
    let json = Data(#"[{"id": 1, "name": "Ada"}]"#.utf8)
    let names = try await withThrowingTaskGroup(of: [String?].self) { group in
      for number in 0..<8 {
        group.addTask {
          let library = Library()
          _ = try await library.add(json)
          await library.rename("1", to: "\(number)")
          return await library.names
        }
      }
      var all: Set<[String?]> = []
      for try await names in group { all.insert(names) }
      return all
    }
    #expect(names.count == 8)
  }
}
