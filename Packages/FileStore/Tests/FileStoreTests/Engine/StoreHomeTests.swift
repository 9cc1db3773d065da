import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import FileStore

@Suite struct `The directory of a store` {
  private let value = JournalScript.json("x")

  private func makeEngine(_ directory: String, isReadOnly: Bool = false) -> FileEngine {
    var options = FileEngineOptions()
    options.isReadOnly = isReadOnly
    return FileEngine(directory: directory, options: options)
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// All files below a directory.
  private func files(_ directory: String) throws -> [String: Data?] {
    try FileManager.default.subpathsOfDirectory(atPath: directory).reduce(into: [:]) { files, path in
      files[path] = FileManager.default.contents(atPath: "\(directory)/\(path)")
    }
  }

  @Test(arguments: [
    ["index.html": "<html>"], ["manifest.json": #"{"name":"My app","version":1}"#], ["manifest.json": "[1]"],
    ["manifest.json": "not JSON"], ["manifest.json": #"{"crc":"43b5dfb0","format":"something-else","version":1}"#],
    ["lock": "precious"], ["groups/readme.txt": "mine"], ["groups/@default/notes.txt": "mine"], ["groups": "a file"],
    ["manifest.json.new": String(repeating: "mine", count: 100)], [".git/HEAD": "x", "src/main.c": "x"],
    // Foreign for certain, even with a journal beside it.
    ["manifest.json": #"{"name":"My app"}"#, "groups/@default/000001.journal": ""],
  ])
  func `A store is not created in a folder of another program, which stays unchanged`(
    contents: [String: String]
  )
    async throws
  {
    try await withTemporaryDirectory { directory in
      for (path, text) in contents { try write(text, to: "\(directory)/\(path)") }
      let before = try files(directory)
      for isReadOnly in [false, true] {
        let error = await #expect(throws: FileEngineError.self) {
          try await makeEngine(directory, isReadOnly: isReadOnly).open()
        }
        guard case .notAStore(directory, let name) = error else {
          Issue.record("\(contents): \(String(describing: error))")
          return
        }
        #expect(contents.keys.contains { $0 == name || $0.hasPrefix(name + "/") })
        #expect(try files(directory) == before)
      }
    }
  }

  @Test(arguments: [
    [".DS_Store": "x"], ["lost+found/.keep": ""], ["lock": ""], [".stfolder/x": "", "Thumbs.db": "x"],
    ["lock": #"{"pid":1,"since":"2001-01-01T00:00:00Z"}"# + "\n"],
    ["lock": "", "groups/.DS_Store": "", "manifest.json.new": #"{"crc":"#],
  ])
  func `The directory of a store can have system files, or the files of an interrupted creation`(
    contents: [String: String]
  ) async throws {
    try await withTemporaryDirectory { directory in
      for (path, text) in contents { try write(text, to: "\(directory)/\(path)") }
      await #expect(throws: FileEngineError.noStore(directory: directory)) {
        try await makeEngine(directory, isReadOnly: true).open()
      }
      let engine = makeEngine(directory)
      #expect(try await engine.open() == [])
      try await engine.write([.create("Book", "1", value)])
      try await engine.close()
    }
  }

  @Test(arguments: 1...6, [false, true])
  func `A store opens while another process creates it, whenever its files appear`(
    number: Int, isBegun: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let made = makeEngine(directory + "/made")
      try await made.write([.create("Book", "1", value)])
      try await made.close()
      // As the other process writes them: the manifest before the first journal.
      let contents = try files(directory + "/made").filter { $0.key != "lock" && $0.value != nil }
        .sorted { $0.key.contains("/") == $1.key.contains("/") ? $0.key < $1.key : !$0.key.contains("/") }
      for isReadOnly in [false, true] {
        let store = "\(directory)/\(isReadOnly)"
        let begun = isBegun ? store + "/groups/@default" : store
        try FileManager.default.createDirectory(atPath: begun, withIntermediateDirectories: true)
        let looks = Lock(0)
        let fileSystem = HookedFileSystem(base: PosixFileSystem()) {
          let look = looks.withLock { looks in
            looks += 1
            return looks
          }
          // No other process uses the store while this one holds the lock.
          guard look == number, !FileManager.default.fileExists(atPath: store + "/lock") else { return }
          for (path, data) in contents {
            let url = URL(filePath: "\(store)/\(path)")
            try? FileManager.default.createDirectory(
              at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? data?.write(to: url)
          }
        }
        var options = FileEngineOptions()
        options.isReadOnly = isReadOnly
        let engine = FileEngine(directory: store, options: options, fileSystem: fileSystem)
        do {
          #expect(try await engine.open() == [])
        } catch FileEngineError.noStore where isReadOnly {
          // It looked before there was a store.
        }
        try await engine.close()
      }
    }
  }

  @Test func `The directory of a store is not created by a read-only store, and the error has the reason`() async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory + "/none"
      let error = FileEngineError.noStore(directory: path)
      await #expect(throws: error) { try await makeEngine(path, isReadOnly: true).open() }
      #expect(error.description.contains("no store in '\(path)' yet"))
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `The directory of a store is unchanged if its lock is a link to another file`() async throws {
    try await withTemporaryDirectory { directory in
      let store = directory + "/store"
      for text in ["precious", ""] {
        try write(text, to: directory + "/precious.txt")
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
          atPath: store + "/lock", withDestinationPath: "../precious.txt")
        await #expect(throws: (any Error).self) { try await makeEngine(store).open() }
        #expect(try String(contentsOfFile: directory + "/precious.txt", encoding: .utf8) == text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) == ["lock"])
        try FileManager.default.removeItem(atPath: store)
      }
      var first = makeEngine(store)
      try await first.open()
      try await first.close()
      try FileManager.default.removeItem(atPath: store + "/lock")
      try write("precious", to: directory + "/precious.txt")
      try FileManager.default.createSymbolicLink(atPath: store + "/lock", withDestinationPath: "../precious.txt")
      first = makeEngine(store)
      let error = await #expect(throws: FileSystemError.self) { try await first.open() }
      #expect(error?.code == ELOOP)
      #expect(error?.description.contains("It is a symbolic link") == true)
      #expect(try String(contentsOfFile: directory + "/precious.txt", encoding: .utf8) == "precious")
    }
  }

  @Test func `A store opens without its manifest, and reports the loss`() async throws {
    try await withTemporaryDirectory { directory in
      var store = makeEngine(directory)
      try await store.write([.create("Book", "1", value)])
      try await store.close()
      try FileManager.default.removeItem(atPath: directory + "/manifest.json")
      try write("anything", to: directory + "/notes.txt")
      for isReadOnly in [true, false] {
        store = makeEngine(directory, isReadOnly: isReadOnly)
        #expect(try await store.open().map(\.kind) == [.missing])
        #expect(try await store.count("Book") == 1)
        try await store.close()
      }
    }
  }

  @Test func `The directory of a store of a newer version keeps its lock unchanged`() async throws {
    try await withTemporaryDirectory { directory in
      try write(#"{"crc":"43b5dfb0","format":"modelkit-file-store","version":99}"#, to: directory + "/manifest.json")
      for lock in [nil, "whose it was"] as [String?] {
        if let lock { try write(lock, to: directory + "/lock") }
        let before = try files(directory)
        await #expect(
          throws: FileEngineError.newerFormat(path: directory + "/manifest.json", version: 99, supported: 3)
        ) { try await makeEngine(directory).open() }
        #expect(try files(directory) == before)
      }
    }
  }

  @Test func `A repair keeps the versions in the manifest of a store`() async throws {
    try await withTemporaryDirectory { directory in
      var store = makeEngine(directory)
      try await store.write([.create("Book", "1", value)])
      try await store.close()
      for number in 1...2 {
        try write("damaged \(number)", to: directory + "/manifest.json")
        store = makeEngine(directory)
        let quarantine = directory + "/manifest-\(number).quarantine"
        #expect(try await store.repair().quarantine?.path(percentEncoded: false) == quarantine)
        #expect(try String(contentsOfFile: quarantine, encoding: .utf8) == "damaged \(number)")
        try await store.close()
        store = makeEngine(directory)
        #expect(try await store.open() == [])
        try await store.close()
      }
    }
  }

  @Test func `A store permits no write once its lock was removed`() async throws {
    try await withTemporaryDirectory { directory in
      let first = makeEngine(directory)
      try await first.write([.create("Book", "1", value)])
      try FileManager.default.removeItem(atPath: directory + "/lock")
      let second = makeEngine(directory)
      try await second.write([.create("Book", "2", value)])
      let removed = FileEngineError.lockRemoved(directory: directory)
      for durability in [Durability.everyCommit, .none, .everyCommit] {
        await #expect(throws: removed) { try await first.write([.create("Book", "3", value)], durability: durability) }
      }
      await #expect(throws: removed) { try await first.compact() }
      await #expect(throws: removed) { try await first.repair() }
      #expect(try await first.identifiers("Book") == ["1"])
      await #expect(throws: removed) { try await first.close() }
      try await second.write([.create("Book", "4", value)])
      try await second.close()
      let third = makeEngine(directory)
      #expect(try await third.open() == [])
      #expect(try await third.identifiers("Book") == ["1", "2", "4"])
      try await third.close()
    }
  }

  enum Move: CaseIterable { case renamed, replacedByNewStore, replacedByCopy }

  @Test(arguments: Move.allCases)
  func `A store permits no write once its directory was renamed or replaced`(move: Move) async throws {
    try await withTemporaryDirectory { folder in
      let (directory, moved) = ("\(folder)/a.store", "\(folder)/moved.store")
      let first = makeEngine(directory)
      try await first.write([.create("Book", "1", value)])
      if move == .replacedByCopy {
        try FileManager.default.copyItem(atPath: directory, toPath: "\(folder)/copy.store")
      }
      try FileManager.default.moveItem(atPath: directory, toPath: moved)
      if move == .replacedByCopy {
        try FileManager.default.moveItem(atPath: "\(folder)/copy.store", toPath: directory)
      }
      let second = makeEngine(directory)
      if move != .renamed { try await second.write([.create("Book", "2", value)]) }
      let removed = FileEngineError.lockRemoved(directory: directory)
      for group in ["", "new"] {
        await #expect(throws: removed) { try await first.group(group).write([.create("Book", "3", value)]) }
      }
      await #expect(throws: removed) { try await first.compact() }
      #expect(try await first.identifiers("Book") == ["1"])
      await #expect(throws: removed) { try await first.close() }
      if move != .renamed {
        try await second.close()
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/groups/new"))
      }
      let stored: [(path: String, identifiers: [String])] =
        switch move {
        case .renamed: [(moved, ["1"])]
        case .replacedByNewStore: [(moved, ["1"]), (directory, ["2"])]
        case .replacedByCopy: [(moved, ["1"]), (directory, ["1", "2"])]
        }
      for (path, identifiers) in stored {
        let third = makeEngine(path)
        #expect(try await third.open() == [])
        #expect(try await third.identifiers("Book") == identifiers)
        try await third.close()
      }
    }
  }

  @Test func `A store acknowledges nothing that was written while its lock was being removed`() async throws {
    let fileSystem = TracingFileSystem()
    let store = try ScriptedStore(fileSystem, groups: [""], options: Journal.Options())
    try store.journals[0].write([.create("Book", "1", value)])
    let before = fileSystem.callCount
    try store.journals[0].write([.create("Book", "2", value)])
    let calls = fileSystem.callCount - before
    // The names are gone at the last of the calls, which checks the lock once more.
    fileSystem.setFault(.init(kind: .vanishing, calls: before + calls * 2 - 1..<before + calls * 2))
    let removed = FileEngineError.lockRemoved(directory: ScriptedStore.directory)
    #expect(throws: removed) { try store.journals[0].write([.create("Book", "3", value)]) }
    #expect(throws: removed) { try store.journals[0].sync() }
    #expect(store.journals[0].contents.entry("Book", "3") == nil)
    #expect(store.journals[0].contents.entry("Book", "2") != nil)
  }

  @Test func `A store takes a new lock if the one that it has found was removed meanwhile`() async throws {
    try await withTemporaryDirectory { directory in
      let removals = Lock(2)
      let fileSystem = HookedFileSystem(base: PosixFileSystem(), willList: {}) { path in
        guard path.hasSuffix("/lock") else { return }
        let isDue = removals.withLock { rest in
          rest -= 1
          return rest >= 0
        }
        if isDue { try? FileManager.default.removeItem(atPath: path) }
      }
      let first = FileEngine(directory: directory, fileSystem: fileSystem)
      try await first.open()
      #expect(removals.withLock { $0 } < 0)
      let error = await #expect(throws: FileEngineError.self) { try await makeEngine(directory).open() }
      guard case .locked = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      try await first.write([.create("Book", "1", value)])
      try await first.close()
    }
  }
}

@Suite struct `A URL for a store` {
  @Test(arguments: ["https://example.com/people.store", "people.store", "file:///tmp/people%00.store"])
  func `A URL for a store that is not a file URL is refused by the first call, and nothing is created`(text: String)
    async throws
  {
    let url = try #require(URL(string: text))
    for mode in [FileStoreMode.readWrite, .readOnly] {
      let store = FileModelStore(directory: url, options: FileStoreOptions(mode: mode))
      for _ in 1...2 {
        let error = await #expect(throws: ModelStoreError.self) { try await store.open() }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("'\(text)' can't be a store") == true)
      }
      try await store.close()
    }
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: URL(filePath: directory))
      await #expect(throws: ModelStoreError.self) { try await store.backup(to: url) }
      await #expect(throws: ModelStoreError.self) { try await store.exportJSON(to: url) }
      await #expect(throws: ModelStoreError.self) { try await store.importJSON(from: url) }
      try await store.close()
    }
  }

  @Test func `A URL for a store with a zero byte is refused before any of its folders is made`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/a\0b/store"
      let error = FileEngineError.noPath(path, reason: "it has a zero byte")
      await #expect(throws: error) { try await FileEngine(directory: path).open() }
      await #expect(throws: ModelStoreError.self) { try await FileModelStore(directory: URL(filePath: path)).open() }
      #expect(FileManager.default.enumerator(atPath: directory)?.nextObject() == nil)
    }
  }
}
