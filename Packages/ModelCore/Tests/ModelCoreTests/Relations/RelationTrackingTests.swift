import ModelCore
import Observation
import Synchronization
import Testing

private final class Counter: Sendable {
  let number = Atomic(0)
}

private func changes(of read: () -> Void, during change: () throws -> Void) rethrows -> Int {
  let counter = Counter()
  withObservationTracking(read) { counter.number.add(1, ordering: .relaxed) }
  try change()
  return counter.number.load(ordering: .relaxed)
}

@Suite struct `A relation under Swift's own tracking` {
  private let author = Author(id: 1, name: "Ada")
  private let book = Book(id: 5, title: "T")

  // One switch for the process: tests only ever switch it on, which others do not notice.
  init() { FieldObservation.isEnabled = true }

  @Test func `A relation under Swift's own tracking tells that it is set`() {
    #expect(changes(of: { _ = book.author.value }, during: { book.author.value = author }) == 1)
    #expect(changes(of: { _ = book.author.value }, during: { book.author.value = author }) == 0)
    #expect(changes(of: { _ = book.author.value }, during: { book.author.value = nil }) == 1)
  }

  @Test func `A relation under Swift's own tracking tells of what the other side does`() {
    #expect(changes(of: { _ = book.author.value }, during: { author.books.add(book) }) == 1)
    #expect(changes(of: { _ = book.author.value }, during: { author.books.remove(book) }) == 1)
    #expect(changes(of: { _ = author.books.value }, during: { book.author.value = author }) == 1)
    #expect(changes(of: { _ = author.books.count }, during: { book.author.value = nil }) == 1)
  }

  @Test func `A relation under Swift's own tracking to many tells of members that come and go`() {
    #expect(changes(of: { _ = author.books.value }, during: { author.books.add(book) }) == 1)
    #expect(changes(of: { _ = author.books.value }, during: { author.books.add(book) }) == 0)
    #expect(changes(of: { _ = author.books.contains(book) }, during: { author.books.remove(book) }) == 1)
    #expect(changes(of: { _ = author.books.relatedModels }, during: { author.books.value = [book] }) == 1)
  }

  @Test func `A relation under Swift's own tracking tells before it changes, on both sides`() {
    let seen = Mutex<[Bool]>([])
    // Read in the isolation of the models: the closures run on the thread that sets.
    nonisolated(unsafe) let (author, book) = (author, book)
    withObservationTracking {
      _ = (book.author.value, author.books.value)
    } onChange: {
      let isUnchanged = book.author.value == nil && author.books.value?.isEmpty == true
      seen.withLock { $0.append(isUnchanged) }
    }
    author.books.add(book)
    #expect(seen.withLock { $0 } == [true])
  }

  @Test func `A relation under Swift's own tracking lets the fields behind it be seen`() {
    book.author.value = author
    let read = { [book] in _ = book.author.value?.name.value }
    #expect(changes(of: read, during: { author.name.value = "Bob" }) == 1)
    #expect(changes(of: read, during: { book.author.value = nil }) == 1)
    #expect(changes(of: read, during: { author.name.value = "Cid" }) == 0)
  }

  @Test func `A relation under Swift's own tracking tells of what is read from JSON`() throws {
    #expect(try changes(of: { _ = book.title.value }, during: { try book.read(["id": 5, "title": "New"]) }) == 1)
  }

  @Test func `A relation under Swift's own tracking keeps nothing alive`() {
    var author: Author? = Author(id: 2, name: "Ann")
    weak let weakAuthor = author
    var counter: Counter? = Counter()
    weak let weakCounter = counter
    withObservationTracking {
      _ = (author?.books.value, author?.name.value)
    } onChange: { [counter] in
      counter?.number.add(1, ordering: .relaxed)
    }
    author?.books.add(book)
    counter = nil
    author = nil
    #expect(weakAuthor == nil)
    #expect(weakCounter == nil)
  }
}
