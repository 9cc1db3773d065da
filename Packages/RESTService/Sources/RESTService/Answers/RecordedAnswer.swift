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
  let body = Field<String>()
  let createdAt = Field<Date>()

  override var identifierField: AnyField? { id }
  override class var typeName: String { "RESTServiceAnswer" }

  /// The headers that a repeated response has, too.
  private static let kept = ["ETag", "Content-Type", "Location"]

  /// Creates a record of a response.
  convenience init(_ response: HTTPResponseData, to request: IdempotentRequest, at date: Date) {
    self.init()
    id.value = request.identifier
    self.request.value = request.digest
    self.response = response
    createdAt.value = date
  }

  /// The recorded response.
  var response: HTTPResponseData {
    get {
      var response = HTTPResponseData(status: status.value ?? 200, body: Data((body.value ?? "").utf8))
      for name in Self.kept { response.headers[name] = headers.value?[name]?.stringValue }
      return response
    }
    set {
      status.value = newValue.status
      let headers = Self.kept.compactMap { name in newValue.headers[name].map { (name, JSONValue.string($0)) } }
      self.headers.value = .object(AttributeDictionary(uniqueKeysWithValues: headers))
      body.value = String(decoding: newValue.body, as: UTF8.self)
    }
  }
}
