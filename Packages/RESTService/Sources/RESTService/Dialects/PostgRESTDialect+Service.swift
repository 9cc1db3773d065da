public import RESTStore
import StoreProtocol

extension PostgRESTDialect: RESTServiceDialect {
  /// JSON.
  public var servedMediaType: String { "application/json" }

  /// Returns the body.
  public func servedRecord(in body: JSONValue, of form: RESTServedForm) throws -> JSONValue { body }

  /// Returns the record.
  public func servedBody(of record: AttributeDictionary, _ form: RESTServedForm) -> JSONValue { .object(record) }

  /// Returns an array of the records.
  public func servedBody(ofList records: [AttributeDictionary], next: String?, _ form: RESTServedForm) -> JSONValue {
    .array(records.map { .object($0) })
  }

  /// Reads filters, `and`, `or`, `order`, `limit` and `offset`. A filter by the identifier alone names a record, for
  /// all requests but lists.
  public func servedQuery(_ query: inout RESTServedQuery, of form: RESTServedForm) throws {
    var (terms, items): ([JSONValue], [RESTQueryItem]) = ([], [])
    for item in query.items {
      switch item.name {
      case "limit", "offset", "after": items.append(item)
      // The link to the next page has the condition and the order as the service writes them.
      case _ where ["where", "sort"].contains(item.name) && form.fields[item.name] == nil: items.append(item)
      case "order": items.append(RESTQueryItem("sort", try PostgRESTReader.orders(item.value, form).jsonString()))
      case "select":
        throw ModelStoreError(.unsupported, "The parameter select is not served: records have all columns.")
      case form.identifierKey where query.isAboutRecord && item.value.hasPrefix("eq."):
        guard query.identifier == nil else {
          throw ModelStoreError(
            .unsupported, "Nothing was written: a request may change one record, but two filters name a record.")
        }
        query.identifier = String(item.value.dropFirst(3))
      default: terms.append(try PostgRESTReader.condition(item, form))
      }
    }
    if let first = terms.first {
      let condition: JSONValue = terms.count == 1 ? first : ["and": .array(terms)]
      items.append(RESTQueryItem("where", try condition.jsonString()))
    }
    query.items = items
  }
}
