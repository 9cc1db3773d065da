@_spi(ModelKitInternals) import ModelCore
import Testing

@Suite struct `A long list of related models` {
  private let count = 20_000

  @Test func `A long list of models is filled, moved and emptied one by one in linear time`() {
    let books = (0..<count).map { _ in Book() }
    let ada = Author(name: "Ada")
    let bob = Author(name: "Bob")
    for book in books { ada.books.add(book) }
    for book in books { book.author.value = bob }
    #expect(ada.books.value == [])
    #expect(bob.books.value == books)
    for book in books.reversed() { bob.books.remove(book) }
    #expect(bob.books.value == [])
    #expect(books.allSatisfy { $0.author.value == nil })
  }

  @Test func `A long list of models notifies observers once of an operation on many members`() {
    let books = (0..<count).map { _ in Book() }
    let ada = Author(name: "Ada")
    let bob = Author(name: "Bob")
    var calls = 0
    for author in [ada, bob] { author.books.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    #expect(ada.books.add(contentsOf: books) == count)
    bob.books.value = ada.books.value
    #expect(bob.books.remove(contentsOf: books.prefix(100)) == 100)
    bob.books.removeAll()
    #expect(calls == 5)
    #expect(ada.books.value == [])
  }

  @Test func `A long list of models releases removed members at once, and keeps the order of the others`() {
    let ada = Author(name: "Ada")
    var books = (0..<200).map { Book(title: "\($0)") }
    ada.books.value = books
    weak let removed = books[150]
    for index in stride(from: 190, through: 10, by: -10) { ada.books.remove(books.remove(at: index)) }
    weak let last = books.removeLast()
    if let last { ada.books.remove(last) }
    #expect(last == nil)
    ada.books.remove(books.remove(at: 142))
    #expect(removed == nil || ada.books.contains(books[0]))
    let book = Book(title: "new")
    ada.books.add(book)
    #expect(ada.books.value == books + [book])
    #expect(ada.books.loadState == .loaded)
  }

  @Test func `A long list of models detects deallocated members among removed ones`() throws {
    let ada = try Author.from(dictionaryValue: ["id": 1, "books": []])
    var books: [Book] = (0..<200).map { _ in Book() }
    for book in books { book.author.value = ada }
    for book in books.prefix(90) { ada.books.remove(book) }
    books.removeLast()
    for book in books[90..<130] { ada.books.remove(book) }
    #expect(ada.books.value?.count == 69)
    #expect(ada.books.count == nil)
    #expect(ada.books.loadState == .incomplete)
  }

  @Test func `A long list of a many-to-many relation is filled from either side`() {
    let students = (0..<count).map { _ in Student() }
    let course = Course()
    for student in students { student.courses.add(course) }
    #expect(course.students.count == count)
    for student in students { #expect(!course.students.add(student)) }
    for student in students { student.courses.remove(course) }
    #expect(course.students.count == 0)
  }
}

@Suite struct `Related models that are unloaded references` {
  @Test func `Unloaded references are found in relations, lists included`() throws {
    let album = try Album.from(dictionaryValue: ["id": 1, "title": "A", "tracks": ["a", "b"]])
    #expect(album.incompleteModels(recursive: false) == album.tracks.value)
    #expect(album.foreignKeyModels() == album.tracks.value)
    let order = Order()
    let track = try Track.from(dictionaryValue: ["id": "t", "title": "T", "album": 5])
    #expect(track.incompleteModels(recursive: false) == [track.album.value])
    #expect(order.incompleteModels() == [])
  }

  @Test func `Unloaded references behind loaded models are found on request`()
    throws
  {
    let order = Order()
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada", "books": [["id": 2, "title": "A"], 3]])
    order.customer.value = author
    #expect(order.incompleteModels(recursive: false) == [])
    #expect(order.incompleteModels() == [author.books.value?.last])
  }

  @Test func `A relation that was never loaded is nil and not loaded`() throws {
    let book = try Book.from(dictionaryValue: ["id": 2, "title": "A"])
    #expect(book.author.value == nil)
    #expect(book.author.loadState == .notLoaded)
    let author = try Author.from(dictionaryValue: ["id": 1])
    #expect(author.books.value == nil)
    #expect(author.books.loadState == .notLoaded)
    try book.read(["author": nil])
    #expect(book.author.loadState == .loaded)
  }

  @Test func `Unloaded related models keep their identifiers on both sides of foreign keys`() throws {
    let album = try Album.from(dictionaryValue: ["id": 1, "tracks": ["a", "b"]])
    #expect(album.dictionaryValue == ["id": 1, "tracks": ["a", "b"]])
    #expect(album.tracks.value?.first?.dictionaryValue == ["id": "a", "album": 1])
    #expect(throws: ModelDecodingError.self) { try Album.from(dictionaryValue: ["tracks": [["a"]]]) }
  }

  @Test func `The inverse of a relation is found on a model that is not linked`() {
    let ada = Author(name: "Ada")
    let book = Book(title: "A")
    #expect(book.inverseField(of: book.author, on: ada) === ada.books)
    #expect(ada.inverseField(of: ada.books, on: book) === book.author)
    #expect(ada.inverseField(of: book.author, on: ada) == nil)
    let order = Order()
    #expect(order.inverseField(of: order.customer, on: ada) == nil)
    #expect(book.inverseField(of: book.author, on: book) == nil)
  }
}
