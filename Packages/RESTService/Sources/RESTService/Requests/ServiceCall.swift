import Foundation
import RESTStore
import StoreProtocol

/// A parsed request: its path, its query, and its preconditions.
struct ServiceCall {
  let request: RESTServiceRequest
  /// The components of the path below the base path, decoded.
  let path: [String]
  /// The items of the query, decoded.
  var items: [(name: String, value: String)]
  /// The fields to which the records of the response are limited; nil for all.
  var fields: FieldSet?
  /// The items of the query with the names of these fields.
  var fieldItems: [(name: String, value: String)] = []

  var method: String { request.http.method.description.uppercased() }
  var headers: HTTPHeaderList { request.http.headers }

  /// - Throws: ``ServiceProblem`` with the status 400 for an address that can't be decoded, 404 for one outside of the
  ///   base path. The status is 413 for a body and 414 for a query that is too long.
  init(_ request: RESTServiceRequest, _ options: RESTServiceOptions) throws {
    self.request = request
    let url = request.http.url
    let query = url.query(percentEncoded: true) ?? ""
    guard query.utf8.count <= options.maximumQueryBytes else {
      throw ServiceProblem(414, "The query of the address has more than \(options.maximumQueryBytes) bytes.")
    }
    guard request.http.body?.count ?? 0 <= options.maximumBodyBytes else {
      throw ServiceProblem(413, "The body has more than \(options.maximumBodyBytes) bytes.")
    }
    var rest = url.path(percentEncoded: true).split(separator: "/").map { String($0) }[...]
    for expected in options.basePath.split(separator: "/") {
      guard rest.first == String(expected) else { throw ServiceProblem.noResource }
      rest = rest.dropFirst()
    }
    path = try rest.map(Self.decoded)
    items = try query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // Forms, and `URLSearchParams` in browsers, send a space as a plus sign.
      let texts = try parts.map { try Self.decoded(String($0).replacing("+", with: "%20")) }
      return (texts[0], texts.count > 1 ? texts[1] : "")
    }
  }

  private static func decoded(_ text: String) throws -> String {
    guard let decoded = text.removingPercentEncoding else {
      throw ServiceProblem(400, "The address has a percent sign that begins no UTF-8 text.")
    }
    return decoded
  }

  // MARK: Body

  /// Returns the record in the body.
  ///
  /// - Throws: ``ServiceProblem`` with the status 415 for another media type, 400 for a body that is not a JSON object.
  func record(
    _ options: RESTServiceOptions, _ dialect: any RESTServiceDialect, _ form: RESTServedForm
  ) throws -> AttributeDictionary {
    let media = (headers["Content-Type"] ?? "application/json").prefix { $0 != ";" }
      .trimmingCharacters(in: .whitespaces).lowercased()
    guard media == "application/json" || media.hasSuffix("+json") else {
      throw ServiceProblem(415, "The body has the media type \"\(media.prefix(80))\"; application/json is expected.")
    }
    let json: JSONValue
    do {
      let body = try JSONValue(
        json: request.http.body ?? Data(), options: JSONReadingOptions(maximumDepth: options.maximumDepth))
      json = try dialect.servedRecord(in: body, of: form)
    } catch { throw ServiceProblem(400, "The body can't be read: \(error)") }
    guard case .object(let record) = json else {
      throw ServiceProblem(400, "The body is \(json.typeDescription); an object is expected.")
    }
    return record
  }

  // MARK: Preconditions

  /// Whether the request writes only if there is no record.
  var createsOnly: Bool { headers["If-None-Match"] == "*" }

  /// Checks the precondition of a write.
  ///
  /// - Throws: ``ServiceProblem`` with the status 412 and the record, if another version is required.
  func checkPrecondition(_ version: RecordVersion) throws {
    guard let tags = headers["If-Match"], !Self.contains(tags, version.tag, isStrong: true) else { return }
    throw ServiceProblem(412, "The record has changed since this version was read.", current: version)
  }

  /// Returns whether the client already has this version.
  func hasVersion(_ tag: String) -> Bool {
    headers["If-None-Match"].map { Self.contains($0, tag, isStrong: false) } ?? false
  }

  private static func contains(_ list: String, _ tag: String, isStrong: Bool) -> Bool {
    list.split(separator: ",").contains { element in
      var element = element.trimmingCharacters(in: .whitespaces)
      if element == "*" { return true }
      if element.hasPrefix("W/") {
        if isStrong { return false }
        element.removeFirst(2)
      }
      return element == tag
    }
  }
}
