@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

// Several lanes at once: creations of records that do not wait for each other.
//
// Only creations that follow each other in the outbox are sent together. An update or a deletion may free a unique value
// for a later entry, so the server has to receive them in order.
extension SyncExchange {
  /// The greatest number of requests that are recorded with one commit. After a crash their outcomes are unknown.
  private static var requestsPerCommit: Int { 64 }

  /// A creation of a group, with the request that its entry has recorded.
  private struct Member {
    var entry: OutboxEntry
    var request: RemoteRequest
  }

  /// The answer to the request of a member.
  private typealias Answered = (member: Member, answer: RemoteAnswer)

  /// Sends creations that do not wait for each other. Their requests are recorded together, and as many are in flight
  /// at the same time as ``SyncOptions/maximumConcurrentRequests`` allows.
  ///
  /// - Parameters:
  ///   - entries: the entries, in their order.
  ///   - held: receives the names of those that need something more.
  /// - Returns: whether they all need nothing more.
  /// - Throws: `ModelStoreError` if no request can succeed now, or ``LocalFailure``.
  func sendTogether(_ entries: [OutboxEntry], _ held: inout Set<ExactText>) async throws -> Bool {
    // Whether such a creation took effect is found by comparing it with the server's records only.
    let isUncertain = !remote.hasKeys && entries.contains { engine.options.isTemporary($0.type, $0.identifier) }
    let limit = isUncertain ? engine.options.maximumConcurrentRequests : Self.requestsPerCommit
    var (rest, failed) = (entries[...], Set<ExactText>())
    while !rest.isEmpty, !isUnanswered {
      let part = Array(rest.prefix(max(1, limit)))
      rest = rest.dropFirst(part.count)
      let members = part.count > 1 ? try await record(part) : []
      if !members.isEmpty { try await send(members, &failed) }
      let names = Set(members.map(\.entry.name))
      for entry in part where !names.contains(entry.name) && !isUnanswered {
        if try await !send(entry) { failed.insert(entry.name) }
        advance()
      }
    }
    held.formUnion(failed)
    return failed.isEmpty
  }

  /// Records the requests of creations with one commit.
  ///
  /// - Returns: those that can be sent. The others need steps of their own.
  private func record(_ entries: [OutboxEntry]) async throws -> [Member] {
    var ready: [(entry: OutboxEntry, modelClass: any Model.Type)] = []
    for entry in entries {
      guard let modelClass = store.modelClass(named: entry.type) else { continue }
      guard store.references.hasRelations(modelClass) else {
        ready.append((entry, modelClass))
        continue
      }
      do {
        let lane = try await step(entry.type, entry.identifier) { _ in }
        if lane.entry?.isUnsentCreation != true { continue }
        try await prepareReferences(of: lane, modelClass, entry.identifier)
        ready.append((entry, modelClass))
      } catch is DamagedEntry {
        continue
      } catch let error as ModelStoreError where !RemoteFault.endsExchange(error) {
        // Its own attempt reports the error.
        continue
      }
    }
    return try await locally {
      try await retryingMismatches {
        var (members, operations): ([Member], [RecordOperation]) = ([], [])
        for (entry, modelClass) in ready {
          guard let stored = try? await StoredLane(entry.type, entry.identifier, in: engine.local),
            stored.lane.entry?.isUnsentCreation == true
          else { continue }
          var lane = stored.lane
          guard let flight = request(modelClass, entry.identifier, environment.makeIdentifier(), in: &lane) else {
            continue
          }
          operations += try stored.operations(to: lane)
          let request = RemoteRequest(
            type: modelClass, identifier: entry.identifier,
            isTemporary: engine.options.isTemporary(entry.type, entry.identifier), flight: flight)
          members.append(Member(entry: entry, request: request))
        }
        try await store.commit(operations)
        return members
      }
    }
  }

  /// Sends recorded requests, and stores the answers as they arrive.
  private func send(_ members: [Member], _ failed: inout Set<ExactText>) async throws {
    var fatal: ModelStoreError?
    let count = min(engine.options.maximumConcurrentRequests, members.count)
    let rest: ArraySlice<Member>
    if count > 1, let makeStore = (remote.store as? any SharedModelStore)?.makeInstance {
      rest = try await send(members, through: count, makeStore, &failed, &fatal)
    } else {
      var (waiting, answered) = (members[...], [Answered]())
      while fatal == nil, !isUnanswered, let member = waiting.popFirst() {
        let answer = await remote.answer(to: member.request)
        answered.append((member, answer))
        if !answer.endsExchange, !waiting.isEmpty, !environment.storesAnswersAtOnce() { continue }
        try await settle(answered, &failed, &fatal)
        answered = []
      }
      if !answered.isEmpty { try await settle(answered, &failed, &fatal) }
      rest = waiting
    }
    if !rest.isEmpty {
      try await withdraw(rest)
      failed.formUnion(rest.map(\.entry.name))
    }
    if let fatal { throw fatal }
  }

