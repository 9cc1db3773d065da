@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The approximate maximum number of bytes of one write call, except for a single batch. Batches that are written
/// together are also rejected together if the disk is full.
private let largestAppend = 8 << 20

// Requests of the same time are written together.
extension Writer {
  mutating func write(_ requests: inout GroupTable<[WriteRequest]>) {
    for (group, requests) in requests.elements {
      var gathered: [WriteRequest] = []
      var size = 0
      for request in requests where request.pickUp() {
        if !gathered.isEmpty, size + request.size > largestAppend {
          write(gathered, in: group)
          gathered = []
          size = 0
        }
        gathered.append(request)
        size += request.size
      }
      if !gathered.isEmpty { write(gathered, in: group) }
    }
    requests = [:]
  }

  /// Writes requests of one group together. A request that read records that others change is written after
  /// them.
  private mutating func write(_ requests: [WriteRequest], in group: String) {
    guard requests.contains(where: { $0.reads != nil }) else { return writeTogether(requests, in: group) }
    var together: [WriteRequest] = []
    for request in requests {
      if let reads = request.reads, together.contains(where: { reads.contain($0.changes) }) {
        writeTogether(together, in: group)
        together = []
      }
      // All earlier changes are published.
      if let conflict = request.reads?.conflict { request.finish(.failure(conflict)) } else { together.append(request) }
    }
    if !together.isEmpty { writeTogether(together, in: group) }
  }

  /// Writes requests of one group with one call and at most one sync.
  private mutating func writeTogether(_ requests: [WriteRequest], in group: String) {
    due.insert(ExactText(group))
    guard let journal = journals[group] else {
      for request in requests { request.finish(.failure(FileEngineError.closed(directory: directory))) }
      return
    }
    let requests = refuseCreations(requests, to: journal)
    if requests.isEmpty { return }
    wake(group)
    let isDurable = requests.contains { $0.durability == .everyCommit }
    var results = journal.commit(requests.map(\.changes), isDurable: isDurable)
    writeDeletions(requests, &results, to: journal)
    if !journal.needsSync {
      deadlines[group] = nil
    } else {
      for case .interval(let interval) in requests.map(\.durability) {
        let deadline = clock.nanoseconds() &+ interval.clampedNanoseconds
        deadlines[group] = min(deadlines[group] ?? deadline, deadline)
      }
    }
    for (request, result) in zip(requests, results) {
      if case .success = result { options.reporter?(group, request.changes) }
      request.finish(result)
    }
  }
}
