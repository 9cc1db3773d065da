/// What the person at the keyboard has to know when something did not work.
package enum ShopError: Error, Hashable, CustomStringConvertible {
  /// There is no store in this folder.
  case noStore(path: String)
  /// Nothing has this number.
  case noBook(id: Int)
  case noBookOrAuthor(id: Int)
  case noAuthor(id: Int)
  /// Rules are broken: sentences that begin with the name of the field.
  case brokenRules([String])
  /// An author can't be removed while there are books.
  case authorHasBooks(name: String, id: Int, count: Int)
  /// Not a change of tags such as `+new` or `-old`.
  case notATagChange(String)
  /// What was copied elsewhere is not what is here.
  case copyDiffers
  /// The file can't be used as a catalogue; a whole sentence.
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
    case .notATagChange(let text): "'\(text)' is no change of tags: write +tag to add one and -tag to take one away."
    case .copyDiffers: "The copy is not the same as the original."
    case .unusableFile(let sentence): sentence
    }
  }
}
