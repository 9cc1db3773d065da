import FileStore
import Foundation
import MemoryStore
import SyncStore

/// A number of durable creates, for counting their system calls.
enum DurableCreates {
  enum Side: String, CaseIterable {
    case modelKit = "modelkit"
    case offline
    case grdb
  }

  static func run(_ side: Side, count: Int, in place: StoreFolder.Place) async throws {
    let folder = try StoreFolder(in: place)
    defer { folder.remove() }
    let records = PersonRecord.samples(identifiers: 0..<count)
    switch side {
    case .modelKit:
      let store = FileModelStore(directory: folder.url.appending(path: "people.store"))
      try await store.open()
      for record in records { try await store.create(Person(record)) }
      try await store.close()
    case .offline:
      let files = FileModelStore(directory: folder.url.appending(path: "people.store"))
      try await files.open()
      let store = SyncModelStore(local: files, remote: MemoryModelStore(), types: [Person.self])
      for record in records { try await store.create(Person(record)) }
      try await files.close()
    case .grdb:
      let database = try GRDBPersons(in: folder.url)
      try await database.createOneByOne(records)
      try database.close()
    }
  }
}
