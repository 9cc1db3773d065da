package import Foundation
package import ModelKit

extension Shop {
  /// Returns the whole stock in the shape of a catalogue, and the books that are left out because their author is
  /// missing.
  package func catalogue() async throws -> (json: JSONValue, leftOut: [Book]) {
    let authors = try await authors()
    let books = try await store.list(Book.self)
    let booksByAuthor = Dictionary(grouping: books) { $0.author.value?.id.value }
    let known = Set(authors.map(\.id.value))
    let json: JSONValue = [
      "title": "The stock of a bookshop",
      "version": 1,
      "authors": .array(authors.map { $0.catalogueEntry(books: booksByAuthor[$0.id.value] ?? []) }),
    ]
    return (json, books.filter { !known.contains($0.author.value?.id.value) })
  }

  /// Writes the whole stock to a file that can be imported again. An existing file is replaced once the new one is
  /// complete.
  ///
  /// - Returns: the numbers of authors and books written, and the books that were left out.
  package func export(to file: URL) async throws -> (authors: Int, books: Int, leftOut: [Book]) {
    if let obstacle = Self.obstacle(to: file) {
      throw ShopError.unusableFile("'\(file.relativePath)' can't be written: \(obstacle).")
    }
    let (json, leftOut) = try await catalogue()
    let data = try json.jsonData(JSONWritingOptions(pretty: true, sortedKeys: true))
    do {
      try (data + Data("\n".utf8)).write(to: file, options: .atomic)
    } catch {
      throw ShopError.unusableFile(
        "'\(file.relativePath)' can't be written: \(error.localizedDescription)")
    }
    let authors = json["authors"]?.arrayValue ?? []
    let books = authors.reduce(0) { $0 + ($1["books"]?.arrayValue?.count ?? 0) }
    return (authors.count, books, leftOut)
  }

  /// Returns the reason why a file can't be created; nil if it can.
  private static func obstacle(to file: URL) -> String? {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: file.path(percentEncoded: false), isDirectory: &isDirectory),
      isDirectory.boolValue
    {
      return "it is a directory"
    }
    let folder = file.absoluteURL.deletingLastPathComponent().path(percentEncoded: false)
    return FileManager.default.fileExists(atPath: folder) ? nil : "there is no folder '\(folder)'"
  }
}
