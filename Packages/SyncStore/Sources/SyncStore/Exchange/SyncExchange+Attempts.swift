@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The state of an entry after an attempt to send it.
enum SendOutcome {
  /// It needs nothing more.
  case finished
  /// The entry waits, and so do its dependants.
  case held
  /// The entry needs another request.
  case again
  /// The entry needs a request in another pass, which gives it another order.
  case later
}

extension SyncExchange {
  /// Makes a request for an entry, or reads the record if the outcome of an earlier request is unknown.
  ///
  /// - Throws: `ModelStoreError` if no request can succeed now, ``LocalFailure``, or ``DamagedEntry``.
  func attempt<M: Model>(_ type: M.Type, _ identifier: String) async throws -> SendOutcome {
    let name = M.typeName
    let lane = try await step(name, identifier) { _ in }
    guard let entry = lane.entry else { return .finished }
    if entry.isParked { return .held }
    let isTemporary = engine.options.isTemporary(name, identifier)
    if let flight = entry.flight {
      if PlantedFault.isPlanted(.abandonsUnansweredRequest) { return .held }
      // The server's record shows whether the request took effect; whether a creation did, only its key does: the
      // record may be deleted since.
      guard flight.isCreation, isTemporary || remote.hasKeys else {
        return try await readBack(type, identifier, after: .silence)
      }
      // There is no identifier to read it by. Without keys it would have been found among the records that were pulled.
      if !remote.hasKeys, !pulledTypes.contains(name) { return .held }
      // The stored answer to a repeated request may be older than the record.
      let repeated = try await step(name, identifier) { $0.entry?.flight?.isOutdated = true }
      guard let flight = repeated.entry?.flight else { return .again }
      return try await send(flight, type, identifier, isTemporary, over: nil)
    }
    var (model, current): (M?, Lane) = (nil, lane)
    defer { if let model { remote.release(model) } }
    if entry.base != nil {
      // So that the request is about the version that the server has now, and is rejected if that changes in between.
      guard let found = try await version(type, identifier) else { return .held }
      model = found.model
      let deleted = try await deletedReferences(of: lane, type)
      current = try await step(name, identifier) {
        let remote = found.record($0.entry?.base)
        $0.accept(remote, without: deleted, of: type, store.references)
        $0.rebase(on: remote, resolve: resolver(name))
      }
      if model == nil {
        try await cutReferences(toRemoved: identifier, name, current)
        current = try await step(name, identifier) { _ in }
      }
    }
    do {
      try await prepareReferences(of: current, type, identifier)
    } catch let error as ModelStoreError {
      return try await noteUnread(error, name, identifier)
    }
    var flight: OutboxEntry.Flight?
    let key = environment.makeIdentifier()
    var isUnscheduled = false
    let next = try await step(name, identifier) { lane in
      // A record that was deleted since has to wait for those that reference it.
      isUnscheduled = lane.local == nil && !scheduledDeletions.contains(OutboxEntry.recordName(name, identifier))
      flight = isUnscheduled ? nil : request(type, identifier, key, in: &lane)
    }
    if isUnscheduled, next.entry != nil { return .later }
    guard let flight else { return next.entry == nil ? .finished : .held }
    return try await send(flight, type, identifier, isTemporary, over: model)
  }

  /// Replaces or removes references that the server would reject.
  ///
  /// - Throws: the errors of the remote store, ``LocalFailure``, or ``DamagedEntry``.
  func prepareReferences<M: Model>(of lane: Lane, _ type: M.Type, _ identifier: String) async throws {
    let next = try await replaceMappedReferences(of: lane, type, identifier)
    try await cutDanglingReferences(of: next, type, identifier)
  }

  /// Freezes the request of a lane; nil if there is nothing to send.
  func request<M: Model>(
    _ type: M.Type, _ identifier: String, _ key: String, in lane: inout Lane
  ) -> OutboxEntry.Flight? {
    // The server has the records that its version references, whatever their identifiers are.
    let known = store.references.names(in: lane.entry?.base ?? [:], of: type)
    let identifierKey = engine.options.isTemporary(M.typeName, identifier) ? identifierKey(of: type) : nil
    return lane.request({ key }, omitting: identifierKey) {
      PlantedFault.isPlanted(.keepsTemporaryReferences)
        ? $0 : withoutAwaitedReferences($0, type, identifier, besides: known)
    }
  }

