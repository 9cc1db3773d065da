import ModelCore
import Testing

@Suite struct `Observers of a relation` {
  @Test func `Observers of a relation are notified once on each side that changes`() {
    let ada = Author(name: "Ada")
    let bob = Author(name: "Bob")
    let book = Book(title: "T")
    book.author.value = ada
    var log: [String] = []
    ada.books.addObserver(updateImmediately: false) { log.append("ada \($0?.count ?? -1) \($1?.count ?? -1)") }
    bob.books.addObserver(updateImmediately: false) { log.append("bob \($0?.count ?? -1) \($1?.count ?? -1)") }
    book.author.addObserver(updateImmediately: false) {
      log.append("book \($0?.name.value ?? "-") \($1?.name.value ?? "-")")
    }
    bob.books.add(book)
    #expect(log.sorted() == ["ada 1 0", "bob 0 1", "book Ada Bob"])
    log = []
    bob.books.remove(book)
    #expect(log.sorted() == ["bob 1 0", "book Bob -"])
    log = []
    ada.books.value = [book]
    #expect(log.sorted() == ["ada 0 1", "book - Ada"])
    log = []
    book.author.value = nil
    #expect(log.sorted() == ["ada 1 0", "book Ada -"])
  }

  @Test func `Observers of a relation never read one side without the other`() {
    let authors = [Author(name: "Ada"), Author(name: "Bob")]
    let books = (0..<3).map { Book(title: "\($0)") }
    var calls = 0
    func check() {
      calls += 1
      for author in authors {
        for book in books {
          #expect((author.books.value ?? []).contains(book) == (book.author.value === author))
        }
      }
    }
    for author in authors { author.books --> { check() } }
    for book in books { book.author --> { check() } }
    calls = 0
    authors[0].books.value = books
    #expect(calls == 4)
    authors[1].books.value = books
    #expect(calls == 4 + 5)
    books[0].author.value = authors[0]
    books[1].author.value = nil
    #expect(calls == 4 + 5 + 3 + 2)
  }

  @Test func `Observers of a relation are notified only of changes, unless they observe every set`() {
    let ada = Author(name: "Ada")
    let book = Book(title: "T")
    book.author.value = ada
    var changes = 0
    var sets = 0
    for field in [ada.books] {
      field.addObserver(updateImmediately: false) { _, _ in changes += 1 }
      field.addObserver(requiresChange: false, updateImmediately: false) { _, _ in sets += 1 }
    }
    book.author.addObserver(updateImmediately: false) { _, _ in changes += 1 }
    book.author.addObserver(requiresChange: false, updateImmediately: false) { _, _ in sets += 1 }
    book.author.value = ada
    ada.books.value = [book]
    ada.books.add(book)
    #expect(changes == 0)
    #expect(sets == 2)
  }

  @Test func `Observers of a relation may change the relation they are notified of`() {
    let ada = Author(name: "Ada")
    let bob = Author(name: "Bob")
    let book = Book(title: "T")
    ada.books.addObserver(updateImmediately: false) { _, new in
      if new == [book] { bob.books.add(book) }
    }
    var authors: [String?] = []
    book.author.addObserver(updateImmediately: false) { authors.append($1?.name.value) }
    ada.books.add(book)
    #expect(ada.books.value == [])
    #expect(bob.books.value == [book])
    #expect(book.author.value === bob)
    #expect(authors.last == "Bob")
  }

  @Test func `Observers of a relation are notified of changes by a binding`() {
    let ada = Author(name: "Ada")
    let shelf = Author(name: "a shelf")
    let book = Book(title: "T")
    let order = Order()
    order.items --> shelf.books
    order.items.value = [book]
    #expect(shelf.books.value == [book])
    #expect(book.author.value === shelf)
    ada.books.add(book)
    #expect(shelf.books.value == [])
    #expect(order.items.value == [book])
  }
}
