import ModelKit

extension Shop {
  /// Sets the rating of a book.
  ///
  /// - Throws: ``ShopError/brokenRules(_:)`` for a rating that is not from 1 to 5. The old rating is kept.
  package func rate(_ id: Int, _ rating: Int) async throws -> Book {
    try await edit(id) { $0.rating.value = rating }
  }

  /// Adds tags to a book and removes others. Adding a present tag or removing an absent one has no effect.
  package func tag(_ id: Int, _ changes: [TagChange]) async throws -> Book {
    try await edit(id) { book in
      for change in changes {
        switch change {
        case .add(let tag): book.tags.append(tag)
        case .remove(let tag): book.tags.removeFirst(tag)
        }
      }
    }
  }

  private func edit(_ id: Int, _ change: (Book) -> Void) async throws -> Book {
    let book = try await book(id)
    // The change is made on a copy first: observers of the book must not see a rejected value, nor single steps.
    let draft = try book.detached()
    change(draft)
    guard draft.validate().isValid else {
      throw ShopError.brokenRules(draft.validationErrors.map(\.description))
    }
    book.rating.value = draft.rating.value
    book.tags.value = draft.tags.value
    if book.isDirty { try await store.update(book) }
    return book
  }

  /// Removes a book.
  package func removeBook(_ id: Int) async throws -> Book { try await store.delete(book(id)) }

  /// Removes an author.
  ///
  /// - Parameter withBooks: whether the author's books are removed as well. Otherwise an author with books is kept.
  /// - Throws: ``ShopError/authorHasBooks(name:id:count:)``.
  /// - Returns: the author, and the number of removed books.
  package func removeAuthor(_ id: Int, withBooks: Bool = false) async throws -> (author: Author, books: Int) {
    let (author, books) = try await author(id)
    guard books.isEmpty || withBooks else {
      throw ShopError.authorHasBooks(name: author.fullName.value ?? "?", id: id, count: books.count)
    }
    // Books are removed first: if this is interrupted, no book is without its author.
    for book in books { try await store.delete(book) }
    return (try await store.delete(author), books.count)
  }
}
