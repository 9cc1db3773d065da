public import RESTStore
import StoreProtocol

extension EnvelopedDialect: RESTServiceDialect {
  /// JSON.
  public var servedMediaType: String { "application/json" }

  /// Returns `fields`.
  public func fieldsParameter(of form: RESTServedForm) -> String? { "fields" }

  /// Returns the value at ``EnvelopedDialect/payloadPath``.
  public func servedRecord(in body: JSONValue, of form: RESTServedForm) throws -> JSONValue {
    guard let payloadPath else { return body }
    var found = body
    for key in payloadPath.split(separator: ".") {
      guard case .object(let members) = found, members.count == 1, let member = members[String(key)] else {
        throw ModelDecodingError(
          path: FieldPath(), expected: "an envelope with only \"\(payloadPath)\"", found: found.typeDescription)
      }
      found = member
    }
    return found
  }

  /// Puts the record at ``EnvelopedDialect/recordPath``.
  public func servedBody(of record: AttributeDictionary, _ form: RESTServedForm) -> JSONValue {
    Self.envelope(.object(record), at: recordPath, around: .object([:]))
  }

  /// Puts the records at ``EnvelopedDialect/listPath``, and the address of the next page at
  /// ``EnvelopedDialect/nextPath``.
  public func servedBody(ofList records: [AttributeDictionary], next: String?, _ form: RESTServedForm) -> JSONValue {
    let body = Self.envelope(.array(records.map { .object($0) }), at: listPath, around: .object([:]))
    guard let nextPath, cursorParameter == nil else { return body }
    return Self.envelope(next.map { .string($0) } ?? .null, at: nextPath, around: body)
  }

  private static func envelope(_ value: JSONValue, at path: String, around outer: JSONValue) -> JSONValue {
    guard let key = path.split(separator: ".").first.map(String.init) else { return value }
    var members = outer.objectValue ?? [:]
    members[key] = envelope(value, at: String(path.dropFirst(key.count + 1)), around: members[key] ?? .object([:]))
    return .object(members)
  }
}
