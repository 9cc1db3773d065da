import FileStore

@testable import enum FileStore.GroupFolder

/// The content of a journal, as a reader sees it.
struct Snapshot: Equatable, CustomStringConvertible {
  struct Row: Equatable {
    var identifier: String
    var revision: UInt64
    var value: String
  }

  var types: [String: [Row]] = [:]

  var description: String {
    types.sorted { $0.key < $1.key }.map { type, rows in
      type + rows.map { " \($0.identifier.debugDescription):\($0.revision):\($0.value)" }.joined()
    }.joined(separator: "; ")
  }
}

/// A list of batches that touches everything: several types, batches of several changes, deletions, new revisions.
enum JournalScript {
  static let directory = "/store"

  static let folder = "\(directory)/\(GroupFolder.name(of: "books"))"

  static let batches: [[Change]] = [
    [.create("Author", "1", json("Jane Austen"))],
    [.create("Book", "1", json("Emma")), .create("Book", "2", json("Persuasion")), .create("Author", "2", json("é"))],
    [.update("Book", "1", json("Emma (1815)"))],
    [.delete("Book", "2"), .create("Book", "3", json("Mansfield Park"))],
    [.update("Book", "3", json("x")), .update("Book", "3", json("y")), .create("Tag", "{\"a\",\n}", json("t"))],
    [.create("Book", "2", json("Sense and Sensibility"))],
  ]

  static func json(_ text: String) -> [UInt8] { Array(#"{"title":"\#(text)"}"#.utf8) }
}
