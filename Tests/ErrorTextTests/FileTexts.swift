import Foundation
import ModelKit

extension ErrorText {
  static let files: [ErrorText] = [
    ErrorText(
      "a folder that can't be made",
      """
      Could not create the directory '/folder/file': Not a directory (errno 20). A component of the path is a file, not a folder: choose another \
      path.
      """
    ) { folder in
      try Data().write(to: folder.appending(path: "file"))
      try await FileModelStore(directory: folder.appending(path: "file")).open()
    },
    ErrorText(
      "a folder that is no store",
      """
      '/folder' is not a store: 'index.html' in it belongs to another program. Nothing was changed: choose \
      a folder that is empty or does not exist yet.
      """
    ) { folder in
      try Data("<html>".utf8).write(to: folder.appending(path: "index.html"))
      try await FileModelStore(directory: folder).open()
    },
    ErrorText(
      "a folder without a store, for reading only",
      """
      There is no store in '/folder/none' yet, and the mode readOnly creates none: open it once with the mode \
      readWrite.
      """
    ) { folder in
      let options = FileStoreOptions(mode: .readOnly)
      try await FileModelStore(directory: folder.appending(path: "none"), options: options).open()
    },
    ErrorText(
      "a store at a place that is no file",
      """
      'https://example.com/store' can't be a store: it is not a file URL. Nothing was read or written: use \
      a URL made by URL(filePath:).
      """
    ) { _ in
      if let url = URL(string: "https://example.com/store") { try await FileModelStore(directory: url).open() }
    },
    ErrorText(
      "a store whose lock was removed",
      """
      The lock of the store '/folder' was removed or replaced while it was open, so another process may be writing to it. \
      Nothing was written: close the store and open it again, and don't move its directory or its file 'lock' meanwhile.
      """
    ) { folder in
      let store = FileModelStore(directory: folder)
      try await store.open()
      try FileManager.default.removeItem(at: folder.appending(path: "lock"))
      try await store.create(Author("Jane"))
    },
    ErrorText(
      "a store that is already open elsewhere",
      """
      The store '/folder' is in use by another store in this process (pid PID, since TIME). Only one store can \
      write at a time: close that one first, or open this one with mode: .readOnly.
      """
    ) { folder in
      let store = FileModelStore(directory: folder)
      try await store.open()
      defer { withExtendedLifetime(store) {} }
      do {
        try await FileModelStore(directory: folder).open()
      } catch {
        throw Reported("\(error)".replacing(/pid \d+, since [^)]+/, with: "pid PID, since TIME"))
      }
    },
    ErrorText(
      "a store of a newer format",
      """
      '/folder/manifest.json' has format version 99, and this version of FileStore reads up to 3. Nothing \
      was changed: open it with a version of FileStore that supports format 99.
      """
    ) { folder in
      try Data(#"{"crc":"43b5dfb0","format":"modelkit-file-store","version":99}"#.utf8).write(
        to: folder.appending(path: "manifest.json"))
      try await FileModelStore(directory: folder).open()
    },
    ErrorText(
      "a folder that is another group's",
      """
      '/folder/groups/drafts' should hold the group "drafts" but holds the group "". Nothing was changed: \
      rename the folder to '@default'.
      """
    ) { folder in
      try await write([], to: folder)
      let groups = folder.appending(path: "groups")
      try FileManager.default.copyItem(
        at: groups.appending(path: "@default"), to: groups.appending(path: "drafts"))
      _ = try await FileModelStore(directory: folder).group("drafts").list(Author.self)
    },
    ErrorText("a model that is not in a file store", #"There is no Author with the identifier "7"."#) { folder in
      _ = try await FileModelStore(directory: folder).lookup(Author.self, identifier: "7")
    },
    ErrorText(
      "an identifier that is taken in a file store",
      #"Another Author has the identifier "7" already. Nothing was written."#
    ) { folder in
      let store = FileModelStore(directory: folder)
      try await store.create(Author(id: 7, "Jane"))
      try await store.create(Author(id: 7, "Ada"))
    },
    ErrorText(
      "a value that has to be unique in a file store",
      #"The Author "2" was not written: its name must be unique, and "1" has the same value."#
    ) { folder in
      let store = FileModelStore(directory: folder)
      try await store.index(\Author.name, unique: true)
      try await store.create(Author("Jane"))
      try await store.create(Author("Jane"))
    },
    ErrorText(
      "a unique index of values that are not, in a file store",
      """
      name of Author was not indexed as unique: "1" and "2" have the same value. Change one of them \
      first.
      """
    ) { folder in
      let store = FileModelStore(directory: folder)
      try await store.create(Author("Jane"))
      try await store.create(Author("Jane"))
      try await store.index(\Author.name, unique: true)
    },
    ErrorText(
      "a store that is closed",
      """
      The store '/folder' was closed. Nothing was read or written: create another FileModelStore for the \
      directory.
      """
    ) { folder in
      let store = FileModelStore(directory: folder)
      try await store.open()
      try await store.close()
      try await store.create(Author("Jane"))
    },
    ErrorText(
      "a store for reading only",
      """
      The store '/folder' was opened for reading only. Nothing was written: open it with the mode readWrite.
      """
    ) { folder in
      let store = FileModelStore(directory: folder)
      try await store.create(Author("Jane"))
      try await store.close()
      try await FileModelStore(directory: folder, options: FileStoreOptions(mode: .readOnly)).create(Author("Ada"))
    },
    ErrorText(
      "a backup into a folder that is not empty",
      """
      '/folder' is not empty. Nothing was written: choose a folder that does not exist yet.
      """
    ) { folder in
      let store = FileModelStore(directory: folder.appending(path: "store"))
      try await store.create(Author("Jane"))
      try await store.backup(to: folder)
    },
    ErrorText(
      "a backup into the store itself",
      """
      '/folder/copy' belongs to the store '/folder' itself. Nothing was written: choose another path.
      """
    ) { folder in
      let store = FileModelStore(directory: folder)
      try await store.create(Author("Jane"))
      try await store.backup(to: folder.appending(path: "copy"))
    },
    ErrorText(
      "an export into a folder that is not there",
      """
      There is no folder '/folder/none'. Nothing was written: create it first, or choose another path.
      """
    ) { folder in
      let store = FileModelStore(directory: folder.appending(path: "store"))
      try await store.create(Author("Jane"))
      try await store.exportJSON(to: folder.appending(path: "none/export.json"))
    },
    ErrorText(
      "an export where a folder is",
      """
      Could not rename '/folder/export.json.new' to '/folder/export.json': Is a directory (errno 21).
      """
    ) { folder in
      let store = FileModelStore(directory: folder.appending(path: "store"))
      try await store.create(Author("Jane"))
      let url = folder.appending(path: "export.json")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try await store.exportJSON(to: url)
    },
    ErrorText(
      "records of a newer version",
      """
      The records of Author have version 2, and this program supports version 1. Nothing was changed: use a \
      program with the migrations of Author up to version 2.
      """
    ) { folder in
      try await write([Migration(Author.self, to: 2) { _ in }], to: folder)
      let store = FileModelStore(directory: folder)
      try await store.open()
      _ = try await store.list(Author.self)
    },
    ErrorText(
      "records of an older version in a store for reading only",
      """
      The records of Author have version 1, and this program reads version 2. Nothing was changed: open \
      the store for reading and writing once, which migrates them.
      """
    ) { folder in
      try await write([], to: folder)
      let options = FileStoreOptions(mode: .readOnly, migrations: [Migration(Author.self, to: 2) { _ in }])
      _ = try await FileModelStore(directory: folder, options: options).list(Author.self)
    },
    ErrorText(
      "a migration that fails",
      """
      The migration of Author to version 2 failed at "1": "name" can't be renamed to "id", which already \
      exists. Nothing was changed.
      """
    ) { folder in
      try await write([], to: folder)
      let migration = Migration(Author.self, to: 2) { try $0.rename("name", to: "id") }
      try await FileModelStore(directory: folder, options: FileStoreOptions(migrations: [migration])).open()
    },
    ErrorText(
      "migrations with one missing",
      """
      The migrations of Author are inconsistent: there is a step to version 4, and none to version 3. \
      Nothing was changed.
      """
    ) { folder in
      let migrations = [2, 4].map { Migration(Author.self, to: $0) { _ in } }
      try await FileModelStore(directory: folder, options: FileStoreOptions(migrations: migrations)).open()
    },
    ErrorText(
      "an import of what is there",
      """
      Nothing was imported from '/folder/export.json': the model at line 2, offset 51 is Author "1", which the \
      store already has. Import with existing: .keep or .replace.
      """
    ) { folder in
      let store = FileModelStore(directory: folder.appending(path: "store"))
      try await store.create(Author("Jane"))
      let url = folder.appending(path: "export.json")
      try await store.exportJSON(to: url)
      try await store.importJSON(from: url)
    },
    ErrorText(
      "an import of something else",
      """
      Nothing was imported from '/folder/export.json', line 1, offset 0: '{' is expected here.
      """
    ) { folder in
      let url = folder.appending(path: "export.json")
      try Data("[1, 2]\n".utf8).write(to: url)
      try await FileModelStore(directory: folder.appending(path: "store")).importJSON(from: url)
    },
    ErrorText(
      "an import of a model without a type",
      """
      Nothing was imported from '/folder/export.json', line 2, offset 60: expected a string, found "5".
      """
    ) { folder in
      let url = folder.appending(path: "export.json")
      let start = #"{"format":"modelkit-models","version":1,"models":["#
      try Data((start + "\n" + #"{"type": 5, "identifier": "1", "value": {}}]}"#).utf8).write(to: url)
      try await FileModelStore(directory: folder.appending(path: "store")).importJSON(from: url)
    },
    ErrorText(
      "an import of models of a newer version",
      """
      Nothing was imported from '/folder/export.json', line 2, offset 80: The records of Author have version \
      3, and this program supports version 1. Nothing was changed: use a program with the migrations of Author up \
      to version 3.
      """
    ) { folder in
      let url = folder.appending(path: "export.json")
      let start = #"{"format":"modelkit-models","version":1,"modelVersions":{"Author":3},"models":["#
      try Data((start + "\n" + #"{"type":"Author","identifier":"1","value":{}}]}"#).utf8).write(to: url)
      try await FileModelStore(directory: folder.appending(path: "store")).importJSON(from: url)
    },
    ErrorText(
      "an import of a file that is not there",
      """
      Could not open '/folder/none.json': No such file or directory (errno 2). The file is missing: if it was \
      moved or removed, restore it, then try again.
      """
    ) { folder in
      try await FileModelStore(directory: folder.appending(path: "store"))
        .importJSON(from: folder.appending(path: "none.json"))
    },
    ErrorText(
      "a journal whose end was torn off",
      """
      ['/folder/groups/@default/000001.journal' ended in 11 bytes at offset 205 that are not a complete batch \
      (the line is incomplete). They were moved to '/folder/groups/@default/000001-205.quarantine'.]
      """
    ) { folder in
      try await write([], to: folder)
      try change(folder) { $0.append(contentsOf: Data("half a line".utf8)) }
      throw Reported(try await FileModelStore(directory: folder).open())
    },
    ErrorText(
      "a journal with a changed byte",
      """
      ['/folder/groups/@default/000001.journal' is damaged at offset 59, 59 bytes: the line does not match \
      its checksum.]
      """
    ) { folder in
      try await write([], to: folder)
      try change(folder) { data in
        if let range = data.firstRange(of: Data("Jane".utf8)) { data[range.lowerBound] = UInt8(ascii: "L") }
      }
      throw Reported(try await FileModelStore(directory: folder).open())
    },
    ErrorText(
      "what a repair did",
      """
      1 model was kept. The damaged bytes are in '/folder/groups/@default/repair-1.quarantine'.
      '/folder/groups/@default/000001.journal' is damaged at offset 59, 59 bytes: the line does not match \
      its checksum. It was a record of Author "1": no revision of it is left.
      """
    ) { folder in
      try await write([], to: folder)
      try change(folder) { data in
        if let range = data.firstRange(of: Data("Jane".utf8)) { data[range.lowerBound] = UInt8(ascii: "L") }
      }
      throw Reported(try await FileModelStore(directory: folder).repair())
    },
    ErrorText(
      "a stored model that can't be read from a file",
      """
      The stored Author "1" can't be read: name: expected an integer, found the string "Jane". Nothing was \
      changed: read it with a class whose fields can hold it, or delete it.
      """
    ) { folder in
      try await write([], to: folder)
      let store = FileModelStore(directory: folder)
      _ = try await store.list(NumberedAuthor.self)
    },
  ]

  private static func write(_ migrations: [Migration], to folder: URL) async throws {
    let store = FileModelStore(directory: folder, options: FileStoreOptions(migrations: migrations))
    try await store.create(Author("Jane"))
    try await store.create(Author("Ada"))
    try await store.close()
  }

  /// Changes the first journal below a folder.
  private static func change(_ folder: URL, _ body: (inout Data) -> Void) throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    guard let name = names.sorted().first(where: { $0.hasSuffix(".journal") }) else {
      throw Reported("no journal in \(names)")
    }
    let url = folder.appending(path: name)
    var data = try Data(contentsOf: url)
    body(&data)
    try data.write(to: url)
  }
}
