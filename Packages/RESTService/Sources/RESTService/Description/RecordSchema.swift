@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The JSON Schema of the records of one class.
struct RecordSchema {
  private let service: RESTService
  private let served: ServedType

  init(_ service: RESTService, _ served: ServedType) {
    self.service = service
    self.served = served
  }

  /// The schema: an object without further keys.
  var json: JSONValue {
    let model = served.type.init()
    let hidden = service.hidden.keys(of: served.type)
    let unreadable = service.unreadable.keys(of: served.type)
    var root = SchemaNode()
    // A field has its key from its model.
    withExtendedLifetime(model) {
      for field in model.fieldsForDictionaryValue() {
        guard let key = field.key, !hidden.contains(key) else { continue }
        var schema = schema(of: field)
        if served.protected.contains(key) { schema["readOnly"] = true }
        if unreadable.contains(key) { schema["writeOnly"] = true }
        let isRequired =
          (field as? any SchemaField)?.isRequired == true && field.anyValue == nil && !unreadable.contains(key)
        let path = service.context.key(key).split(separator: ".").map { String($0) }
        root.insert(.object(schema), at: path[...], isRequired: isRequired && field !== model.identifierField)
      }
    }
    return root.json
  }

  /// The schema of some of the keys of a record.
  var withoutRequired: JSONValue { Self.withoutRequired(json) }

  private static func withoutRequired(_ schema: JSONValue) -> JSONValue {
    guard case .object(var members) = schema, case .object(let properties)? = members["properties"] else {
      return schema
    }
    members["required"] = nil
    members["properties"] = .object(properties.mapValues(withoutRequired))
    return .object(members)
  }

  private func schema(of field: AnyField) -> AttributeDictionary {
    guard let relation = field as? any RelationField else { return (field as? any SchemaField)?.valueSchema ?? [:] }
    let one = relation.isForeignKey ? Self.identifier(of: relation.relatedClass) : embedded(relation.relatedClass)
    if relation.isToMany { return ["type": ["array", "null"], "items": .object(one)] }
    if case .string(let type)? = one["type"] { return ["type": [.string(type), "null"]] }
    return one.isEmpty ? [:] : ["anyOf": [.object(one), ["type": "null"]]]
  }

  private static func identifier(of type: ModelObject.Type) -> AttributeDictionary {
    let model = type.init()
    return withExtendedLifetime(model) {
      let schema = (model.identifierField as? any SchemaField)?.valueSchema ?? [:]
      guard case .array(let types)? = schema["type"] else { return schema }
      return ["type": types.first ?? "string"]
    }
  }

  /// Returns the schema of an embedded record. It lacks the reference to the outer record, so its keys are not listed.
  private func embedded(_ type: ModelObject.Type) -> AttributeDictionary { ["type": "object"] }
}

/// An object of a schema, with the objects inside.
private struct SchemaNode {
  private var properties: AttributeDictionary = [:]
  private var objects: [String: SchemaNode] = [:]
  private var required: Set<String> = []

  mutating func insert(_ schema: JSONValue, at path: ArraySlice<String>, isRequired: Bool) {
    guard let key = path.first else { return }
    if path.count == 1 {
      properties[key] = schema
    } else {
      objects[key, default: SchemaNode()].insert(schema, at: path.dropFirst(), isRequired: isRequired)
    }
    if isRequired { required.insert(key) }
  }

  var json: JSONValue {
    var object: AttributeDictionary = [
      "type": "object", "additionalProperties": false,
      "properties": .object(properties.merging(objects.mapValues(\.json)) { first, _ in first }),
    ]
    if !required.isEmpty { object["required"] = .array(required.sorted().map { .string($0) }) }
    return .object(object)
  }
}
