import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

/// The effect of a revert on both sides of one-to-one, one-to-many and many-to-many relations.
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

  @Test func `A revert creates no unloaded references of models that related models reference`() throws {
    var ada: Author? = try Author.from(dictionaryValue: ["id": 7, "books": [["id": 1]]], in: scope)
    let order = try Order.from(dictionaryValue: ["number": 1, "items": [["id": 1]]], in: scope)
    #expect(ada?.books.value == order.items.value)
    ada = nil
    #expect(scope.liveModel(Author.self, identifier: "7") == nil)
    order.number.value = 2
    order.revert()
    #expect(scope.liveModel(Author.self, identifier: "7") == nil)
    #expect(order.items.value?.first?.author.value?.id.value == 7)
  }

  @Test func `A revert reports a relation that the revert of another one made clean`() throws {
    let folder = try Folder.from(dictionaryValue: ["id": 1, "parent": nil, "folders": []], in: scope)
    folder.parent.value = folder
    #expect(folder.folders.value == [folder] && folder.folders.isDirty)
    #expect(folder.revert().compactMap(\.key) == ["parent", "folders"])
    #expect(folder.parent.value == nil && folder.folders.value == [] && !folder.isDirty)
  }

  // MARK: One to many

  @Test func `A reverted member is in its previous list again, at its previous index`() throws {
    let (ada, bob, books) = try library()
    books[0].author.value = bob
    #expect(books[0].revert().map { $0 as AnyObject === books[0].author } == [true])
    #expect(books[0].author.value === ada)
    #expect(ada.books.value == books)
    #expect(bob.books.value == [])
    #expect(!ada.isDirty && !bob.isDirty && !books[0].isDirty)
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `A reverted list has all its previous members`() throws {
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

  @Test func `A member that a reverted list had taken from another one is in that again`() throws {
    let (ada, bob, books) = try library()
    bob.books.add(books[0])
    bob.revert()
    #expect(books[0].author.value === ada)
    #expect(ada.books.value == books)
    #expect(bob.books.value == [])
    #expect(!ada.isDirty && !bob.isDirty && !books[0].isDirty)
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `A member that a reverted list had taken from a list that is not live references its model again`() throws
  {
    let books = try Book.list(fromJSON: Data(#"[{"id": 1, "author": 7}]"#.utf8), in: scope)
    let bob = try #require(try Author.list(fromJSON: Data(#"[{"id": 2, "books": []}]"#.utf8), in: scope).first)
    bob.books.add(books[0])
    bob.revert()
    #expect(books[0].author.value?.id.value == 7)
    #expect(!books[0].isDirty && !bob.isDirty)
  }

  @Test func `A reverted list has no deleted members`() throws {
    let (ada, bob, _) = try library()
    let book = try #require(try Book.list(fromJSON: Data(#"[{"id": 9}]"#.utf8), in: scope).first)
    book.author.value = ada
    ada.markSaved(ada.fields, asOf: .next())
    book.author.value = bob
    let plan = try book.deletionPlan()
    plan.nullifyLinks()
    scope.remove(book)
    book.markDeleted(in: scope)
    ada.revert()
    #expect(ada.books.value?.contains(book) == false && book.author.value == nil)
  }

  @Test func `A reverted relation keeps the changes of other models`() throws {
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

  @Test func `A reverted list has its previous order`() throws {
    let (ada, _, books) = try library()
    ada.books.value = books.reversed()
    ada.revert()
    #expect(ada.books.value == books)
    #expect(!ada.isDirty)
  }

  @Test func `A revert changes a related model that was saved meanwhile`() throws {
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

  @Test func `A revert unsets a relation that was neither read nor saved, on both sides`() throws {
    let ada = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A"], in: scope)
    book.author.value = ada
    ada.revert()
    #expect(ada.books.value == nil)
    #expect(book.author.value == nil)
    #expect(ada.books.loadState == .notLoaded)
    #expect(book.author.loadState == .notLoaded)
    #expect(!ada.isDirty && !book.isDirty)
    #expect(ada.dictionaryValue == ["id": 1, "name": "Ada"])
  }

  @Test func `A revert of a new model keeps its relations`() throws {
    let (ada, _, books) = try library()
    let new = Book(title: "new")
    new.author.value = ada
    #expect(new.revert().isEmpty)
    #expect(new.author.value === ada)
    ada.revert()
    #expect(ada.books.value == books)
    #expect(new.author.value == nil)
  }

  @Test func `A reverted list keeps changes that were read on its inverse meanwhile`() throws {
    let (ada, _, books) = try library()
    ada.books.add(Book(title: "new"))
    let late = try Book.from(dictionaryValue: ["id": 9, "author": 1], in: scope)
    try books[2].read(["author": nil])
    ada.revert()
    #expect(ada.books.value == [books[0], books[1], late])
    #expect(late.author.value === ada)
    #expect(!late.isDirty && !ada.isDirty)
  }

  @Test func `A reverted relation does not restore a value that a later read replaced`() throws {
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

  @Test func `A revert keeps a relation that was changed during a save`() throws {
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

  @Test func `A revert restores both partners of a one-to-one relation`() throws {
    let countries = try Country.list(
      fromJSON: Data(#"[{"id": "a", "capital": {"id": "A"}}, {"id": "b", "capital": {"id": "B"}}]"#.utf8), in: scope)
    let cities = countries.compactMap(\.capital.value)
    countries[0].capital.value = cities[1]
    #expect(countries[1].capital.value == nil)
    countries[0].revert()
    #expect(countries[0].capital.value === cities[0])
    #expect(cities[0].capitalOf.value === countries[0])
    #expect(countries[1].capital.value === cities[1])
    #expect(cities[1].capitalOf.value === countries[1])
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `A revert of a one-to-one relation keeps a link that was made since`() throws {
    let countries = try Country.list(
      fromJSON: Data(#"[{"id": "a", "capital": {"id": "A"}}, {"id": "b", "capital": {"id": "B"}}]"#.utf8), in: scope)
    let cities = countries.compactMap(\.capital.value)
    countries[0].capital.value = cities[1]
    let new = City()
    countries[1].capital.value = new
    countries[0].revert()
    #expect(countries[0].capital.value === cities[0])
    #expect(countries[1].capital.value === new)
    #expect(cities[1].capitalOf.value == nil && cities[1].isDirty)
  }

  // MARK: Many to many

  @Test func `A revert restores members that other models share`() throws {
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

  @Test func `A revert restores models that only the baseline retains`() throws {
    let order = try Order.from(
      dictionaryValue: ["number": 1, "customer": ["name": "Ada"], "items": [["title": "A"], ["title": "B"]]])
    order.customer.value = nil
    order.items.value = [Book(title: "C")]
    #expect(order.revert().compactMap(\.key) == ["customer", "items"])
    #expect(order.customer.value?.name.value == "Ada")
    #expect(order.items.value?.map(\.title.value) == ["A", "B"])
    #expect(!order.isDirty)
  }

  // MARK: Lifetime

  @Test func `A reverted relation forms no retain cycle, however its links were cut and made`() throws {
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

  @Test func `A revert restores a link that was cut on one side and made again on the other`() throws {
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

  @Test func `A saved relation releases the models of its baseline`() throws {
    let order = try Order.from(dictionaryValue: ["number": 1, "customer": ["name": "Ada"]])
    weak let customer = order.customer.value
    order.customer.value = nil
    #expect(customer != nil)
    order.markSaved(order.fields, asOf: .next())
    #expect(customer == nil)
  }

  @Test func `A reverted relation has an unloaded reference for a deallocated model`() throws {
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

  @Test func `A revert notifies every changed field once, after both sides have changed`() throws {
    let (ada, bob, books) = try library()
    books[0].author.value = bob
    books[1].author.value = bob
    var received: [String] = []
    func note(_ name: String) {
      let isWhole = ada.books.value == books && bob.books.value == [] && books.allSatisfy { $0.author.value === ada }
      received.append(name + (isWhole ? "" : "?"))
    }
    ada.books.addObserver(updateImmediately: false) { _, _ in note("ada") }
    bob.books.addObserver(updateImmediately: false) { _, _ in note("bob") }
    for (number, book) in books.enumerated() {
      book.author.addObserver(updateImmediately: false) { _, _ in note("\(number)") }
    }
    ada.revert()
    #expect(received.sorted() == ["0", "1", "ada", "bob"])
  }

  // MARK: Copies

  @Test func `A revert of a copy does not change the original`() throws {
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

  @Test func `A revert of a copy does not update the inverses of foreign keys`() throws {
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

private final class Folder: Model {
  let id = Field<Int>()
  let parent = ModelField<Folder>(foreignKey: true, inverse: \.folders)
  let folders: ModelArrayField<Folder> = ModelField<Folder>(foreignKey: true)*
  override var identifierField: AnyField? { id }
}
