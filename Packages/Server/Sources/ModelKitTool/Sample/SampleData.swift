import Foundation
import MemoryStore
import ModelCore
import StoreProtocol

/// Generated records of the sample: the same ones each time.
struct SampleData {
  let bookCount: Int
  private var random = SplitMix64(state: 7)

  init(bookCount: Int) { self.bookCount = bookCount }

  /// Adds authors, books and reviews to a store.
  mutating func fill(_ store: some ModelStore) async throws {
    let authors = (0..<max(1, bookCount / 8)).map { _ in author() }
    try await store.createAll(authors)
    // In parts, so that a million books need no memory beside the store.
    var made = 0
    while made < bookCount {
      let books = (0..<min(10_000, bookCount - made)).map { _ in book(by: pick(authors)) }
      try await store.createAll(books)
      let reviews = books.flatMap { book in (0..<Int.random(in: 0...5, using: &random)).map { _ in review(of: book) } }
      try await store.createAll(reviews)
      made += books.count
    }
  }

  private mutating func author() -> Author {
    let author = Author()
    author.name = "\(pick(Self.firstNames)) \(pick(Self.lastNames))"
    author.country = pick(Self.countries)
    author.born = Int.random(in: 1770...1990, using: &random)
    return author
  }

  private mutating func book(by author: Author) -> Book {
    let book = Book()
    book.title = pick([
      "The \(pick(Self.adjectives)) \(pick(Self.nouns))", "\(pick(Self.nouns)) and \(pick(Self.nouns))",
    ])
    book.published = (author.born ?? 1900) + Int.random(in: 20...60, using: &random)
    book.genre = pick(Self.genres)
    book.price = Decimal(Int.random(in: 399...4_999, using: &random)) / 100
    book.inStock = Int.random(in: 0..<4, using: &random) > 0
    book.addedAt = Date(
      timeIntervalSince1970: 1_600_000_000 + Double(Int.random(in: 0..<1_500, using: &random)) * 86_400)
    book.author = author
    return book
  }

  private mutating func review(of book: Book) -> Review {
    let review = Review()
    review.stars = Int.random(in: 1...5, using: &random)
    review.reviewer = pick(Self.firstNames)
    review.text = Self.opinions[review.stars - 1]
    review.book = book
    return review
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private static let firstNames = [
    "Ada", "Ben", "Clara", "David", "Emma", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kaya", "Lena", "Mori", "Nina",
    "Omar", "Paula", "Quentin", "Rosa", "Samir", "Thea", "Uma", "Victor", "Wanda", "Yusuf", "Zoë",
  ]
  private static let lastNames = [
    "Albers", "Brontë", "Castillo", "Dumont", "Eriksen", "Fontaine", "García", "Huang", "Ivanova", "Jensen", "Kowalski",
    "Lund", "Mbeki", "Novak", "O’Hara", "Petrov", "Quist", "Rossi", "Sato", "Tanaka", "Ueda", "Vargas", "Weber",
    "Yılmaz",
  ]
  private static let countries = [
    "Brazil", "Denmark", "Egypt", "France", "Germany", "India", "Italy", "Japan", "Kenya", "Mexico", "Norway", "Poland",
    "Portugal", "Türkiye",
  ]
  private static let genres = ["Crime", "Essays", "Fantasy", "History", "Novel", "Poetry", "Science fiction", "Travel"]
  private static let adjectives = [
    "Broken", "Distant", "Empty", "Golden", "Hidden", "Last", "Long", "Quiet", "Red", "Secret", "Silent", "Winter",
  ]
  private static let nouns = [
    "Bridge", "City", "Clock", "Forest", "Garden", "Harbour", "House", "Island", "Letter", "Mirror", "Mountain",
    "Night",
    "Orchard", "River", "Road", "Sea", "Shadow", "Storm", "Summer", "Tower", "Voyage", "Window",
  ]
  private static let opinions = [
    "I gave up after the first chapter.", "It drags on, and the end explains too much.",
    "Good in parts, but too long.", "I read it twice, and lent it to a friend.",
    "I could not put it down. The best book of the year.",
  ]
}

/// A random number generator with a fixed seed.
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
