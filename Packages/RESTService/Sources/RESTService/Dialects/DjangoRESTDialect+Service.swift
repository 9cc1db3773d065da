public import RESTStore
import StoreProtocol

extension DjangoRESTDialect: RESTServiceDialect {
  /// JSON.
  public var servedMediaType: String { "application/json" }

  /// Returns `fields`.
  public func fieldsParameter(of form: RESTServedForm) -> String? { "fields" }

  /// Returns the body.
  public func servedRecord(in body: JSONValue, of form: RESTServedForm) throws -> JSONValue { body }

  /// Returns the record.
  public func servedBody(of record: AttributeDictionary, _ form: RESTServedForm) -> JSONValue { .object(record) }

  /// Returns a page as that of `CursorPagination`.
  public func servedBody(ofList records: [AttributeDictionary], next: String?, _ form: RESTServedForm) -> JSONValue {
    ["next": next.map { .string($0) } ?? .null, "previous": .null, "results": .array(records.map { .object($0) })]
  }
}
