// The call sites of live results that the documentation shows, as users write them. Compiled in both default
// isolations.
import ModelKit
import Testing

@MainActor final class LiveMemberList {
  let store: MemoryModelStore
  var members: [Member] = []

  init(_ store: MemoryModelStore) { self.store = store }

  func watch(until count: Int) async {
    for await people in store.observe(Member.self, where: { $0.age > 30 }) {
      members = people.models
      if members.count == count { break }
    }
  }
}

@Suite struct `Call sites of live results` {
  @Test func `Call sites of live results observing a query`() async throws {
    let store = MemoryModelStore()
    _ = try await store.create(Member("Ada", age: 36))
    for await people in store.observe(Member.self, where: { $0.age > 30 }) {
      #expect(people.models.map(\.name.value) == ["Ada"])
      #expect(people.differences.inserted.count == 1)
      #expect(people.error == nil)
      break
    }
    for await page in store.observe(Member.self, sort: [.ascending(\.name)], limit: 20, offset: 0) {
      #expect(page.count == 1)
      break
    }
  }

  @Test func `Call sites of live results listening to changes`() async throws {
    let store = MemoryModelStore()
    let changes = store.changes(of: Member.self)
    let ada = try await store.create(Member("Ada", age: 36))
    ada.age.value = 37
    try await store.save(ada)
    try await store.delete(ada)
    var kinds: [String] = []
    for await batch in changes {
      for change in batch {
        switch change {
        case .created(let identifier, let fields): kinds.append("created \(identifier) \(fields.contains("age"))")
        case .updated(let identifier, let fields): kinds.append("updated \(identifier) \(fields)")
        case .deleted(let identifier): kinds.append("deleted \(identifier)")
        }
      }
      if !batch.deleted.isEmpty { break }
    }
    #expect(kinds == ["created 1 true", "updated 1 [\"age\"]", "deleted 1"])
    _ = { (store: MemoryModelStore) in
      for await batch in store.changes(of: Member.self) { _ = batch.created.count + batch.updated.count }
    }
  }

  @Test @MainActor func `Call sites of live results a list on the main actor that follows`() async throws {
    let store = MemoryModelStore()
    let list = LiveMemberList(MemoryModelStore(store.handle))
    let task = Task { await list.watch(until: 1) }
    _ = try await store.create(Member("Ada", age: 36))
    await task.value
    #expect(list.members.map(\.name.value) == ["Ada"])
  }
}
