import ModelKit

/// A book of the stock.
///
/// Its fields are in Book+Generated.swift, generated from Bookshop.xcdatamodeld.
package final class Book: BookFields {
  // Removing the book from its author's list notifies the observers of that list.
  package override func afterDelete() { author.value = nil }
}
