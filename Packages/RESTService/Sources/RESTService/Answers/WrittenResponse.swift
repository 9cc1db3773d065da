import RESTStore
import StoreProtocol

/// The response to a write.
struct WrittenResponse: Equatable {
  var http: HTTPResponseData
  /// The record in the response, with its hidden fields; nil for a deletion.
  var record: AttributeDictionary?
}

/// Returns the response to a write. It is called after the commit, in which the store may complete a record with
/// defaults of columns and with rounded numbers and dates.
typealias WrittenAnswer = () throws -> WrittenResponse
