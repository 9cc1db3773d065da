import Foundation
import ModelKit
import Testing

private final class Team: Model {
  @Field var id: Int?
  @Field var name: String?
  override var identifierField: AnyField? { $id }
}

private final class Job: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var team: Team?
  override var identifierField: AnyField? { $id }
}

@MainActor @Suite struct `References to records of a failed transaction` {
  private struct Refusal: Error {}

  @Test func `A reference without a record has no values of a record that was rolled back`() async throws {
    let store = MemoryModelStore()
    store.scope.conflictHandler = { _ in }
    try await store.importModels(Job.self, fromJSON: Data(#"[{"id": 1, "team": 7}]"#.utf8))
    let job = try await store.lookup(Job.self, identifier: "1")
    let reference = try #require(job.team)
    do {
      try await store.transaction { store in
        let team = Team()
        (team.id, team.name) = (7, "Reds")
        try await store.create(team)
        _ = try await store.list(Team.self)
        throw Refusal()
      }
    } catch is Refusal {}
    #expect(job.team === reference && reference.name == nil && !reference.isPersisted)
    #expect(!job.isDirty && !reference.isDirty)
    #expect(try await store.count(Team.self) == 0)
    await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(Team.self, identifier: "7") }
  }
}