  /// Sends a request, and stores its outcome.
  private func send<M: Model>(
    _ flight: OutboxEntry.Flight, _ type: M.Type, _ identifier: String, _ isTemporary: Bool, over version: M?
  ) async throws -> SendOutcome {
    let answer = await remote.answer(to: flight, type, identifier, isTemporary: isTemporary, over: version)
    note(answer, to: flight, M.typeName, identifier)
    return try await settle(answer, to: flight, type, identifier, isTemporary)
  }

  /// Counts an answer in the report.
  func note(_ answer: RemoteAnswer, to flight: OutboxEntry.Flight, _ type: String, _ identifier: String) {
    switch answer {
    case .stored:
      noteAnswer()
      report.pushed += 1
      awaited.remove(OutboxEntry.recordName(type, identifier))
      emit(.sent(type: type, identifier: identifier, kind: flight.kind))
    case .failed(let error): noteFault(error)
    }
  }

  /// Stores the outcome of a request.
  ///
  /// - Throws: `ModelStoreError` if no request can succeed now, ``LocalFailure``, or ``DamagedEntry``.
  func settle<M: Model>(
    _ answer: RemoteAnswer, to flight: OutboxEntry.Flight, _ type: M.Type, _ identifier: String, _ isTemporary: Bool
  ) async throws -> SendOutcome {
    let name = M.typeName
    if let (other, record) = answer.replacement(of: identifier) {
      return try await take(other, record, flight, type, identifier, isTemporary)
    }
    if case .failed(let error) = answer, RemoteFault.endsExchange(error) {
      try await step(name, identifier) { _ = $0.take(answer.laneAnswer, hasKeys: true, random: 0) }
      throw error
    }
    var next = Lane.Next.wait
    let random = environment.random()
    let lane = try await step(name, identifier) {
      next = $0.take(answer.laneAnswer, hasKeys: remote.hasKeys, random: random, resolve: resolver(name))
    }
    return try await follow(next, after: answer, flight, lane, type, identifier, isTemporary)
  }

  /// Takes the answer to a creation that has another identifier than was sent.
  private func take<M: Model>(
    _ other: String, _ record: AttributeDictionary, _ flight: OutboxEntry.Flight, _ type: M.Type,
    _ identifier: String, _ isTemporary: Bool
  ) async throws -> SendOutcome {
    let name = M.typeName
    if !isTemporary, try await step(name, identifier, { _ in }).entry?.wasDeleted != true {
      return try await noteOtherIdentifier(other, name, identifier)
    }
    // The stored answer to a repeated request may be older than the record, which may even be deleted.
    var current: AttributeDictionary? = record
    if flight.isOutdated {
      do {
        current = try await remote.find(type, other)?.record(over: record)
      } catch {
        // The error is not about the request, which took effect: only a record that can't be read is taken as it
        // was.
        let error = RemoteFault.storeError(error)
        guard case .refused(403, _, _, _) = RemoteFault.answer(error) else {
          return try await noteUnread(error, name, identifier)
        }
      }
    }
    try await assign(type, identifier, other, { _ in record }) { [current] lane, _ in
      lane.entry?.flight?.isOutdated = false
      _ = lane.take(.stored(record), hasKeys: true, random: 0, resolve: resolver(name))
      if flight.isOutdated { lane.rebase(on: current, resolve: resolver(name)) }
    }
    if current == nil {
      try await cutReferences(toRemoved: other, name, try await step(name, other) { _ in })
    }
    return .again
  }

  /// Does what an answer requires, after its lane has taken it.
  func follow<M: Model>(
    _ next: Lane.Next, after answer: RemoteAnswer, _ flight: OutboxEntry.Flight, _ lane: Lane, _ type: M.Type,
    _ identifier: String, _ isTemporary: Bool
  ) async throws -> SendOutcome {
    let name = M.typeName
    switch (next, answer.laneAnswer) {
    case (.read, .stored): return try await readBack(type, identifier, after: .success)
    case (.read, .refused) where isTemporary && flight.isCreation:
      // The server can't have a record with this identifier.
      let next = try await step(name, identifier) { $0.read(nil, after: .refusal) }
      return outcome(of: next, name, identifier)
    case (.read, .unreadable) where flight.isCreation && (isTemporary || lane.entry?.wasDeleted == true):
      // The identifier that the server has assigned is not known, so its record can't be read.
      guard case .failed(let error) = answer, !pulledTypes.contains(name) else {
        return outcome(of: try await step(name, identifier) { $0.park() }, name, identifier)
      }
      delay(name, identifier, by: delay(lane.entry?.attempts ?? 1, after: error))
      fail(name, identifier, error)
      return .held
    case (.read, .refused(412, _, _, _)): return try await readBack(type, identifier, after: .otherVersion)
    case (.read, .refused): return try await readBack(type, identifier, after: .refusal)
    case (.read, .unreadable): return try await readBack(type, identifier, after: .nonsense)
    case (.read, .none), (.retry, _):
      if case .retry(let milliseconds) = next { delay(name, identifier, by: milliseconds) }
      if let message = lane.entry?.error {
        fail(name, identifier, ModelStoreError(.server, message, identifier: identifier))
      }
      return .held
    case (.wait, _): return outcome(of: lane, name, identifier)
    }
  }

