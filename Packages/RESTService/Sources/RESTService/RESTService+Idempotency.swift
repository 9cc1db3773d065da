@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) public import ModelCore
import RESTStore
import StoreProtocol

// Writes with an idempotency key.
extension RESTService {
  /// The classes that a service keeps in its store beside the served ones: responses to requests with the header
  /// `Idempotency-Key`. A store with tables needs one for each.
  public static var keptTypes: [any Model.Type] { [RecordedAnswer.self] }

  /// The number of recorded responses after which the expired ones are deleted.
  private static let recordsPerCleanup = 1_000

  /// Runs a write once: a repeated request gets the recorded response, if its user may still read it.
  func once<M: Model, S: TransactionalModelStore>(
    _ request: IdempotentRequest, _ type: M.Type, _ served: ServedType, _ call: ServiceCall, in store: S,
    _ body: (any TransactionalModelStore) async throws -> WrittenAnswer
  ) async throws -> HTTPResponseData {
    var (record, answer, first): (RecordedAnswer?, WrittenAnswer?, WrittenResponse?)
    var response = try await store.transaction { store in
      if let recorded = try await recorded(request, in: store) {
        return try await repeated(recorded, type, served, call, in: store)
      }
      let written = try await body(store)
      let response = try written()
      let created = RecordedAnswer(response, to: request, at: now())
      try await store.create(created)
      (record, answer, first) = (created, written, response)
      return response.http
    }
    if let record, let final = try answer?(), final != first {
      // Without the update, a repeated request would get the record as it was before the commit completed it.
      record.keep(final)
      _ = try? await store.update(record)
      response = final.http
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

  private func recorded<S: ModelStore>(_ request: IdempotentRequest, in store: S) async throws -> RecordedAnswer? {
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
    return recorded
  }

  /// Returns a recorded response in the dialect of the service, without the fields that are hidden by now.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound` if the user may no longer read the record. The rules are
  ///   applied to the current record, or to the recorded one if that was deleted. ``ServiceProblem`` with the status 409
  ///   if the class can't read the recorded record.
  private func repeated<M: Model, S: ModelStore>(
    _ recorded: RecordedAnswer, _ type: M.Type, _ served: ServedType, _ call: ServiceCall, in store: S
  ) async throws -> HTTPResponseData {
    let status = recorded.status.value ?? 200
    // Only the response to a deletion has no record.
    if status == 204 { return HTTPResponseData(status: status) }
    guard case .object(let record)? = recorded.record.value,
      let model = try? makeScope().models(type, from: [record], localChanges: .overwrite).first,
      let identifier = model.identifier
    else {
      throw ServiceProblem(
        409,
        """
        This request took effect when it was sent first. Its response can't be repeated, because the fields of \
        \(M.typeName) have changed since. Read the record.
        """)
    }
    var current = model
    do {
      current = try await store.lookup(type, identifier: identifier)
    } catch let error as ModelStoreError where error.code == .notFound {}
    // A user who may create records, and not read them, got the response as well.
    let actions: [RESTAccess.Action] = status == 201 ? [.read, .create] : [.read]
    guard actions.contains(where: { served.allows($0, current, call.request) }) else {
      throw ModelStoreError.notFound(M.typeName, identifier: identifier)
    }
    var response = response(status, try version(of: model, record, served))
    if call.method == "POST" { response.headers["Location"] = location(of: identifier, served) }
    return response
  }

  private func deleteExpired<S: ModelStore>(in store: S) async throws {
    let expiry = expiry
    try await store.deleteAll(RecordedAnswer.self, where: { $0.createdAt < expiry })
  }

  private var expiry: Date {
    now().addingTimeInterval(-((options.answerRetention ?? .zero) / .seconds(1)))
  }
}
