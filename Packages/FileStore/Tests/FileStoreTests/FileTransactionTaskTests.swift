import FileStore
import StoreProtocolTesting
import Testing

/// What happens through one front, in one isolation, while a transaction waits for something.
@MainActor @Suite struct `A transaction of a file store, beside other tasks` {
  private struct Refusal: Error {}

  @Test func `takes nothing in that another task does through the same front`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let (done, finish) = AsyncStream.makeStream(of: Void.self)
      let other = Task { @MainActor in
        for await _ in begun { break }
        let person = ContractPerson()
        person.name.value = "Grace"
        try await store.create(person)
        finish.yield()
      }
      await #expect(throws: Refusal.self) {
        try await store.transaction { store in
          let person = ContractPerson()
          person.name.value = "Ada"
          try await store.create(person)
          begin.yield()
          for await _ in done { break }
          #expect(try await store.list(ContractPerson.self).map(\.name.value) == ["Grace", "Ada"])
          throw Refusal()
        }
      }
      try await other.value
      #expect(try await store.list(ContractPerson.self).map(\.name.value) == ["Grace"])
      try await store.close()
    }
  }

  @Test func `stays apart from a transaction of another task`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let (done, finish) = AsyncStream.makeStream(of: Void.self)
      let other = Task { @MainActor in
        for await _ in begun { break }
        try await store.transaction { store in
          let person = ContractPerson()
          person.name.value = "Grace"
          try await store.create(person)
          #expect(try await store.list(ContractPerson.self).map(\.name.value) == ["Grace"])
        }
        finish.yield()
      }
      await #expect(throws: Refusal.self) {
        try await store.transaction { store in
          let person = ContractPerson()
          person.name.value = "Ada"
          try await store.create(person)
          begin.yield()
          for await _ in done { break }
          throw Refusal()
        }
      }
      try await other.value
      #expect(try await store.list(ContractPerson.self).map(\.name.value) == ["Grace"])
      try await store.close()
    }
  }

  @Test func `has what the tasks do that it begins`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      await #expect(throws: Refusal.self) {
        try await store.transaction { store in
          let part = Task { @MainActor in
            let person = ContractPerson()
            person.name.value = "Ada"
            try await store.create(person)
          }
          try await part.value
          #expect(try await store.list(ContractPerson.self).count == 1)
          throw Refusal()
        }
      }
      #expect(try await store.list(ContractPerson.self).count == 0)
      try await store.close()
    }
  }
}
