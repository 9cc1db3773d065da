/// An error shown to the user of the program.
package enum ShopError: Error, Hashable, CustomStringConvertible {
  /// The folder has no store.
  case noStore(path: String)
  /// No book has this number.
  case noBook(id: Int)
  case noBookOrAuthor(id: Int)
  case noAuthor(id: Int)
  /// Values break rules. Each sentence begins with the name of the field.
  case brokenRules([String])
  /// An author can't be removed while it has books.
  case authorHasBooks(name: String, id: Int, count: Int)
  /// A text is not a change of tags such as `+new` or `-old`.
  case notATagChange(String)
  /// A copy differs from the original.
  case copyDiffers
  /// A server can't be reached, or takes no requests. Some authors and books have changes that wait for it.
  case unreachable(reason: String, waiting: Int)
  /// The shop is not in a folder, so it has no outbox.
  case noOutbox
  /// A server can't listen on a port.
  case noPort(UInt16, reason: String)
  /// A file can't be used as a catalogue. The text is a whole sentence.
  case unusableFile(String)

  package var description: String {
    switch self {
    case .noStore(let path):
      "There is no store at '\(path)'. Fill one with 'bookshop import', or name another with --store."
    case .noBook(let id): "There is no book \(id)."
    case .noAuthor(let id): "There is no author \(id)."
    case .noBookOrAuthor(let id): "There is no book and no author \(id)."
    case .brokenRules(let sentences): sentences.joined(separator: "; ")
    case .authorHasBooks(let name, let id, let count):
      "\(name) (author \(id)) has \(counted(count, "book")) here. Nothing was removed: "
        + "remove the books first, or add --with-books."
    case .notATagChange(let text): "'\(text)' is not a change of tags: write +tag to add one and -tag to remove one."
    case .copyDiffers: "The copy is not the same as the original."
    case .unreachable(let reason, let waiting):
      "\(reason). The changes of \(counted(waiting, "author or book", "authors and books")) are kept for the next 'bookshop sync'."
    case .noOutbox: "Only a shop in a folder can be synchronised."
    case .noPort(let port, let reason):
      "The server can't listen on port \(port): \(reason). Choose another one with --port; 0 is a free one."
    case .unusableFile(let sentence): sentence
    }
  }
}
