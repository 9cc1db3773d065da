@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore
import RESTStore

extension RESTService {
  /// The description of the service as an OpenAPI 3.1 document, which it also serves at `/openapi.json`.
  ///
  /// It has the paths, the parameters, the fields with the rules that JSON Schema can express, and the status codes.
  /// Hidden fields, and actions that no access rule allows, are omitted.
  ///
  /// - Complexity: O(*n*) in the number of fields of all classes.
  public var openAPI: JSONValue {
    var paths: AttributeDictionary = [:]
    var schemas: AttributeDictionary = ["Problem": OpenAPIParts.problem]
    for served in types {
      let name = served.type.typeName
      let schema = RecordSchema(self, served)
      schemas[name] = schema.json
      // A part of a record has no required keys.
      if served.mayAllow(.update) { schemas[OpenAPIParts.changes(of: name)] = schema.withoutRequired }
      let path = (options.basePath.split(separator: "/").map(String.init) + served.path).map(PathText.encoded)
      let collection = "/" + path.joined(separator: "/")
      let description = ServedTypeDescription(name: name, served: served, options: options, hasLog: log != nil)
      let (ofCollection, ofRecord) = (description.collection, description.record)
      if !ofCollection.isEmpty { paths[collection] = .object(ofCollection) }
      if !ofRecord.isEmpty { paths[collection + "/{identifier}"] = .object(ofRecord) }
    }
    return [
      "openapi": "3.1.0", "info": ["title": "Models", "version": "1"], "paths": .object(paths),
      "components": ["schemas": .object(schemas)],
    ]
  }
}

/// The operations on the records of one class.
private struct ServedTypeDescription {
  let name: String
  let served: ServedType
  let options: RESTServiceOptions
  let hasLog: Bool

  var collection: AttributeDictionary {
    var operations: AttributeDictionary = [:]
    if served.mayAllow(.read) {
      operations["get"] = operation(
        "list", "Lists records.", ["200": OpenAPIParts.list(name, hasLog), "304": OpenAPIParts.unchanged],
        [400, 406, 414],
        parameters: OpenAPIParts.listParameters
          + [OpenAPIParts.fieldsParameter, OpenAPIParts.condition("If-None-Match")]
          + (hasLog ? [OpenAPIParts.changesParameter] : []))
    }
    if served.mayAllow(.create) {
      operations["post"] = operation(
        "create", "Creates a record.", ["201": OpenAPIParts.record(name)], [400, 409, 413, 415, 422, 507], hasBody: true
      )
    }
    return operations
  }

  var record: AttributeDictionary {
    var operations: AttributeDictionary = [:]
    let found = OpenAPIParts.record(name)
    if served.mayAllow(.read) {
      operations["get"] = operation(
        "lookup", "Returns a record.", ["200": found, "304": OpenAPIParts.unchanged],
        [400, 404], parameters: [OpenAPIParts.fieldsParameter, OpenAPIParts.condition("If-None-Match")])
    }
    if served.mayAllow(.update) {
      operations["patch"] = operation(
        "update", "Changes the fields in the body.", ["200": found], OpenAPIParts.writing,
        parameters: [OpenAPIParts.condition("If-Match")], hasBody: true, isPart: true)
      var answers: AttributeDictionary = ["200": found]
      if served.mayAllow(.create), options.acceptsIdentifiers { answers["201"] = found }
      operations["put"] = operation(
        "replace", "Replaces a record, or creates it.", answers, OpenAPIParts.writing,
        parameters: [OpenAPIParts.condition("If-Match"), OpenAPIParts.condition("If-None-Match")], hasBody: true)
    }
    if served.mayAllow(.delete) {
      operations["delete"] = operation(
        "delete", "Deletes a record.", ["204": ["description": "The record was deleted."]], [400, 404, 409, 412],
        parameters: [OpenAPIParts.condition("If-Match")])
    }
    if operations.isEmpty { return [:] }
    operations["parameters"] = [
      ["name": "identifier", "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
    ]
    return operations
  }

  private func operation(
    _ verb: String, _ summary: String, _ answers: AttributeDictionary, _ problems: [Int], parameters: [JSONValue] = [],
    hasBody: Bool = false, isPart: Bool = false
  ) -> JSONValue {
    var responses = answers
    for status in problems + [401, 403, 429, 500, 503] { responses["\(status)"] = OpenAPIParts.problem(status) }
    var operation: AttributeDictionary = [
      "operationId": .string(verb + name), "summary": .string(summary), "responses": .object(responses),
      "tags": [.string(name)],
    ]
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if hasBody {
      let schema = OpenAPIParts.reference(isPart ? OpenAPIParts.changes(of: name) : name)
      operation["requestBody"] = ["required": true, "content": ["application/json": ["schema": schema]]]
    }
    return .object(operation)
  }
}

/// The parts of the document that are the same for all classes.
private enum OpenAPIParts {
  /// The status codes of a change of a record.
  static let writing = [400, 404, 409, 412, 413, 415, 422, 507]

