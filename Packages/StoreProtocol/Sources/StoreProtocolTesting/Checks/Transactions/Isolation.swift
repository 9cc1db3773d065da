import Dispatch
import FieldKit
import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Where the code of callers runs that a store calls back.
  static let isolation: [SharedEngineCheck] = [
    SharedEngineCheck("the body of a transaction stays in the isolation of its caller") { makeStore in
      try await Desk().transfer(makeStore)
    },
    SharedEngineCheck("a stream reads models in the isolation of its caller") { makeStore in
      try await Desk().stream(makeStore)
    },
  ]
}

/// An actor whose code can check that it runs there.
private actor Desk {
  private let executor = DeskExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func transfer(_ makeStore: @Sendable () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    try await transferAndCheck(in: store)
  }

  func stream(_ makeStore: @Sendable () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    for _ in 0..<3 { _ = try await store.create(DeskListener()) }
    var count = 0
    for try await listener in try await makeStore().stream(DeskListener.self) {
      try require(listener.wasReadAtDesk, "a stream reads models outside the isolation of its caller")
      count += 1
    }
    try requireEqual(count, 3, "the number of models")
  }
}

/// A model that notes where it is read.
private final class DeskListener: Model, ReadingHook {
  let id = Field<Int>()
  private(set) var wasReadAtDesk = false
  override var identifierField: AnyField? { id }

  func afterRead() { wasReadAtDesk = DeskExecutor.isRunning }
}

/// Not isolated itself: all that it runs has to stay where its caller is.
private func transferAndCheck(in store: any ModelStore) async throws {
  try requireDesk("before a transaction")
  try await ModelStoreContract.transaction(in: store) { store in
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    try requireDesk("after create in a transaction")
    _ = try await store.list(ContractPerson.self)
    try requireDesk("after list in a transaction")
    try await ModelStoreContract.transaction(in: store) { store in
      person.age.value = 2
      try await store.save(person)
      try requireDesk("after save in a nested transaction")
    }
  }
  try requireDesk("after a transaction")
}

private func requireDesk(_ moment: String) throws {
  try require(DeskExecutor.isRunning, "\(moment) the code of an actor does not run in its isolation")
}

private final class DeskExecutor: SerialExecutor {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "Desk")

  init() { queue.setSpecific(key: Self.key, value: true) }

  static var isRunning: Bool { DispatchQueue.getSpecific(key: key) == true }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
