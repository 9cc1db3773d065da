/// How far a long operation is.
package struct ShopProgress: Hashable, Sendable {
  /// What is done, in units of the operation: bytes of a file, or models.
  package var done = 0
  /// What there is to do, in the same units; 0 before that is known.
  package var total = 0
  /// How many books were dealt with.
  package var books = 0

  package init(done: Int = 0, total: Int = 0, books: Int = 0) {
    self.done = done
    self.total = total
    self.books = books
  }
}
