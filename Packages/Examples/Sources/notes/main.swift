// Notes in a file store, with queries. A confirmed change survives a power cut.

import Foundation
import ModelKit

final class Note: Model {
  let id = Field<Int>()
  let text = Field<String>().require(.notBlank).require(.length(...200))
  let tags = Field<String>()*
  let isDone = Field<Bool>(false)
  override var identifierField: AnyField? { id }

  // The type name in the store, independent of the name of the program.
  override class var typeName: String { "Note" }

  var line: String {
    let tags = (self.tags.value ?? []).map { " #\($0)" }.joined()
    return "\(isDone.value == true ? "x" : "-") \(identifier ?? "new") \(text.value ?? "")\(tags)"
  }
}

func perform(_ command: String, _ rest: String, in store: FileModelStore) async throws {
  switch command {
  case "add":
    let note = Note()
    let words = rest.split(separator: " ")
    note.tags.value = words.filter { $0.hasPrefix("#") }.map { String($0.dropFirst()) }
    note.text.value = words.filter { !$0.hasPrefix("#") }.joined(separator: " ")
    try await store.save(note)
    print(note.line)
  case "done":
    let note = try await store.lookup(Note.self, identifier: rest)
    note.isDone.value = true
    try await store.save(note)
    print(note.line)
  case "list":
    for note in try await store.list(Note.self, sort: [.ascending(\.text)]) { print(note.line) }
  case "find":
    let found = try await store.list(
      Note.self, where: { $0.text.ignoringCase.contains(rest) || $0.tags.contains(rest) }, sort: [.ascending(\.text)])
    for note in found { print(note.line) }
  case "tidy":
    print("\(try await store.deleteAll(Note.self, where: { $0.isDone })) removed")
  default:
    print("add TEXT #TAG, done NUMBER, list, find TEXT, tidy")
  }
}

let directory = CommandLine.arguments.dropFirst().first ?? "notes.store"
let store = FileModelStore(directory: URL(filePath: directory))
for issue in try await store.open() { print("!", issue) }

// Input from a file or a pipe gets no prompts.
let isTerminal = isatty(STDIN_FILENO) != 0
if isTerminal { print("\(try await store.count(Note.self)) notes in \(directory)") }
while true {
  if isTerminal { print("> ", terminator: "") }
  guard let line = readLine() else { break }
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  guard let command = words.first else { continue }
  do {
    try await perform(command, words.dropFirst().first ?? "", in: store)
  } catch {
    print("! \(error)")
  }
}
try await store.close()
