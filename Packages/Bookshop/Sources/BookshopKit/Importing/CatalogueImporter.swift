import ModelKit

/// An import that reads a catalogue author by author and puts the valid entries into a store.
///
/// Models are written in the order of the file, each author before the books. If the import ends early, the store holds
/// the first part of the file. Consecutive models of one type are one write.
struct CatalogueImporter {
  private static let largestBatch = 500

  private let merger: StockMerger
  private let progress: ValueSource<ShopProgress>
  private var report = CatalogueReport()
  private var authors: [Author] = []
  private var books: [Book] = []

  init(into store: any ModelStore, progress: ValueSource<ShopProgress>) {
    merger = StockMerger(store: store)
    self.progress = progress
  }

  mutating func run(_ file: CatalogueFile) async throws -> CatalogueReport {
    var reader = file.authors
    let list = FieldPath(file.listPath)
    let total = file.data.count
    progress.value = ShopProgress(total: total)
    var nextProgress = 0
    while let element = try reader.next() {
      if case .object(let entry) = element {
        try await take(entry, at: list.appending(FieldPath([.index(reader.index ?? 0)])))
      } else {
        report.reject(
          \.authors, .init(at: list.appending(FieldPath([.index(reader.index ?? 0)])), element.mismatch("an object")))
      }
      if let offset = reader.offset, offset >= nextProgress {
        progress.value = ShopProgress(done: offset, total: total, books: report.books.kept)
        nextProgress = offset + total / 200
      }
    }
    try await write()
    progress.value = ShopProgress(done: total, total: total, books: report.books.kept)
    return report
  }

  private mutating func take(_ entry: AttributeDictionary, at place: FieldPath) async throws {
    var attributes = entry
    let books = attributes.removeValue(forKey: "books")
    var author: Author?
    do {
      author = try valid(Author.self, attributes, at: place, \.authors)
    } catch {
      report.reject(\.authors, .init(at: place, error))
    }
    if let author { try await add(author) }
    guard let books, !books.isNull else { return }
    let placeOfBooks = place.appending("books")
    guard case .array(let elements) = books else {
      return report.reject(\.books, .init(at: placeOfBooks, books.mismatch("a list")))
    }
    for (index, element) in elements.enumerated() {
      let place = placeOfBooks.appending(FieldPath([.index(index)]))
      if let author {
        try await take(element, by: author, at: place)
      } else {
        report.reject(\.books, .init(at: place, ["\(place): its author was rejected"]))
      }
    }
  }

  private mutating func take(_ element: JSONValue, by author: Author, at place: FieldPath) async throws {
    var book: Book?
    do {
      guard case .object(var attributes) = element else { throw element.mismatch("an object") }
      attributes["author_id"] = author.id.value.map { .int($0) }
      book = try valid(Book.self, attributes, at: place, \.books)
    } catch {
      report.reject(\.books, .init(at: place, error))
    }
    if let book { try await add(book) }
  }

  /// Returns the model; nil if it breaks rules, which is reported.
  private mutating func valid<M: Model>(
    _ type: M.Type, _ attributes: AttributeDictionary, at place: FieldPath,
    _ counts: WritableKeyPath<CatalogueReport, MergeCounts>
  ) throws -> M? {
    let model = try M.from(dictionaryValue: attributes)
    if model.validate().isValid { return model }
    report.reject(counts, .init(at: place, model.validationErrors))
    return nil
  }

  // MARK: Writing

  private mutating func add(_ author: Author) async throws {
    if !books.isEmpty || authors.count == Self.largestBatch { try await write() }
    authors.append(author)
  }

  private mutating func add(_ book: Book) async throws {
    if !authors.isEmpty || books.count == Self.largestBatch { try await write() }
    books.append(book)
  }

  private mutating func write() async throws {
    if !authors.isEmpty { report.authors += try await merger.put(authors) }
    authors = []
    if !books.isEmpty { report.books += try await merger.put(books) }
    books = []
  }
}

extension JSONValue {
  /// Returns the error for a value of another type than expected.
  fileprivate func mismatch(_ expected: String) -> ModelDecodingError {
    let error = ValueTransformError(expected: expected, found: self)
    return ModelDecodingError(path: FieldPath(), expected: error.expected, found: error.found)
  }
}

extension Shop {
  /// Imports a catalogue into the store, and updates existing models that differ.
  ///
  /// Invalid entries are reported, and the others are imported. The books of a rejected author are rejected.
  ///
  /// - Throws: the errors of the store. Models written before the error are kept.
  package func importCatalogue(_ file: CatalogueFile) async throws -> CatalogueReport {
    var importer = CatalogueImporter(into: store, progress: progress)
    return try await importer.run(file)
  }
}
