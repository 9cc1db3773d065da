import Foundation
import ModelCore
import StoreProtocol

/// The response to a write with an idempotency key. It is kept in the same commit as the write.
final class RecordedAnswer: Model {
  /// The user and the key.
  let id = Field<String>().require(.notNil)
  /// A digest of the request.
  let request = Field<String>()
  let status = Field<Int>()
  /// The record in the response, with the fields that the response omits: access rules read them. Nil for a deletion.
  let record = Field<JSONValue>(sensitive: true)
  let createdAt = Field<Date>()

  override var identifierField: AnyField? { id }
  override class var typeName: String { "RESTServiceAnswer" }

  /// Creates a record of a response.
  convenience init(_ response: WrittenResponse, to request: IdempotentRequest, at date: Date) {
    self.init()
    id.value = request.identifier
    self.request.value = request.digest
    keep(response)
    createdAt.value = date
  }

  /// Keeps another response.
  func keep(_ response: WrittenResponse) {
    status.value = response.http.status
    record.value = response.record.map { .object($0) }
  }
}
