import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

/// What reverting one to one, one to many and many to many relations does to both sides.
@Suite struct `Reverting relations` {
  private let scope = ModelScope()

  private func saved<M: Model>(_ models: [M]) -> [M] {
    for model in models { model.markSaved(model.fields, asOf: .next()) }
    return models
  }

  /// Two authors, the first one with three books.
  private func library() throws -> (ada: Author, bob: Author, books: [Book]) {
    let authors = try Author.list(
      fromJSON: Data(
        #"[{"id": 1, "books": [{"id": 1}, {"id": 2}, {"id": 3}]}, {"id": 2, "books": []}]"#.utf8), in: scope)
    return (authors[0], authors[1], authors[0].books.value ?? [])
  }

  // MARK: One to many

  @Test func `Reverting relations takes a member back to the model it was moved away from, in its old place`() throws {
    let (ada, bob, books) = try library()
    books[0].author.value = bob
    #expect(books[0].revert().map { $0 as AnyObject === books[0].author } == [true])
    #expect(books[0].author.value === ada)
    #expect(ada.books.value == books)
    #expect(bob.books.value == [])
    #expect(!ada.isDirty && !bob.isDirty && !books[0].isDirty)
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `Reverting relations takes back all members of a list`() throws {
    let (ada, bob, books) = try library()
    bob.books.value = [books[2], books[0]]
    let new = Book(title: "new")
    ada.books.add(new)
    #expect(ada.revert().compactMap(\.key) == ["books"])
    #expect(ada.books.value == books)
    #expect(bob.books.value == [])
    #expect(new.author.value == nil)
    #expect(books.allSatisfy { $0.author.value === ada })
    #expect(!ada.isDirty && !bob.isDirty && books.allSatisfy { !$0.isDirty })
    #expect(ada.books.loadState == .loaded)
  }

  @Test func `Reverting relations leaves the changes of other models alone`() throws {
    let (ada, bob, books) = try library()
    books[0].author.value = bob
    books[1].author.value = bob
    books[0].revert()
    #expect(ada.books.value == [books[2], books[0]])
    #expect(ada.books.isDirty)
    #expect(bob.books.value == [books[1]])
    #expect(bob.books.isDirty)
    #expect(!books[0].isDirty)
    #expect(books[1].author.isDirty)
    books[1].revert()
    #expect(ada.books.value == books)
    #expect(!ada.isDirty && !bob.isDirty)
  }

  @Test func `Reverting relations is reverted to an order`() throws {
    let (ada, _, books) = try library()
    ada.books.value = books.reversed()
    ada.revert()
    #expect(ada.books.value == books)
    #expect(!ada.isDirty)
  }

  @Test func `Reverting relations changes a model that was saved since`() throws {
    let (ada, bob, books) = try library()
    books[0].author.value = bob
    _ = saved([books[0]])
    ada.revert()
    #expect(ada.books.value == books)
    #expect(books[0].author.value === ada)
    #expect(books[0].author.isDirty)
    books[0].revert()
    #expect(books[0].author.value === bob)
    #expect(ada.books.isDirty)
  }

  @Test func `Reverting relations unsets what was neither read nor saved, on both sides`() throws {
    let ada = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A"], in: scope)
    book.author.value = ada
    ada.revert()
    #expect(ada.books.value == [])
    #expect(book.author.value == nil)
    #expect(ada.books.loadState == .notLoaded)
    #expect(book.author.loadState == .notLoaded)
    #expect(!ada.isDirty && !book.isDirty)
    #expect(ada.dictionaryValue == ["id": 1, "name": "Ada"])
  }

  @Test func `Reverting relations keeps what a new model leads to`() throws {
    let (ada, _, books) = try library()
    let new = Book(title: "new")
    new.author.value = ada
    #expect(new.revert().isEmpty)
    #expect(new.author.value === ada)
    ada.revert()
    #expect(ada.books.value == books)
    #expect(new.author.value == nil)
  }

  @Test func `Reverting relations keeps what was read on the other side meanwhile`() throws {
    let (ada, _, books) = try library()
    ada.books.add(Book(title: "new"))
    let late = try Book.from(dictionaryValue: ["id": 9, "author": 1], in: scope)
    try books[2].read(["author": nil])
    ada.revert()
    #expect(ada.books.value == [books[0], books[1], late])
    #expect(late.author.value === ada)
    #expect(!late.isDirty && !ada.isDirty)
  }

  @Test func `Reverting relations is reverted to what a later reading replaced no more`() throws {
    let (ada, bob, books) = try library()
    books[0].author.value = bob
    try books[0].read(["author": nil])
    #expect(books[0].revert().isEmpty)
    #expect(books[0].author.value == nil)
    ada.books.removeAll()
    try ada.read(["books": [3]])
    #expect(ada.revert().isEmpty)
    #expect(ada.books.value == [books[2]])
  }

  @Test func `Reverting relations keeps what was changed while it was being saved`() throws {
    let (ada, bob, books) = try library()
    books[0].author.value = bob
    let start = ChangeStamp.next()
    books[0].author.value = nil
    books[0].markSaved(books[0].fields, asOf: start)
    #expect(books[0].revert().isEmpty)
    #expect(books[0].author.value == nil)
    #expect(books[0].author.isDirty)
    withExtendedLifetime(ada) {}
  }

  // MARK: One to one

  @Test func `Reverting relations takes partners back, and their partners`() throws {
    let countries = try Country.list(
      fromJSON: Data(#"[{"id": "a", "capital": {"id": "A"}}, {"id": "b", "capital": {"id": "B"}}]"#.utf8), in: scope)
    let cities = countries.compactMap(\.capital.value)
    countries[0].capital.value = cities[1]
    #expect(countries[1].capital.value == nil)
    countries[0].revert()
    #expect(countries[0].capital.value === cities[0])
    #expect(cities[0].capitalOf.value === countries[0])
    #expect(cities[1].capitalOf.value == nil)
    #expect(countries[1].capital.isDirty)
    #expect(cities[1].isDirty)
    cities[1].revert()
    #expect(countries[1].capital.value === cities[1])
    #expect(scope.unsavedModels.isEmpty)
  }

  // MARK: Many to many

  @Test func `Reverting relations takes back members that stay members of other models`() throws {
    let students = try Student.list(
      fromJSON: Data(
        #"[{"id": 1, "courses": [{"id": 1}, {"id": 2}]}, {"id": 2, "courses": [{"id": 1}]}]"#.utf8), in: scope)
    let courses = students[0].courses.value ?? []
    students[0].courses.remove(courses[0])
    students[1].courses.add(courses[1])
    students[0].revert()
    #expect(students[0].courses.value == courses)
    #expect(courses[0].students.value == students)
    #expect(!courses[0].isDirty)
    #expect(courses[1].students.value == students)
    #expect(courses[1].isDirty)
    courses[1].revert()
    #expect(students[1].courses.value == [courses[0]])
    #expect(scope.unsavedModels.isEmpty)
  }

  // MARK: One way

  @Test func `Reverting relations brings back models that nothing else holds`() throws {
    let order = try Order.from(
      dictionaryValue: ["number": 1, "customer": ["name": "Ada"], "items": [["title": "A"], ["title": "B"]]])
    order.customer.value = nil
    order.items.value = [Book(title: "C")]
    #expect(order.revert().compactMap(\.key) == ["customer", "items"])
    #expect(order.customer.value?.name.value == "Ada")
    #expect(order.items.value?.map(\.title.value) == ["A", "B"])
    #expect(!order.isDirty)
  }

  // MARK: Life

  @Test func `Reverting relations retains nothing across an inverse, however a link was cut and made again`() throws {
    weak var author: Author?
    weak var book: Book?
    for relink in [true, false] {
      do {
        let ada = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 1, "author": 1]]])
        let first = try #require(ada.books.value?.first)
        ada.books.remove(first)
        if relink { first.author.value = ada }
        author = ada
        book = first
      }
      #expect(author == nil && book == nil)
    }
  }

  @Test func `Reverting relations is reverted to a link that was cut on one side and made again on the other`() throws {
    let (ada, _, books) = try library()
    ada.books.remove(books[0])
    books[0].author.value = ada
    #expect(ada.books.value == [books[1], books[2], books[0]])
    books[0].revert()
    #expect(!books[0].isDirty)
    #expect(ada.books.isDirty)
    ada.revert()
    #expect(ada.books.value == books)
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `Reverting relations lets go of what it led to before, once that is saved`() throws {
    let order = try Order.from(dictionaryValue: ["number": 1, "customer": ["name": "Ada"]])
    weak let customer = order.customer.value
    order.customer.value = nil
    #expect(customer != nil)
    order.markSaved(order.fields, asOf: .next())
    #expect(customer == nil)
  }

  @Test func `Reverting relations is reverted to an identifier whose model is gone`() throws {
    let book = Book(id: 1, title: "A")
    do {
      let ada = Author(id: 7, name: "Ada")
      ada.books.add(book)
      book.markSaved(book.fields, asOf: .next())
      book.author.value = nil
    }
    book.revert()
    #expect(book.author.value?.identifier == "7")
    #expect(book.author.value?.loadState == .incomplete)
    #expect(!book.isDirty)
  }

  // MARK: Observers

  @Test func `Reverting relations tells every field that changed once, when both sides agree`() throws {
    let (ada, bob, books) = try library()
    books[0].author.value = bob
    books[1].author.value = bob
    var told: [String] = []
    func note(_ name: String) {
      let isWhole = ada.books.value == books && bob.books.value == [] && books.allSatisfy { $0.author.value === ada }
      told.append(name + (isWhole ? "" : "?"))
    }
    ada.books.addObserver(updateImmediately: false) { _, _ in note("ada") }
    bob.books.addObserver(updateImmediately: false) { _, _ in note("bob") }
    for (number, book) in books.enumerated() {
      book.author.addObserver(updateImmediately: false) { _, _ in note("\(number)") }
    }
    ada.revert()
    #expect(told.sorted() == ["0", "1", "ada", "bob"])
  }

  // MARK: Copies

  @Test func `Reverting relations of a copy leaves the original alone`() throws {
    let (ada, bob, books) = try library()
    ada.books.remove(books[0])
    let copy = ada.copy()
    #expect(copy.books.isDirty)
    copy.revert()
    #expect(copy.books.value?.map(\.id.value) == [1, 2, 3])
    #expect(copy.books.value?.allSatisfy { $0.author.value === copy } == true)
    #expect(!copy.isDirty)
    #expect(ada.books.value == [books[1], books[2]])
    #expect(books[0].author.value == nil)
    ada.revert()
    #expect(ada.books.value == books)
    withExtendedLifetime(bob) {}
  }

  @Test func `Reverting relations of a copy refers to what is behind a foreign key without a word`() throws {
    let album = try Album.from(dictionaryValue: ["id": 1, "tracks": ["a", "b"]], in: scope)
    let tracks = album.tracks.value ?? []
    album.tracks.remove(tracks[0])
    let copy = album.copy()
    copy.revert()
    #expect(copy.tracks.value == tracks)
    #expect(tracks[0].album.value == nil)
    #expect(tracks[1].album.value === album)
  }
}