  /// Returns the name of the schema of some of the keys of a record.
  static func changes(of name: String) -> String { name + "Changes" }

  static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

  static func record(_ name: String) -> JSONValue {
    [
      "description": "The record.", "headers": ["ETag": ["schema": ["type": "string"]]],
      "content": ["application/json": ["schema": reference(name)]],
    ]
  }

  /// - Parameter hasLog: whether the list may be one of changes.
  static func list(_ name: String, _ hasLog: Bool) -> JSONValue {
    let records: JSONValue = ["type": "array", "items": reference(name)]
    return [
      "description": "A page of records, with a link to the next one.",
      "headers": ["ETag": ["schema": ["type": "string"]], "Link": ["schema": ["type": "string"]]],
      "content": ["application/json": ["schema": hasLog ? ["anyOf": [records, changes(name)]] : records]],
    ]
  }

  private static func changes(_ name: String) -> JSONValue {
    let identifiers: JSONValue = ["type": "array", "items": ["type": "string"]]
    return [
      "type": "object", "required": ["updated", "deleted", "left", "position", "hasMore", "reset"],
      "properties": [
        "updated": ["type": "array", "items": reference(name)], "deleted": identifiers, "left": identifiers,
        "position": ["type": "string"], "hasMore": ["type": "boolean"], "reset": ["type": "boolean"],
      ],
    ]
  }

  static let changesParameter: JSONValue = [
    "name": .string(RESTService.changesParameter), "in": "query", "schema": ["type": "string"],
    "description": "Lists the changes since this position of the change log; empty for the current position.",
  ]

  static let fieldsParameter: JSONValue = [
    "name": "fields", "in": "query", "schema": ["type": "string"],
    "description": "Limits the records to fields: their keys with commas. The identifier is always among them.",
  ]

  static let unchanged: JSONValue = ["description": "The client has this version."]

  static func problem(_ status: Int) -> JSONValue {
    [
      "description": .string(ServiceProblem.title(of: status)),
      "content": ["application/problem+json": ["schema": reference("Problem")]],
    ]
  }

  /// Problem details of RFC 9457.
  static let problem: JSONValue = [
    "type": "object", "required": ["status", "detail"],
    "properties": [
      "type": ["type": "string"], "title": ["type": "string"], "status": ["type": "integer"],
      "detail": ["type": "string"], "code": ["type": "string"], "current": ["type": "object"],
      "errors": [
        "type": "object", "additionalProperties": ["type": "array", "items": ["type": "string"]],
        "description": "The messages by field.",
      ],
    ],
  ]

  static func condition(_ header: String) -> JSONValue {
    ["name": .string(header), "in": "header", "schema": ["type": "string"]]
  }

  static let listParameters: [JSONValue] =
    [("limit", "The number of records."), ("offset", "The number of skipped records.")].map { name, text in
      [
        "name": .string(name), "in": "query", "description": .string(text),
        "schema": ["type": "integer", "minimum": 0],
      ]
    }
    + [
      ("where", "A condition as JSON."), ("sort", "A list of orders as JSON."),
      ("after", "The mark of the page before, from its link."),
    ].map { name, text in
      ["name": .string(name), "in": "query", "description": .string(text), "schema": ["type": "string"]]
    }
}
