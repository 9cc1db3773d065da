import Foundation
import RESTStore
import StoreProtocol

/// A write that takes effect once, however often it is sent.
struct IdempotentRequest {
  static let header = "Idempotency-Key"
  private static let maximumLength = 255

  /// The user and the key: keys of different users are independent.
  let identifier: String
  /// A digest of the method, the address, the precondition and the body.
  let digest: String

  /// - Returns: nil for a request without a key.
  /// - Throws: ``ServiceProblem`` with the status 400 for a key that is empty or too long, or that the service doesn't
  ///   keep.
  init?(_ call: ServiceCall, _ options: RESTServiceOptions) throws {
    guard let key = call.headers[Self.header] else { return nil }
    guard options.answerRetention != nil else {
      throw ServiceProblem(400, "This service does not support the header Idempotency-Key.")
    }
    guard !key.isEmpty, key.utf8.count <= Self.maximumLength else {
      throw ServiceProblem(400, "The Idempotency-Key must have from 1 to \(Self.maximumLength) bytes.")
    }
    let user = call.request.user.map { JSONValue.string($0) } ?? .null
    identifier = try JSONValue.array([user, .string(key)]).jsonString()
    // A dialect may name the record in the query.
    let items = call.request.http.url.query(percentEncoded: true) ?? ""
    let parts =
      [call.method] + call.path + [items, call.headers["If-Match"] ?? "", call.headers["If-None-Match"] ?? ""]
    var bytes = try JSONValue.array(parts.map { .string($0) }).jsonData()
    bytes.append(call.request.http.body ?? Data())
    digest = RecordVersion.tag(of: bytes)
  }
}
