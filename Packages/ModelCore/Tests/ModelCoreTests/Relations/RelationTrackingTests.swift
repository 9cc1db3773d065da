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

@Suite struct `A relation under observation tracking` {
  private let author = Author(id: 1, name: "Ada")
  private let book = Book(id: 5, title: "T")

  // A process-wide switch: tests only ever turn it on, which does not affect others.
  init() { FieldObservation.isEnabled = true }

  @Test func `Swift's observation tracking detects that a relation is set`() {
    #expect(changes(of: { _ = book.author.value }, during: { book.author.value = author }) == 1)
    #expect(changes(of: { _ = book.author.value }, during: { book.author.value = author }) == 0)
    #expect(changes(of: { _ = book.author.value }, during: { book.author.value = nil }) == 1)
  }

  @Test func `Swift's observation tracking detects a change of the inverse`() {
    #expect(changes(of: { _ = book.author.value }, during: { author.books.add(book) }) == 1)
    #expect(changes(of: { _ = book.author.value }, during: { author.books.remove(book) }) == 1)
    #expect(changes(of: { _ = author.books.value }, during: { book.author.value = author }) == 1)
    #expect(changes(of: { _ = author.books.count }, during: { book.author.value = nil }) == 1)
  }

  @Test func `Swift's observation tracking detects that members are added and removed`() {
    #expect(changes(of: { _ = author.books.value }, during: { author.books.add(book) }) == 1)
    #expect(changes(of: { _ = author.books.value }, during: { author.books.add(book) }) == 0)
    #expect(changes(of: { _ = author.books.contains(book) }, during: { author.books.remove(book) }) == 1)
    #expect(changes(of: { _ = author.books.relatedModels }, during: { author.books.value = [book] }) == 1)
  }

  @Test func `Swift's observation tracking calls back before both sides change`() {
    let seen = Mutex<[Bool]>([])
    // Read in the isolation of the models: the closures run on the thread of the set.
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

  @Test func `Swift's observation tracking detects changes of fields of related models`() {
    book.author.value = author
    let read = { [book] in _ = book.author.value?.name.value }
    #expect(changes(of: read, during: { author.name.value = "Bob" }) == 1)
    #expect(changes(of: read, during: { book.author.value = nil }) == 1)
    #expect(changes(of: read, during: { author.name.value = "Cid" }) == 0)
  }

  @Test func `Swift's observation tracking detects values read from JSON`() throws {
    #expect(try changes(of: { _ = book.title.value }, during: { try book.read(["id": 5, "title": "New"]) }) == 1)
  }

  @Test func `Swift's observation tracking retains no models`() {
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