  private func outcome(of lane: Lane, _ type: String, _ identifier: String) -> SendOutcome {
    guard let entry = lane.entry else { return .finished }
    guard entry.isParked else { return .again }
    if entry.conflict != nil { return .held }
    fail(
      type, identifier,
      ModelStoreError(
        .invalid, entry.error ?? "The server rejected the record.", identifier: identifier, fields: entry.fields))
    return .held
  }

  /// Parks a record that the server stored with another identifier than the one that was sent. Its request stays as it
  /// is.
  private func noteOtherIdentifier(
    _ other: String, _ type: String, _ identifier: String
  ) async throws -> SendOutcome {
    let message = """
      The server stored the \(type) \(identifier.quotedForMessage) with the identifier \(other.quotedForMessage), so the local \
      one waits in the outbox. Discard its changes, or declare with SyncOptions.isTemporary that the server replaces such identifiers.
      """
    let lane = try await step(type, identifier) { lane in
      lane.entry?.note(message)
      lane.park()
    }
    return outcome(of: lane, type, identifier)
  }

  /// Reads the server's record to find out whether the request in flight took effect.
  private func readBack<M: Model>(
    _ type: M.Type, _ identifier: String, after reason: Lane.ReadReason
  ) async throws -> SendOutcome {
    guard let found = try await version(type, identifier) else { return .held }
    defer { found.model.map(remote.release) }
    let kept = store.query(type)
    let isKept = try found.model.map { try kept.testableMatch($0) ?? true } ?? true
    let lane = try await step(M.typeName, identifier) { lane in
      let isMark = !isKept && lane.entry?.isCreatedAgain == true
      // A value that the server never had is not one that was sent.
      lane.read(isMark ? nil : found.record(lane.entry?.base), after: reason, resolve: resolver(M.typeName))
    }
    if found.model == nil { try await cutReferences(toRemoved: identifier, M.typeName, lane) }
    return outcome(of: lane, M.typeName, identifier)
  }

  /// The server's version of a record, or its absence.
  private struct Version<M: Model> {
    var model: M?
    var answer: RemoteRecord.Values?

    func record(_ other: AttributeDictionary?) -> AttributeDictionary? { answer?.record(over: other) }
  }

  /// Reads the server's version of a record.
  ///
  /// - Returns: nil if it can't be read now; the error is noted.
  /// - Throws: `ModelStoreError` if no request can succeed now.
  private func version<M: Model>(_ type: M.Type, _ identifier: String) async throws -> Version<M>? {
    do {
      let found = try await remote.model(type, identifier)
      noteAnswer()
      guard let model = found else {
        if pulledTypes.contains(M.typeName) { return Version() }
        // During a faulty deployment a server answers every path in this way. One that answers the list is believed.
        try await pull(type)
        return pulledTypes.contains(M.typeName) ? try await version(type, identifier) : nil
      }
      do {
        return Version(model: model, answer: try remote.record(of: model).parsed())
      } catch {
        remote.release(model)
        throw error
      }
    } catch {
      _ = try await noteUnread(RemoteFault.storeError(error), M.typeName, identifier)
      return nil
    }
  }

  /// Records that a record of the server could not be read, so that the entry has to wait.
  private func noteUnread(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws -> SendOutcome {
    let lane = try await step(type, identifier) { lane in
      lane.entry?.attempts += 1
      lane.entry?.note(error.message)
      // The login page of a network answers every request in this way. A server that answers the list is believed.
      if RemoteFault.isUnreadable(error), pulledTypes.contains(type) { lane.park() }
    }
    noteFault(error)
    delay(type, identifier, by: delay(lane.entry?.attempts ?? 1, after: error))
    if RemoteFault.endsExchange(error) { throw error }
    fail(type, identifier, error)
    return .held
  }
}
