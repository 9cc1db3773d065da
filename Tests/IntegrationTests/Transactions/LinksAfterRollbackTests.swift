import Foundation
import ModelKit
import Testing

private final class Team: Model {
  @Field var id: Int?
  @Required var name = "Team"
  @ModelArrayField var jobs: [Job]?
  override var identifierField: AnyField? { $id }
}

private final class Job: Model {
  @Field var id: Int?
  @Required var title = "Job"
  @Field var memo: String?
  @ModelField(foreignKey: true, inverse: \.$jobs) var team: Team?
  override var identifierField: AnyField? { $id }
}

@MainActor @Suite struct `Links after a transaction that failed` {
  private struct Refusal: Error {}

  @Test(arguments: [false, true], [false, true])
  func `A model that the transaction read first keeps its stored link, even beside a read by another task`(
    isPartial: Bool, isReadElsewhere: Bool
  ) async throws {
    let store = MemoryModelStore()
    do {
      let team = try await store.create(Team()), job = Job()
      job.team = team
      try await store.create(job)
      try await store.create(Job())
    }
    let other = try await store.lookup(Job.self, identifier: "2")
    other.team = try await store.lookup(Team.self, identifier: "1")
    do {
      try await store.transaction { store in
        let job = try await store.lookup(Job.self, identifier: "1")
        job.memo = "written"
        if isPartial { try await store.update(job, fields: [job.$memo]) } else { try await store.save(job) }
        let read: @MainActor @Sendable () async throws -> Void = {
          if isReadElsewhere { _ = try await store.lookup(Job.self, identifier: "1") }
        }
        try await Task.detached { try await read() }.value
        throw Refusal()
      }
    } catch is Refusal {}
    let job = try await store.lookup(Job.self, identifier: "1")
    #expect(job.team?.id == 1)
    #expect(!job.isDirty)
    #expect(job.team?.jobs == [other, job] || job.team?.jobs == [job, other])
    job.title = "New"
    try await store.save(job)
    #expect(try await MemoryModelStore(store.handle).lookup(Job.self, identifier: "1").team?.id == 1)
    #expect(other.team === job.team && other.$team.isDirty)
  }

  @Test(arguments: [false, true], [false, true])
  func `A new model that was rolled back leaves a list as it was once it is released`(
    isLoaded: Bool, isSaved: Bool
  ) async throws {
    let store = MemoryModelStore()
    let team = try await store.create(Team())
    if isLoaded { #expect(try await store.list(in: team.$jobs).isEmpty) }
    let count = team.$jobs.count
    var kept: Job?
    for isKept in [false, true] {
      do {
        try await store.transaction { store in
          let job = Job()
          job.team = team
          if isSaved { try await store.save(job) }
          if isKept { kept = job }
          throw Refusal()
        }
      } catch is Refusal {}
      #expect(team.isDirty == isKept && store.scope.unsavedModels == (isKept ? [team] : []))
      #expect((team.jobs ?? []) == [kept].compactMap(\.self))
      if !isKept { #expect(team.$jobs.count == count) }
    }
    let job = try #require(kept)
    #expect(job.team === team && !job.isPersisted && job.identifier == nil)
    try await store.save(job)
    #expect(team.jobs == [job] && !team.isDirty && !job.isDirty)
    #expect(try await MemoryModelStore(store.handle).list(Job.self).map(\.team?.id) == [1])
  }

  @Test(arguments: ["save", "import", "import of both"])
  func `A nested transaction leaves no new model in a list`(kind: String) async throws {
    let store = MemoryModelStore()
    try await store.transaction { store in
      let team = try await store.create(Team())
      func edit(_ store: MemoryModelStore) async throws {
        switch kind {
        case "save":
          let job = Job()
          job.team = team
          try await store.save(job)
        case "import":
          try await store.importModels(Job.self, fromJSON: Data(#"[{"id": 2, "title": "i", "team": 1}]"#.utf8))
        default:
          let json = #"[{"id": 2, "title": "i", "team": {"id": 1, "name": "n"}}]"#
          try await store.importModels(Job.self, fromJSON: Data(json.utf8))
        }
        throw Refusal()
      }
      for _ in 0..<2 {
        do { try await store.transaction { store in try await edit(store) } } catch is Refusal {}
        #expect(team.jobs == [])
      }
      team.name = "New"
      try await store.save(team, including: .related)
    }
    #expect(try await MemoryModelStore(store.handle).list(Job.self).isEmpty)
    #expect(try await MemoryModelStore(store.handle).list(Team.self).map(\.name) == ["New"])
  }

  @Test(arguments: ["edit", "save", "link"])
  func `A new model that failed transactions inside another one edited is in no list`(kind: String) async throws {
    let store = MemoryModelStore()
    let team = try await store.create(Team())
    try await store.transaction { store in
      do {
        try await store.transaction { store in
          let job = Job()
          team.$jobs.add(job)
          do {
            try await store.transaction { store in
              switch kind {
              case "edit": job.title = "x"
              case "save": try await store.save(job)
              default: job.team = nil
              }
              throw Refusal()
            }
          } catch is Refusal {}
          throw Refusal()
        }
      } catch is Refusal {}
      #expect(team.jobs ?? [] == [])
      team.name = "New"
      try await store.save(team, including: .related)
    }
    #expect(try await store.count(Job.self) == 0)
    #expect(team.jobs ?? [] == [] && store.scope.unsavedModels.isEmpty)
  }

  @Test(arguments: [false, true])
  func `A new model that a failed nested transaction saved and deleted leaves the scope`(deletesTeam: Bool) async throws
  {
    let store = MemoryModelStore()
    let team = try await store.create(Team())
    do {
      try await store.transaction { store in
        let job = Job()
        team.$jobs.add(job)
        do {
          try await store.transaction { store in
            try await store.save(job)
            do {
              try await store.transaction { store in
                if deletesTeam { try await store.delete(team) } else { try await store.delete(job) }
                throw Refusal()
              }
            } catch is Refusal {}
            throw Refusal()
          }
        } catch is Refusal {}
        job.title = "x"
        throw Refusal()
      }
    } catch is Refusal {}
    #expect((team.jobs ?? []).isEmpty)
    #expect(store.scope.unsavedModels.allSatisfy { $0 === team })
    try await store.save(team, including: .related)
    #expect(try await store.count(Job.self) == 0)
  }

  @Test func `A new model of a nested transaction is released if that is rolled back after a deletion inside it`()
    async throws
  {
    let store = MemoryModelStore()
    let (team, other) = (try await store.create(Team()), try await store.create(Owner()))
    let part = Part()
    part.owner = other
    try await store.transaction { store in
      do {
        try await store.transaction { store in
          try await store.transaction { store in
            let job = Job()
            team.$jobs.add(job)
            try await store.save(job)
            try await store.save(part)
            try await store.delete(other)
          }
          throw Refusal()
        }
      } catch is Refusal {}
      #expect(team.jobs ?? [] == [])
      try await store.save(team, including: .related)
    }
    #expect(try await store.count(Job.self) == 0)
    #expect(part.owner === other && other.isPersisted && !part.isPersisted)
  }
}

private final class Owner: Model {
  @Field var id: Int?
  @ModelArrayField(deleteRule: .cascade) var parts: [Part]?
  override var identifierField: AnyField? { $id }
}

private final class Part: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$parts) var owner: Owner?
  override var identifierField: AnyField? { $id }
}
