/// A reader that creates a schema from the elements of a model file. Unknown parts are kept and reported.
struct SchemaTreeReader {
  private(set) var notes: [SchemaIssue] = []

  /// - Throws: ``SchemaFileError``.
  mutating func content(of root: CoreDataSchema.Element) throws -> SchemaContent {
    guard root.name == "model" else {
      throw SchemaFileError(
        .noModel, "the root element is <\(root.name)>, but a model file has <model>.", line: root.line)
    }
    var content = SchemaContent(entities: [], settings: root.attributes)
    note(root.attributes, Known.model, root)
    for child in root.children {
      switch child.name {
      case "entity": content.entities.append(try entity(child))
      case "composite", "compositeAttribute": content.composites.append(try composite(child))
      case "configuration", "fetchRequest", "elements": content.otherElements.append(child)
      default:
        note(child, in: root)
        content.otherElements.append(child)
      }
    }
    return content
  }

  private mutating func entity(_ element: CoreDataSchema.Element) throws -> CoreDataSchema.Entity {
    var reader = ElementReader(element)
    var entity = CoreDataSchema.Entity(name: try reader.requiredText("name"))
    entity.place = element.place
    entity.representedClassName = reader.text("representedClassName")
    entity.isAbstract = reader.flag("isAbstract") ?? false
    entity.parentName = reader.text("parentEntity")
    entity.renamingIdentifier = reader.text("elementID")
    entity.otherSettings = reader.rest
    note(reader.rest, Known.entity, element, entity: entity.name)
    var constraints: Set<[String]> = []
    for child in element.children {
      switch child.name {
      case "attribute": entity.attributes.append(try attribute(child, of: entity.name))
      case "relationship": entity.relationships.append(try relationship(child, of: entity.name))
      case "fetchedProperty": entity.fetchedProperties.append(child)
      case "fetchIndex": entity.indexes.append(try index(child, of: entity.name))
      case "uniquenessConstraints":
        for constraint in child.children where constraint.name == "uniquenessConstraint" {
          let names = constraint.children.compactMap { $0.name == "constraint" ? $0.attributes["value"] : nil }
          if constraints.insert(names).inserted { entity.uniquenessConstraints.append(names) }
        }
        if let rest = child.unknownPart(isKnown: \.isUniquenessConstraint) {
          keep(rest, entity: entity.name, in: &entity.otherElements)
        }
      case "userInfo":
        entity.userInfo.merge(userInfo(child)) { $1 }
        if let rest = child.unknownPart(isKnown: \.isUserInfoEntry) {
          keep(rest, entity: entity.name, in: &entity.otherElements)
        }
      case "compoundIndexes": entity.otherElements.append(child)
      default:
        note(child, in: element, entity: entity.name)
        entity.otherElements.append(child)
      }
    }
    return entity
  }

  private mutating func attribute(
    _ element: CoreDataSchema.Element, of entity: String
  ) throws -> CoreDataSchema.Attribute {
    var reader = ElementReader(element)
    let name = try reader.requiredText("name")
    var attribute = CoreDataSchema.Attribute(
      name: name, type: reader.text("attributeType").map { .init(spelling: $0) } ?? .undefined)
    attribute.place = element.place
    if case .other(let spelling) = attribute.type {
      notes.append(
        SchemaIssue(
          .unknownType, "\(entity).\(name) has the type \"\(spelling)\", which is unknown.", entity: entity,
          property: name, line: element.line))
    }
    attribute.isOptional = reader.flag("optional") ?? false
    attribute.isTransient = reader.flag("transient") ?? false
    let isDate = attribute.type == .date
    attribute.defaultText = reader.text(isDate ? "defaultDateTimeInterval" : "defaultValueString")
    attribute.minimumText = reader.text(isDate ? "minDateTimeInterval" : "minValueString")
    attribute.maximumText = reader.text(isDate ? "maxDateTimeInterval" : "maxValueString")
    attribute.regularExpression = reader.text("regularExpressionString")
    attribute.usesScalarType = reader.flag("usesScalarValueType")
    attribute.valueTransformerName = reader.text("valueTransformerName")
    attribute.customClassName = reader.text("customClassName")
    attribute.isDerived = reader.flag("derived") ?? false
    attribute.derivationExpression = reader.text("derivationExpression")
    attribute.renamingIdentifier = reader.text("elementID")
    attribute.otherSettings = reader.rest
    note(reader.rest, Known.attribute, element, entity: entity, property: name)
    (attribute.userInfo, attribute.otherElements) = inside(element, entity: entity, property: name)
    return attribute
  }

