import Foundation
import ModelKit
import StoreEngine
import Testing

private class Job: Model {
  @Field var id: Int?
  @Field var kind: String?
  @ModelArrayField(inverse: \.$job) var materials: [Material]?
  override var identifierField: AnyField? { $id }
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "inspection" ? Inspection.self : dictionary["kind"] == "repair" ? Repair.self : nil
  }
}

private final class Inspection: Job {
  @Field var inspector: String?
  @ModelField(foreignKey: true) var follows: Job?
  required init() {
    super.init()
    kind = "inspection"
  }
}

private final class Repair: Job {
  @Required var cost = 1
  required init() {
    super.init()
    kind = "repair"
  }
}

private final class Material: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var job: Job?
  override var identifierField: AnyField? { $id }
}

/// A relation without an inverse.
private final class Note: Model {
  @Field var id: Int?
  @ModelArrayField(foreignKey: true) var jobs: [Job]?
  override var identifierField: AnyField? { $id }
}

@Suite struct `References to models of a hierarchy` {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "References-\(UUID().uuidString)")

  @Test func `A reference in a memory store has the class of its record before it is loaded`() async throws {
    let store = MemoryModelStore()
    try await check(store) { MemoryModelStore(store.handle) }
  }

  @Test func `A reference in a file store has the class of its record before it is loaded`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = FileModelStore(directory: directory)
    try await check(store) { FileModelStore(store.handle) }
    try await store.close()
  }

  @Test func `A reference in a file store that was opened again has the class of its record`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = FileModelStore(directory: directory)
    try await Self.fill(store)
    try await store.close()
    let again = FileModelStore(directory: directory)
    let note = try await again.list(Note.self).first
    let jobs = note?.jobs ?? []
    #expect(jobs.map { type(of: $0) == Inspection.self } == [false, true])
    #expect(try await again.list(Inspection.self).map(\.inspector) == ["Eve"])
    try await again.close()
  }

  @Test func `A reference in a synchronised store has the class of its record before it is loaded`() async throws {
    let store = SyncModelStore(
      local: MemoryModelStore(), remote: MemoryModelStore(), types: [Job.self, Material.self, Note.self])
    try await check(store) { SyncModelStore(store.handle) }
  }

  @Test func `A reference has the class of a record that only the open transaction has`() async throws {
    let store = MemoryModelStore()
    try await store.transaction { store in
      try await Self.fill(store)
      store.scope.remove(try await store.lookup(Inspection.self, identifier: "2"))
      let material = try #require(try await store.list(Material.self).first)
      #expect(material.job is Inspection)
    }
  }

  @Test func `A list that was released has members of the class of their records`() async throws {
    let first = MemoryModelStore()
    try await Self.fill(first)
    let store = MemoryModelStore(first.handle)
    let note = try #require(try await store.list(Note.self).first)
    weak let job = note.jobs?.last
    note.unload()
    #expect(job == nil)
    #expect(try await store.list(Note.self) == [note])
    #expect(note.jobs?.last is Inspection)
    #expect(Job.with(identifier: "2", in: store.scope) is Inspection)
  }

  @Test(arguments: [false, true])
  func `An import reads references before their targets, whose class the document has`(isStored: Bool) async throws {
    let store = MemoryModelStore()
    if isStored { try await Self.fill(store) }
    let json = #"[{"id": 8, "kind": "inspection", "follows": 9}, {"id": 9, "kind": "inspection", "inspector": "Bo"}]"#
    let report = try await store.importModels(Job.self, fromJSON: Data(json.utf8))
    #expect(report.created.count == 2 && report.rejected.isEmpty)
    let read = try await MemoryModelStore(store.handle).list(Inspection.self, where: { $0.id > 7 })
    #expect(read.map(\.inspector) == [nil, "Bo"])
    #expect(read.first?.follows === read.last)
  }

  @Test func `A unique index of a field of a subclass counts no record of another class`() async throws {
    let store = MemoryModelStore()
    try store.index(\Repair.cost, unique: true)
    for model in [Job(), Job(), Inspection(), Repair()] { try await store.save(model) }
    let error = await #expect(throws: ModelStoreError.self) { try await store.save(Repair()) }
    #expect(error?.code == .conflict)
    let repair = Repair()
    repair.cost = 5
    try await store.save(repair)
    // A record of an older version of the class.
    let old = RecordBatch([.create("Job", "77", Array(#"{"id": 77, "kind": "repair"}"#.utf8))])
    try store.handle.commit(old)
    let plain = MemoryModelStore()
    try plain.restore(store.snapshot())
    for store in [MemoryModelStore(store.handle), plain] {
      #expect(try await store.list(Repair.self, where: { $0.cost == 1 }).map(\.id) == [4, 77])
      #expect(try await store.list(Repair.self, where: { $0.cost != 1 }).map(\.id) == [6])
      #expect(try await store.list(Repair.self, where: { $0.cost == 5 }).map(\.id) == [6])
      #expect(try await store.list(Repair.self, where: { !($0.cost == 5) }).map(\.id) == [4, 77])
      #expect(
        try await store.list(Repair.self, where: { $0.cost > 0 }, sort: [.descending(\.cost)]).map(\.id) == [6, 4, 77])
    }
  }

  private static func fill(_ store: some ModelStore) async throws {
    let (job, inspection, material, note) = (Job(), Inspection(), Material(), Note())
    (job.id, inspection.id, inspection.inspector) = (1, 2, "Eve")
    (material.id, material.job, note.id, note.jobs) = (1, inspection, 1, [job, inspection])
    for model in [job, inspection, material, note] as [any Model] { try await store.save(model) }
  }

  private func check<S: ModelStore>(_ first: S, _ makeStore: () -> S) async throws {
    try await Self.fill(first)
    let orders: [(S) async throws -> Void] = [
      { try await _ = $0.list(Job.self) }, { try await _ = $0.list(Inspection.self) },
      { try await _ = $0.list(Material.self, including: [\.job]) },
      { try await _ = $0.lookup(Inspection.self, identifier: "2") },
      { try await _ = $0.lookup(Job.self, identifier: "2") },
    ]
    for read in orders {
      let store = makeStore()
      let materials = try await store.list(Material.self)
      let notes = try await store.list(Note.self)
      let job = try #require(materials.first?.job)
      #expect(job is Inspection)
      #expect(notes.first?.jobs?.map { $0 is Inspection } == [false, true])
      try await read(store)
      #expect(materials.first?.job === job)
      #expect(try await store.list(Inspection.self).map(\.inspector) == ["Eve"])
      #expect(try await store.list(Job.self).map { $0 is Inspection } == [false, true])
    }
    let store = makeStore()
    let job = try #require(try await store.list(Material.self).first?.job)
    let undo = ModelUndo(store.scope)
    try await store.delete(job)
    #expect(try await store.count(Inspection.self) == 0)
    try await store.save(undo.undo())
    let restored = try #require(try await makeStore().list(Inspection.self).first)
    #expect(restored.inspector == "Eve")
    #expect(try await makeStore().list(Material.self).first?.job?.id == 2)
  }
}
