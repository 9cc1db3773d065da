import FileStore
import Foundation
import StoreProtocolTesting
import Testing

@Suite struct `A backup of a file store` {
  private func person(_ name: String) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    return person
  }

  private func withStore(_ body: (FileModelStore, URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let target = directory.deletingLastPathComponent().appending(path: "backup-\(UUID().uuidString)/monday.store")
      defer { try? FileManager.default.removeItem(at: target.deletingLastPathComponent()) }
      try await body(store, target)
      try await store.close()
    }
  }

  @Test func `A backup of a file store opens as a store with all groups, including those that are not open`()
    async throws
  {
    try await withStore { first, target in
      try await first.createAll([person("Ada"), person("Bob")])
      try await first.compact()
      try await first.group("Rare / é").create(person("Cleo"))
      try await first.close()
      let store = FileModelStore(directory: first.handle.directory)
      try await store.create(person("Dan"))
      try await store.backup(to: target)
      try await store.create(person("Eve"))
      try await store.close()

      let copy = FileModelStore(directory: target)
      #expect(try await copy.open() == [])
      #expect(try await copy.list(ContractPerson.self).map(\.name.value) == ["Ada", "Bob", "Dan"])
      #expect(try await copy.group("Rare / é").list(ContractPerson.self).map(\.name.value) == ["Cleo"])
      #expect(try await copy.verify() == [])
      try await copy.create(person("Fay"))
      try await copy.close()
      #expect(!FileManager.default.fileExists(atPath: target.path + ".unfinished"))
    }
  }

  @Test func `A backup beside writes, compactions and copies has complete transactions up to a commit`() async throws {
    try await withStore { store, target in
      let handle = store.handle
      try await store.create(person("first"))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let instance = FileModelStore(handle)
          for number in 0..<200 {
            try await instance.transaction { instance in
              for part in 0..<3 {
                let person = ContractPerson()
                person.name.value = "\(number).\(part)"
                try await instance.create(person)
              }
            }
          }
        }
        group.addTask { for _ in 0..<5 { try await FileModelStore(handle).compact() } }
        for number in 0..<4 {
          group.addTask { try await FileModelStore(handle).backup(to: target.appendingPathExtension("\(number)")) }
        }
        try await group.waitForAll()
      }
      let names = try await store.list(ContractPerson.self).compactMap(\.name.value)
      #expect(names.count == 601)
      for number in 0..<4 {
        let copy = FileModelStore(directory: target.appendingPathExtension("\(number)"))
        #expect(try await copy.open() == [])
        let copied = try await copy.list(ContractPerson.self).compactMap(\.name.value)
        #expect(copied.count % 3 == 1)
        #expect(copied == Array(names.prefix(copied.count)))
        try await copy.close()
      }
    }
  }

  @Test func `A backup of a file store to an occupied path is refused, and changes nothing there`() async throws {
    try await withStore { store, target in
      try await store.create(person("Ada"))
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      try await store.backup(to: target)
      let error = await #expect(throws: ModelStoreError.self) { try await store.backup(to: target) }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("not empty") == true)
      let copy = FileModelStore(directory: target)
      #expect(try await copy.count(ContractPerson.self) == 1)
      try await copy.close()
    }
  }

  @Test func `A backup of a file store leaves a file with its temporary name unchanged`() async throws {
    try await withStore { store, target in
      try await store.create(person("Ada"))
      let folder = target.appendingPathExtension("unfinished")
      let file = target.appendingPathExtension("unfinished-2")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: folder.appending(path: "notes.txt"))
      try Data("mine".utf8).write(to: file)
      try await store.backup(to: target)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["notes.txt"])
      #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
      #expect(try FileManager.default.contentsOfDirectory(atPath: target.deletingLastPathComponent().path).count == 3)
      await #expect(throws: ModelStoreError.self) { try await store.backup(to: target) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: target.deletingLastPathComponent().path).count == 3)
    }
  }

  @Test func `A backup of a file store into the store itself is refused`() async throws {
    try await withStore { store, target in
      try await store.create(person("Ada"))
      let directory = store.handle.directory
      let parent = target.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      let link = parent.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory)
      let before = try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted()
      let places = ["copy", "groups/copy", "groups/@default"].map { directory.appending(path: $0) }
      for place in [directory, link, link.appending(path: "copy")] + places {
        let error = await #expect(throws: ModelStoreError.self) { try await store.backup(to: place) }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("belongs to the store") == true)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted() == before)
      }
    }
  }

  @Test func `A backup of a file store that fails leaves no partial copy, and the store can be written`() async throws {
    try await withStore { store, target in
      try await store.create(person("Ada"))
      let parent = target.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      let file = parent.appending(path: "file")
      try Data("x".utf8).write(to: file)
      await #expect(throws: ModelStoreError.self) { try await store.backup(to: file.appending(path: "inside")) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == ["file"])
      try await store.create(person("Bob"))
      try await store.compact()
      try await store.backup(to: target)
    }
  }

  @Test(arguments: [0, 10])
  func `A backup of a file store skips a group whose journal was never begun`(length: Int) async throws {
    try await withStore { store, target in
      try await store.create(person("Ada"))
      let folder = store.handle.directory.appending(path: "groups/never")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(#"["c0cb13fa","segment""#.utf8.prefix(length)).write(to: folder.appending(path: "000001.journal"))
      try await store.backup(to: target)
      let copy = FileModelStore(directory: target)
      #expect(try await copy.count(ContractPerson.self) == 1)
      try await copy.close()
    }
  }

  @Test func `A backup of a file store is refused if the group of a folder is unknown`() async throws {
    try await withStore { store, target in
      try await store.create(person("Ada"))
      let folder = store.handle.directory.appending(path: "groups/lost")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("x\ny\n".utf8).write(to: folder.appending(path: "000001.journal"))
      let error = await #expect(throws: ModelStoreError.self) { try await store.backup(to: target) }
      #expect(error?.code == .corrupt)
    }
  }
}
