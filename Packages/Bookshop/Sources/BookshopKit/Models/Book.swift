import ModelKit

/// A book of the stock.
///
/// Its fields are in Book+Generated.swift, made of Bookshop.xcdatamodeld.
package final class Book: BookFields {
  // Whoever shows the books of the author learns that this one is gone.
  package override func afterDelete() { author.value = nil }
}
