import FileStore
import Foundation
import StoreProtocolTesting
import Testing

@Suite struct `A file store` {
  @Test(arguments: ModelStoreContract.checks)
  func `A file store keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await withTemporaryDirectory { directory in
      try await check.run { FileModelStore(directory: directory) }
    }
  }

  @Test(arguments: ModelStoreContract.sharedEngineChecks)
  func `A file store shares its engine between store instances`(check: ModelStoreContract.SharedEngineCheck)
    async throws
  {
    try await withTemporaryDirectory { directory in
      let handle = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none)).handle
      try await check.run { FileModelStore(handle) }
    }
  }

  @Test(arguments: ModelStoreContract.liveChecks)
  func `A file store keeps results up to date`(check: ModelStoreContract.SharedEngineCheck) async throws {
    try await withTemporaryDirectory { directory in
      let handle = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none)).handle
      try await check.run { FileModelStore(handle) }
    }
  }

  @Test(arguments: TestEffort.seeds(3))
  func `A store has one object for one identifier while several tasks write beside observers`(seed: UInt64) async throws
  {
    try await withTemporaryDirectory { directory in
      let handle = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none)).handle
      try await ModelStoreContract.randomObservers(20, seed: seed * 1_000).run { FileModelStore(handle) }
    }
  }

  @Test(arguments: TestEffort.seeds(2))
  func `A file store finds with random queries the same models as plain Swift`(seed: UInt64) async throws {
    try await withTemporaryDirectory { directory in
      let options = FileStoreOptions(durability: .none)
      try await ModelStoreContract.randomQueries(1_000, seed: seed).run {
        FileModelStore(directory: directory, options: options)
      }
    }
  }

  @Test(
    arguments: TestEffort.seeds(1).flatMap { seed in
      [ModelStoreContract.randomLinks(60, seed: seed), ModelStoreContract.randomEmployments(60, seed: seed)]
    })
  func `A file store has after random changes of relations the values of the models`(check: ModelStoreContract.Check)
    async throws
  {
    try await withTemporaryDirectory { directory in
      try await check.run { FileModelStore(directory: directory, options: FileStoreOptions(durability: .none)) }
    }
  }

  @Test(arguments: TestEffort.seeds(2))
  func `A file store loses no increment of several store instances unless a conflict is reported`(seed: UInt64)
    async throws
  {
    try await withTemporaryDirectory { directory in
      let handle = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none)).handle
      try await ModelStoreContract.randomEdits(100, seed: seed).run { FileModelStore(handle) }
    }
  }

  @Test(arguments: [false, true])
  func `A file store keeps pages stable while records are created, changed and deleted`(isIndexed: Bool) async throws {
    try await withTemporaryDirectory { directory in
      try await ModelStoreContract.randomPages(20 * TestEffort.factor, seed: 25).run {
        let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
        if isIndexed {
          try await store.index(\ContractPerson.age)
          try await store.index(\ContractPerson.height)
          try await store.index(\ContractPerson.name)
          try await store.index(\ContractPerson.isActive)
        }
        return store
      }
    }
  }

  @Test func `A reopened file store continues after a page mark, unless the record of the mark was deleted`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let query = ModelQuery(ContractPerson.self, sort: [.ascending(\.age)], limit: 2)
      let first = FileModelStore(directory: directory)
      for number in 1...6 {
        let person = ContractPerson()
        person.name.value = "n\(number)"
        person.age.value = 1
        try await first.create(person)
      }
      try await first.delete(try await first.lookup(ContractPerson.self, identifier: "1"))
      let page = try await first.page(query, after: nil)
      #expect(page.models.map(\.id.value) == [2, 3])
      let mark = try #require(page.next)
      try await first.close()
      let second = FileModelStore(directory: directory)
      #expect(try await second.page(query, after: mark).models.map(\.id.value) == [4, 5])
      try await second.delete(try await second.lookup(ContractPerson.self, identifier: "3"))
      try await second.close()
      let third = FileModelStore(directory: directory)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await third.page(query, after: mark) }
      #expect(error?.code == .invalid)
      try await third.close()
    }
  }

  @Test func `A file store has all records after it was closed and opened`() async throws {
    try await withTemporaryDirectory { directory in
      let first = FileModelStore(directory: directory)
      let company = ContractCompany()
      company.id.value = "acme"
      let person = ContractPerson()
      person.name.value = "Ada"
      person.company.value = company
      try await first.create(company)
      try await first.create(person)
      person.age.value = 36
      try await first.update(person)
      try await first.close()

      let second = FileModelStore(directory: directory)
      #expect(try await second.open() == [])
      let restored = try #require(try await second.list(ContractPerson.self).first)
      #expect(restored !== person)
      #expect(restored.name == "Ada")
      #expect(restored.age == 36)
      #expect(try await second.lookup(ContractCompany.self, identifier: "acme") === restored.company.value)
      let next = ContractPerson()
      next.name.value = "Grace"
      try await second.create(next)
      #expect(next.id.value == 2)
      try await second.close()
    }
  }

  @Test
  func
    `A file store lets store instances in two tasks change different fields of one model without undoing each other`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let person = ContractPerson()
      person.name.value = "Ada"
      person.age.value = 0
      try await store.create(person)
      let handle = store.handle
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<2 {
          group.addTask {
            let instance = FileModelStore(handle)
            for round in 1...10 {
              let person = try await instance.lookup(ContractPerson.self, identifier: "1")
              if task == 0 { person.age.value = round } else { person.height.value = Double(round) }
              try await instance.update(person)
            }
          }
        }
        try await group.waitForAll()
      }
      let final = try await FileModelStore(handle).lookup(ContractPerson.self, identifier: "1")
      #expect(final.age == 10)
      #expect(final.height == 10)
      #expect(final.name == "Ada")
      try await store.close()
    }
  }

  @Test func `A file store refuses a directory that another store has open and names the holder`() async throws {
    try await withTemporaryDirectory { directory in
      let first = FileModelStore(directory: directory)
      try await first.open()
      let error = await #expect(throws: ModelStoreError.self) {
        try await FileModelStore(directory: directory).open()
      }
      #expect(error?.code == .locked)
      #expect(error?.message.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
      try await first.close()
    }
  }

  @Test func `A closed file store refuses calls with an error that names the cause`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.close()
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(ContractPerson.self) }
      #expect(error?.message.contains("closed") == true)
    }
  }
}

/// Runs a test in a directory of its own, which is removed afterwards.
func withTemporaryDirectory(_ body: (URL) async throws -> Void) async throws {
  let directory = FileManager.default.temporaryDirectory.appending(path: "FileStoreTests-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: directory) }
  try await body(directory.appending(path: "store"))
}
