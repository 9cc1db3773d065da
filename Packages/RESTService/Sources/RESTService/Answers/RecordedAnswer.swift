import Foundation
import ModelCore
import RESTStore
import StoreProtocol

/// The response to a write with an idempotency key. It is kept in the same commit as the write.
final class RecordedAnswer: Model {
  /// The user and the key.
  let id = Field<String>().require(.notNil)
  /// A digest of the request.
  let request = Field<String>()
  let status = Field<Int>()
  let headers = Field<JSONValue>()
  /// The record in the response; nil for a deletion.
  let record = Field<JSONValue>()
  let createdAt = Field<Date>()

  override var identifierField: AnyField? { id }
  override class var typeName: String { "RESTServiceAnswer" }

  /// The headers that a repeated response has, too.
  private static let kept = ["ETag", "Content-Type", "Location"]

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
    let headers = Self.kept.compactMap { name in response.http.headers[name].map { (name, JSONValue.string($0)) } }
    self.headers.value = .object(AttributeDictionary(uniqueKeysWithValues: headers))
    record.value = response.record.map { .object($0) }
  }

  /// The recorded response without its body.
  var response: HTTPResponseData {
    var response = HTTPResponseData(status: status.value ?? 200)
    for name in Self.kept { response.headers[name] = headers.value?[name]?.stringValue }
    return response
  }
}