  private mutating func relationship(
    _ element: CoreDataSchema.Element, of entity: String
  ) throws -> CoreDataSchema.Relationship {
    var reader = ElementReader(element)
    let name = try reader.requiredText("name")
    var relationship = CoreDataSchema.Relationship(name: name, destinationName: reader.text("destinationEntity"))
    relationship.place = element.place
    relationship.isToMany = reader.flag("toMany") ?? false
    relationship.isOrdered = reader.flag("ordered") ?? false
    relationship.isOptional = reader.flag("optional") ?? false
    relationship.isTransient = reader.flag("transient") ?? false
    relationship.minimumCount = reader.number("minCount")
    relationship.maximumCount = reader.number("maxCount")
    if let rule = reader.rest["deletionRule"].flatMap({ CoreDataSchema.Relationship.DeletionRule(rawValue: $0) }) {
      relationship.deletionRule = rule
      _ = reader.text("deletionRule")
    }
    relationship.inverseName = reader.text("inverseName")
    relationship.inverseEntityName = reader.text("inverseEntity")
    relationship.renamingIdentifier = reader.text("elementID")
    relationship.otherSettings = reader.rest
    note(reader.rest, Known.relationship, element, entity: entity, property: name)
    (relationship.userInfo, relationship.otherElements) = inside(element, entity: entity, property: name)
    return relationship
  }

  private mutating func index(
    _ element: CoreDataSchema.Element, of entity: String
  ) throws -> CoreDataSchema.FetchIndex {
    var reader = ElementReader(element)
    let name = try reader.requiredText("name")
    var index = CoreDataSchema.FetchIndex(
      name: name, parts: [], partialPredicate: reader.text("partialIndexPredicate"))
    index.otherSettings = reader.rest
    note(reader.rest, [], element, entity: entity)
    for child in element.children {
      guard child.name == "fetchIndexElement", child.children.isEmpty else {
        note(child, in: element, entity: entity)
        index.otherElements.append(child)
        continue
      }
      var reader = ElementReader(child)
      var part = CoreDataSchema.FetchIndex.Part(
        property: reader.text("property"), expression: reader.text("expression"), kind: reader.text("type") ?? "Binary",
        isAscending: reader.rest["order"] != "descending")
      if ["ascending", "descending"].contains(reader.rest["order"]) { _ = reader.text("order") }
      part.otherSettings = reader.rest
      note(reader.rest, [], child, entity: entity)
      index.parts.append(part)
    }
    return index
  }

  private mutating func composite(_ element: CoreDataSchema.Element) throws -> CoreDataSchema.Composite {
    var reader = ElementReader(element)
    var composite = CoreDataSchema.Composite(name: try reader.requiredText("name"), attributes: [])
    composite.elementName = element.name
    composite.otherSettings = reader.rest
    for child in element.children {
      if child.name == "attribute" {
        composite.attributes.append(try attribute(child, of: composite.name))
      } else {
        note(child, in: element, entity: composite.name)
        composite.otherElements.append(child)
      }
    }
    return composite
  }

  /// Reads the user info of an attribute or relationship, and keeps its unknown elements.
  private mutating func inside(
    _ element: CoreDataSchema.Element, entity: String, property: String
  ) -> (userInfo: [String: String], others: [CoreDataSchema.Element]) {
    var notes: [String: String] = [:]
    var others: [CoreDataSchema.Element] = []
    for child in element.children {
      if child.name == "userInfo" {
        notes.merge(userInfo(child)) { $1 }
        if let rest = child.unknownPart(isKnown: \.isUserInfoEntry) {
          keep(rest, entity: entity, property: property, in: &others)
        }
      } else {
        note(child, in: element, entity: entity, property: property)
        others.append(child)
      }
    }
    return (notes, others)
  }

