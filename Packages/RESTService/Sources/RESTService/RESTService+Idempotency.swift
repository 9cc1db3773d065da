@_spi(ModelKitInternals) import FieldKit
import Foundation
public import ModelCore
import RESTStore
import StoreProtocol

// Writes with an idempotency key.
extension RESTService {
  /// The classes that a service keeps in its store beside the served ones: responses to requests with the header
  /// `Idempotency-Key`. A store with tables needs one for each.
  public static var keptTypes: [any Model.Type] { [RecordedAnswer.self] }

  /// The number of recorded responses after which the expired ones are deleted.
  private static let recordsPerCleanup = 1_000

  /// Runs a write once: a repeated request gets the recorded response.
  func once<S: TransactionalModelStore>(
    _ request: IdempotentRequest, in store: S, _ body: (any TransactionalModelStore) async throws -> WrittenAnswer
  ) async throws -> HTTPResponseData {
    var (record, answer): (RecordedAnswer?, WrittenAnswer?)
    var response = try await store.transaction { store in
      if let recorded = try await recorded(request, in: store) { return recorded }
      let written = try await body(store)
      let response = try written()
      let created = RecordedAnswer(response, to: request, at: now())
      try await store.create(created)
      (record, answer) = (created, written)
      return response
    }
    if let record, let final = try answer?(), final != response {
      // Without the update, a repeated request would get the record as it was before the commit completed it.
      record.response = final
      _ = try? await store.update(record)
      response = final
    }
    if recordCount.withLock({ count in
      count += 1
      return count.isMultiple(of: Self.recordsPerCleanup)
    }) {
      // The response was committed. The next cleanup removes the rest.
      try? await deleteExpired(in: store)
    }
    return response
  }

  private func recorded<S: ModelStore>(_ request: IdempotentRequest, in store: S) async throws -> HTTPResponseData? {
    let recorded: RecordedAnswer
    do {
      recorded = try await store.lookup(RecordedAnswer.self, identifier: request.identifier)
    } catch let error as ModelStoreError where error.code == .notFound { return nil }
    if let date = recorded.createdAt.value, date < expiry {
      try await store.delete(recorded)
      return nil
    }
    guard recorded.request.value == request.digest else {
      throw ServiceProblem(422, "This Idempotency-Key belongs to another request. Nothing was written.")
    }
    return recorded.response
  }

  private func deleteExpired<S: ModelStore>(in store: S) async throws {
    let expiry = expiry
    try await store.deleteAll(RecordedAnswer.self, where: { $0.createdAt < expiry })
  }

  private var expiry: Date {
    now().addingTimeInterval(-((options.answerRetention ?? .zero) / .seconds(1)))
  }
}
