@_spi(ModelKitInternals) import ModelCore
import RESTStore
import SchemaKit
import StoreProtocol

/// The types of a service as JSON: names, paths, fields with their rules, and relations.
struct InspectedSchema {
  let names: [String]
  let json: JSONValue

  init(_ types: [any Model.Type], _ router: RESTRouter, _ basePath: String) {
    let described = CoreDataSchema(describing: types)
    let entities = types.map { type in
      let model = type.init()
      guard let dynamic = model as? DynamicModel, let entity = dynamic.entity, let schema = dynamic.schema else {
        let entity = described.entities.first { $0.representedClassName == "\(type)" }
        return (model, entity?.name ?? type.typeName, entity.map { described.attributes(of: $0) } ?? [])
      }
      let parts = schema.attributes(of: entity).flatMap { attribute in
        let parts = schema.parts(of: attribute)
        return parts.isEmpty ? [attribute] : parts
      }
      return (model, entity.name, parts)
    }
    names = entities.map { $0.1 }
    let nameByType = Dictionary(zip(types.map { $0.typeName }, names)) { first, _ in first }
    let objects = zip(types, entities).map { type, entity in
      let (model, name, attributes) = entity
      let described = DescribedType(model: model, attributes: attributes, nameByType: nameByType)
      var object = described.json
      object["name"] = .string(name)
      object["path"] = Self.path(type, router, basePath).map { .string($0) } ?? .null
      return JSONValue.object(object)
    }
    json = ["types": .array(objects)]
  }

  private static func path<M: Model>(_ type: M.Type, _ router: RESTRouter, _ basePath: String) -> String? {
    router.collectionPath(for: type).map { basePath + $0 }
  }
}

/// The description of one type.
private struct DescribedType {
  let model: any Model
  let attributes: [CoreDataSchema.Attribute]
  let nameByType: [String: String]

  var json: AttributeDictionary {
    let relations = model.fields.compactMap { field in (field as? any RelationField).map { relation($0) } }
    let written = Set(model.fieldsForDictionaryValue().compactMap(\.key))
    return [
      "identifier": model.identifierField?.key.map { .string($0) } ?? .null,
      "label": label.map { .string($0) } ?? .null,
      "fields": .array(attributes.map { field($0) }),
      "relations": .array(
        relations.map { relation in
          var relation = relation
          relation["isInRecord"] = .bool(relation["key"]?.stringValue.map { written.contains($0) } ?? false)
          return .object(relation)
        }),
    ]
  }

  /// The key of the field that names a record for people.
  private var label: String? {
    let texts = attributes.filter { $0.type == .string && $0.keyPath != model.identifierField?.key }
    let usual = ["name", "title", "label", "fullname", "firstname"]
    let named = texts.min { rank($0) < rank($1) }
    func rank(_ attribute: CoreDataSchema.Attribute) -> Int {
      usual.firstIndex(of: attribute.name.lowercased()) ?? usual.count
    }
    return named?.keyPath
  }

  private func field(_ attribute: CoreDataSchema.Attribute) -> JSONValue {
    var object: AttributeDictionary = [
      "key": .string(attribute.keyPath), "name": .string(attribute.name), "type": .string(attribute.type.valueName),
      "isRequired": .bool(!attribute.isOptional),
    ]
    object["default"] = attribute.defaultValue
    object["minimum"] = attribute.minimumText.map { .string($0) }
    object["maximum"] = attribute.maximumText.map { .string($0) }
    object["pattern"] = attribute.regularExpression.map { .string($0) }
    return .object(object)
  }

  private func relation(_ relation: any RelationField) -> AttributeDictionary {
    let related = relation.relatedClass
    var object: AttributeDictionary = [
      "key": relation.key.map { .string($0) } ?? .null,
      "name": model.nameOfProperty(holding: relation).map { .string($0) } ?? .null,
      "to": .string(nameByType[related.typeName] ?? related.typeName), "isToMany": .bool(relation.isToMany),
      "isReference": .bool(relation.isForeignKey), "deleteRule": .string("\(relation.deleteRule)"),
    ]
    // A field has its key from its model, which must stay alive.
    let other = related.init()
    withExtendedLifetime(other) {
      object["inverse"] = relation.inverseField(on: other)?.key.map { .string($0) }
    }
    return object
  }
}

extension CoreDataSchema.AttributeType {
  /// The name of the type for the page.
  fileprivate var valueName: String {
    switch self {
    case .integer16, .integer32, .integer64: "integer"
    case .decimal: "decimal"
    case .double, .float: "number"
    case .string: "string"
    case .boolean: "boolean"
    case .date: "date"
    case .binary: "data"
    case .uuid: "uuid"
    case .uri: "url"
    case .transformable, .composite, .objectID, .undefined, .other: "json"
    }
  }
}