  /// Sends requests in several lanes, each with an instance of the remote store.
  ///
  /// - Returns: the requests that were not sent, because no other one can succeed now.
  private func send(
    _ members: [Member], through count: Int, _ makeStore: @escaping @Sendable () -> any ModelStore,
    _ failed: inout Set<ExactText>, _ fatal: inout ModelStoreError?
  ) async throws -> ArraySlice<Member> {
    let lanes = AwaitedState(RequestLanes(members.map(\.request), count))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask { [context = remote.local] in
          let remote = RemoteRecords(makeStore(), local: context)
          while let (index, request) = lanes.withLock({ $0.next() }) {
            let answer = await remote.answer(to: request)
            for task in lanes.change({ $0.add(answer, at: index) }) { task.resume() }
          }
          for task in lanes.change({ $0.open -= 1 }) { task.resume() }
        }
      }
      while true {
        // A cancelled task does not wait.
        if Task.isCancelled { try await group.waitForAll() }
        await lanes.wait(isolation: #isolation) { !$0.answers.isEmpty || $0.open == 0 }
        let arrived = lanes.withLock { $0.take() }
        if arrived.isEmpty {
          if lanes.withLock({ $0.open }) == 0 { break }
          continue
        }
        try await settle(arrived.map { (members[$0.index], $0.answer) }, &failed, &fatal)
        if fatal != nil || isUnanswered { lanes.withLock { $0.isStopped = true } }
      }
    }
    return members[lanes.withLock { $0.sent }...]
  }

  /// Stores the answers that arrived, with one commit where each changes one record only.
  private func settle(
    _ answered: [Answered], _ failed: inout Set<ExactText>, _ fatal: inout ModelStoreError?
  ) async throws {
    for (member, answer) in answered {
      note(answer, to: member.request.flight, member.entry.type, member.entry.identifier)
    }
    let stored = try await take(answered)
    for (index, (member, answer)) in answered.enumerated() {
      let (entry, request) = (member.entry, member.request)
      func conclude<M: Model>(_ type: M.Type) async throws -> SendOutcome {
        guard let (next, lane) = stored[index] else {
          return try await settle(answer, to: request.flight, type, entry.identifier, request.isTemporary)
        }
        return try await follow(next, after: answer, request.flight, lane, type, entry.identifier, request.isTemporary)
      }
      do {
        if try await !send(entry, after: { try await conclude(request.type) }) { failed.insert(entry.name) }
      } catch let error as ModelStoreError {
        failed.insert(entry.name)
        fatal = fatal ?? error
      }
      advance()
    }
  }

  /// Performs the steps of lanes that take answers, with one commit.
  ///
  /// - Returns: the next steps and the lanes, by the indexes of the answers. The others need commits of their own.
  private func take(_ answered: [Answered]) async throws -> [Int: (next: Lane.Next, lane: Lane)] {
    let simple = answered.enumerated().filter { _, each in
      !each.answer.endsExchange && each.answer.replacement(of: each.member.entry.identifier) == nil
    }
    if simple.count < 2 { return [:] }
    let random = environment.random()
    do {
      return try await retryingMismatches {
        var steps: [Int: (next: Lane.Next, lane: Lane)] = [:]
        var (before, operations): ([(StoredLane, Lane)], [RecordOperation]) = ([], [])
        for (index, (member, answer)) in simple {
          let (type, identifier) = (member.entry.type, member.entry.identifier)
          guard let stored = try? await StoredLane(type, identifier, in: engine.local) else { continue }
          var lane = stored.lane
          let next = lane.take(
            answer.laneAnswer, hasKeys: remote.hasKeys, random: random, resolve: resolver(type))
          operations += try stored.operations(to: lane) { try note($0, type, identifier) }
          before.append((stored, lane))
          steps[index] = (next, lane)
        }
        try await store.commit(operations)
        for (stored, lane) in before { noteOutcome(stored, lane) }
        return steps
      }
    } catch let error as ModelStoreError where [.conflict, .invalid].contains(error.code) {
      // One of them breaks a local rule.
      return [:]
    } catch {
      throw LocalFailure(error: error)
    }
  }

  /// Removes requests from their entries that were not sent.
  private func withdraw(_ members: ArraySlice<Member>) async throws {
    try await locally {
      try await retryingMismatches {
        var operations: [RecordOperation] = []
        for member in members {
          let (type, identifier) = (member.entry.type, member.entry.identifier)
          guard let stored = try? await StoredLane(type, identifier, in: engine.local) else { continue }
          var lane = stored.lane
          lane.withdraw(member.request.flight)
          operations += try stored.operations(to: lane)
        }
        try await store.commit(operations)
      }
    }
  }
}

/// The requests that several lanes send, and the answers that arrived.
private struct RequestLanes: Sendable {
  private let requests: [RemoteRequest]
  /// The number of requests that were sent.
  private(set) var sent = 0
  /// The answers that are not stored yet.
  private(set) var answers: [(index: Int, answer: RemoteAnswer)] = []
  /// The number of lanes that have not ended.
  var open: Int
  /// Whether no other request is sent.
  var isStopped = false

  init(_ requests: [RemoteRequest], _ open: Int) { (self.requests, self.open) = (requests, open) }

  /// Returns the next request to send; nil if there is none.
  mutating func next() -> (index: Int, request: RemoteRequest)? {
    if isStopped || sent == requests.count { return nil }
    defer { sent += 1 }
    return (sent, requests[sent])
  }

  mutating func add(_ answer: RemoteAnswer, at index: Int) {
    answers.append((index, answer))
    if answer.endsExchange { isStopped = true }
  }

  /// Removes and returns the answers.
  mutating func take() -> [(index: Int, answer: RemoteAnswer)] {
    defer { answers = [] }
    return answers
  }
}