  private func userInfo(_ element: CoreDataSchema.Element) -> [String: String] {
    let entries = element.children.compactMap { entry in
      entry.name == "entry" ? entry.attributes["key"].map { ($0, entry.attributes["value"] ?? "") } : nil
    }
    return Dictionary(entries, uniquingKeysWith: { $1 })
  }

  // MARK: Unknown parts

  /// Records and keeps the unknown parts inside a known element. They are written again in a copy of the element that
  /// has only them.
  private mutating func keep(
    _ rest: CoreDataSchema.Element, entity: String, property: String? = nil,
    in others: inout [CoreDataSchema.Element]
  ) {
    for child in rest.children { note(child, in: rest, entity: entity, property: property) }
    note(rest.attributes, [], rest, entity: entity, property: property)
    others.append(rest)
  }

  private mutating func note(
    _ element: CoreDataSchema.Element, in parent: CoreDataSchema.Element, entity: String? = nil,
    property: String? = nil
  ) {
    notes.append(
      SchemaIssue(
        .unknownElement, "<\(element.name)> inside <\(parent.name)> is unknown, and was kept unchanged.",
        entity: entity, property: property, line: element.line))
  }

  private mutating func note(
    _ settings: [String: String], _ known: Set<String>, _ element: CoreDataSchema.Element, entity: String? = nil,
    property: String? = nil
  ) {
    for name in settings.keys.filter({ !known.contains($0) }).sorted() {
      notes.append(
        SchemaIssue(
          .unknownSetting, "\(name) of <\(element.name)> is unknown, and was kept unchanged.", entity: entity,
          property: property, line: element.line))
    }
  }
}

extension CoreDataSchema.Element {
  /// Returns the element with only its unknown parts; nil if there are none.
  fileprivate func unknownPart(isKnown: (Self) -> Bool) -> Self? {
    var rest = self
    rest.children.removeAll(where: isKnown)
    return rest.children.isEmpty && rest.attributes.isEmpty && rest.text.isEmpty ? nil : rest
  }

  fileprivate var isUserInfoEntry: Bool {
    name == "entry" && attributes["key"] != nil && attributes.keys.allSatisfy { ["key", "value"].contains($0) }
      && isLeaf
  }

  fileprivate var isUniquenessConstraint: Bool {
    name == "uniquenessConstraint" && attributes.isEmpty && text.isEmpty
      && children.allSatisfy { $0.name == "constraint" && Array($0.attributes.keys) == ["value"] && $0.isLeaf }
  }

  private var isLeaf: Bool { children.isEmpty && text.isEmpty }
}

/// The known XML attributes that have no meaning for models.
private enum Known {
  static let model: Set<String> = [
    "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "macOSVersion",
    "iOSVersion", "sourceLanguage", "userDefinedModelVersionIdentifier", "usedWithCloudKit", "usedWithSwiftData",
    "name",
  ]
  static let entity: Set<String> = [
    "syncable", "codeGenerationType", "versionHashModifier", "coreSpotlightDisplayNameExpression",
    "spotlightDisplayNameExpression",
  ]
  static let attribute: Set<String> = [
    "syncable", "indexed", "spotlightIndexingEnabled", "allowsExternalBinaryDataStorage", "versionHashModifier",
    "preserveAfterDeletion", "preservesValueInHistoryOnDeletion", "allowsCloudEncryption", "storedInTruthFile",
    "defaultValueString", "minValueString", "maxValueString", "defaultDateTimeInterval", "minDateTimeInterval",
    "maxDateTimeInterval", "compositeName",
  ]
  static let relationship: Set<String> = [
    "syncable", "indexed", "spotlightIndexingEnabled", "versionHashModifier", "storedInTruthFile",
  ]
}
