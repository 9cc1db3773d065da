/// The progress of a long operation.
package struct ShopProgress: Hashable, Sendable {
  /// The work done, in units of the operation: bytes of a file, or models.
  package var done = 0
  /// The total work in the same units; 0 until it is known.
  package var total = 0
  /// The number of processed books.
  package var books = 0

  package init(done: Int = 0, total: Int = 0, books: Int = 0) {
    self.done = done
    self.total = total
    self.books = books
  }
}
