import FileStore
import Foundation
import StoreProtocolTesting
import Synchronization
import Testing

@Suite struct `A file store in use` {
  private func person(_ name: String) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    return person
  }

  @Test func `A file store in use keeps its groups apart`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      let names = ["", "a", "A", "../../x", "\0", String(repeating: "k", count: 10_240), "caf\u{e9}", "cafe\u{301}"]
      for name in names { try await store.group(name).create(person("p" + name.prefix(5))) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 4)
      let copy = directory.deletingLastPathComponent().appending(path: "copy")
      try await store.backup(to: copy)
      try await store.close()
      for directory in [directory, copy] {
        let reopened = FileModelStore(directory: directory)
        for name in names {
          let found = try await reopened.group(name).list(ContractPerson.self).map { Array(($0.name.value ?? "").utf8) }
          #expect(found == [Array("p\(name.prefix(5))".utf8)])
        }
        try await reopened.close()
      }
    }
  }

  /// One of the models has an identifier already: its record names those of the others, too.
  @Test func `A file store in use reads new models of a batch with one shared author`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      let author = ContractAuthor()
      author.id.value = 5
      author.name.value = "Jane"
      let created = ["Emma", "Persuasion", "Sanditon"].map { title in
        let book = ContractBook()
        book.title.value = title
        book.author.value = author
        return book
      }
      created[1].id.value = 7
      try await store.createAll(created)
      for book in created {
        let alone = FileModelStore(store.handle)
        let found = try await alone.lookup(ContractBook.self, identifier: #require(book.identifier))
        #expect(found.author.value?.name.value == "Jane")
        #expect(found.author.value?.books.value?.map(\.id.value) == created.map(\.id.value))
      }
      let again = created.map(\.title.value).map { title in
        let book = ContractBook()
        book.title.value = title
        book.author.value = author
        return book
      }
      again[2].id.value = 7
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.createAll(again) }
      #expect(error?.code == .conflict)
      #expect(again.map(\.id.value) == [nil, nil, 7])
      try await store.close()
    }
  }

  @Test func `A file store in use refuses a transaction whose models another store instance changed meanwhile`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      let ada = try await store.create(person("Ada"))
      let other = FileModelStore(store.handle)
      let error = await #expect(throws: ModelStoreError.self) {
        try await store.transaction { store in
          ada.age.value = 36
          try await store.update(ada)
          try await store.create(person("Bob"))
          let same = try await other.lookup(ContractPerson.self, identifier: "1")
          same.age.value = 37
          try await other.update(same)
        }
      }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("\"1\"") == true)
      #expect(ada.age.value == 37 && !ada.isDirty)
      #expect(try await other.list(ContractPerson.self).map(\.age.value) == [37])
      try await store.close()
    }
  }

  @Test func `A file store in use writes a transaction of several types as one batch`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.transaction { store in
        let company = ContractCompany()
        company.id.value = "acme"
        try await store.create(company)
        let ada = person("Ada")
        ada.company.value = company
        try await store.create(ada)
        try await store.create(person("Bob"))
        try await store.delete(ada)
      }
      try await store.close()
      let journal = directory.appending(path: "groups/@default/000001.journal")
      let lines = try String(contentsOf: journal, encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 4)
      #expect(lines[1].contains(#""batch",1,2,0"#))
      let again = FileModelStore(directory: directory)
      #expect(try await again.list(ContractPerson.self).map(\.name.value) == ["Bob"])
      try await again.close()
    }
  }

  @Test func `A file store in use needs less space after it was compacted, while it is being read and written`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let people = try await store.createAll((0..<500).map { person("p\($0)") })
      for round in 1...4 {
        try await store.transaction { store in
          for person in people {
            person.age.value = round
            try await store.update(person)
          }
        }
      }
      func size() throws -> Int {
        let folder = directory.appending(path: "groups/@default")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
          .filter { $0.pathExtension == "journal" }
          .reduce(0) { try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
      }
      let before = try size()
      let handle = store.handle
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await FileModelStore(handle).compact() }
        for task in 0..<4 {
          group.addTask {
            let instance = FileModelStore(handle)
            for round in 0..<20 {
              let count = try await instance.list(ContractPerson.self).count
              #expect(count >= 500)
              let new = ContractPerson()
              new.name.value = "new \(task) \(round)"
              try await instance.create(new)
            }
          }
        }
        try await group.waitForAll()
      }
      try await store.compact()
      #expect(try await store.verify() == [])
      #expect(try await store.count(ContractPerson.self) == 580)
      #expect(try await FileModelStore(handle).list(ContractPerson.self).prefix(500).allSatisfy { $0.age.value == 4 })
      try await store.close()
      #expect(try size() < before / 3)
    }
  }

  @Test func `A file store in use can be read while it is written, and each read sees all earlier writes`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      let ada = try await store.create(person("Ada"))
      let reader = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
      let seen = try await reader.lookup(ContractPerson.self, identifier: "1")
      #expect(seen.name == "Ada")
      ada.name.value = "Augusta"
      try await store.update(ada)
      try await store.create(person("Bob"))
      #expect(try await reader.lookup(ContractPerson.self, identifier: "1") === seen)
      #expect(seen.name == "Augusta")
      #expect(try await reader.list(ContractPerson.self).count == 2)
      try await store.compact()
      try await store.create(person("Cleo"))
      #expect(try await reader.identifiers(ModelQuery(ContractPerson.self)) == ["1", "2", "3"])
      let error = await #expect(throws: ModelStoreError.self) { _ = try await reader.create(person("Dora")) }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("reading only") == true)
      #expect(try await reader.verify() == [])
      try await reader.close()
      try await store.close()
    }
  }

  @Test func `A file store reports damage that another program causes while it is open, with its location`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.createAll([person("Ada"), person("Bob")])
      #expect(try await store.verify() == [])
      let journal = directory.appending(path: "groups/@default/000001.journal")
      var bytes = try Data(contentsOf: journal)
      let place = try #require(bytes.range(of: Data("Bob".utf8)))
      bytes[place.lowerBound] ^= 1
      try bytes.write(to: journal, options: [])
      let issue = try #require(try await store.verify().first)
      #expect(issue.file.hasSuffix("groups/@default/000001.journal"))
      #expect(issue.offset <= place.lowerBound && issue.offset + issue.length > place.lowerBound)
      try await store.close()
    }
  }

  @Test func `The progress of a check rises to the whole journal`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      let name = String(repeating: "x", count: 3_000)
      try await store.createAll((0..<1_000).map { _ in person(name) })
      let reader = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
      for checked in [store, reader] {
        let fractions = Mutex<[Double]>([])
        #expect(try await checked.verify { fraction in fractions.withLock { $0.append(fraction) } } == [])
        let seen = fractions.withLock { $0 }
        #expect(seen == seen.sorted() && seen.first == 0 && seen.last == 1)
        #expect(seen.contains { $0 > 0.2 && $0 < 0.9 })
      }
      try await reader.close()
      try await store.close()
    }
  }

  @Test func `A file store in use acknowledges nothing any more when its directory was removed`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.create(person("Ada"))
      _ = try await FileModelStore(store.handle).lookup(ContractPerson.self, identifier: "1")
      try FileManager.default.removeItem(at: directory)
      for _ in 1...2 {
        let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(person("Bob")) }
        #expect(error?.code == .inputOutput)
      }
      #expect(try await FileModelStore(store.handle).list(ContractPerson.self).map(\.name.value) == ["Ada"])
      await #expect(throws: ModelStoreError.self) { try await store.close() }
    }
  }
}
