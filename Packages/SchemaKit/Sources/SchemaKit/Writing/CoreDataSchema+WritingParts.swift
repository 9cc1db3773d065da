private func flag(_ value: Bool) -> String? { value ? "YES" : nil }

extension CoreDataSchema.Element {
  func write(to writer: inout XMLWriter) {
    writer.element(name, [("name", attributes["name"])], attributes.filter { $0.key != "name" }, isEmpty: isEmpty) {
      writer in
      if !text.isEmpty { writer.write(text: text) }
      for child in children { child.write(to: &writer) }
    }
  }

  private var isEmpty: Bool { children.isEmpty && text.isEmpty }
}

extension XMLWriter {
  mutating func write(userInfo: [String: String]) {
    if userInfo.isEmpty { return }
    open("userInfo", [])
    for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
      element("entry", [("key", key), ("value", value)])
    }
    close("userInfo")
  }
}

extension CoreDataSchema.Entity {
  /// The known XML attributes, in the order in which they are written.
  var knownSettings: [(String, String?)] {
    [
      ("name", name), ("representedClassName", representedClassName), ("isAbstract", flag(isAbstract)),
      ("parentEntity", parentName), ("elementID", renamingIdentifier),
    ]
  }

  func write(to writer: inout XMLWriter) {
    let isEmpty =
      attributes.isEmpty && relationships.isEmpty && fetchedProperties.isEmpty && indexes.isEmpty
      && uniquenessConstraints.isEmpty && userInfo.isEmpty && otherElements.isEmpty
    writer.element("entity", knownSettings, otherSettings, isEmpty: isEmpty) { writer in
      for attribute in attributes { attribute.write(to: &writer) }
      for relationship in relationships { relationship.write(to: &writer) }
      for property in fetchedProperties { property.write(to: &writer) }
      for index in indexes { index.write(to: &writer) }
      if !uniquenessConstraints.isEmpty {
        writer.open("uniquenessConstraints", [])
        for constraint in uniquenessConstraints {
          writer.element("uniquenessConstraint", [], isEmpty: constraint.isEmpty) { writer in
            for property in constraint { writer.element("constraint", [("value", property)]) }
          }
        }
        writer.close("uniquenessConstraints")
      }
      writer.write(userInfo: userInfo)
      for element in otherElements { element.write(to: &writer) }
    }
  }
}

extension CoreDataSchema.Attribute {
  /// The known XML attributes, in the order in which they are written.
  var knownSettings: [(String, String?)] {
    let isDate = type == .date
    return [
      ("name", name), ("optional", flag(isOptional)), ("transient", flag(isTransient)),
      ("attributeType", type.spelling), ("valueTransformerName", valueTransformerName),
      ("customClassName", customClassName), ("minValueString", isDate ? nil : minimumText),
      ("maxValueString", isDate ? nil : maximumText), ("defaultValueString", isDate ? nil : defaultText),
      ("minDateTimeInterval", isDate ? minimumText : nil), ("maxDateTimeInterval", isDate ? maximumText : nil),
      ("defaultDateTimeInterval", isDate ? defaultText : nil), ("regularExpressionString", regularExpression),
      ("derived", flag(isDerived)), ("derivationExpression", derivationExpression),
      ("usesScalarValueType", usesScalarType.map { $0 ? "YES" : "NO" }), ("elementID", renamingIdentifier),
    ]
  }

  func write(to writer: inout XMLWriter) {
    let isEmpty = userInfo.isEmpty && otherElements.isEmpty
    writer.element("attribute", knownSettings, otherSettings, isEmpty: isEmpty) { writer in
      writer.write(userInfo: userInfo)
      for element in otherElements { element.write(to: &writer) }
    }
  }
}

extension CoreDataSchema.Relationship {
  /// The known XML attributes, in the order in which they are written.
  var knownSettings: [(String, String?)] {
    [
      ("name", name), ("optional", flag(isOptional)), ("transient", flag(isTransient)), ("toMany", flag(isToMany)),
      ("minCount", minimumCount.map(String.init)), ("maxCount", maximumCount.map(String.init)),
      ("deletionRule", otherSettings["deletionRule"] == nil ? deletionRule.rawValue : nil),
      ("ordered", flag(isOrdered)), ("destinationEntity", destinationName), ("inverseName", inverseName),
      ("inverseEntity", inverseEntityName), ("elementID", renamingIdentifier),
    ]
  }

  func write(to writer: inout XMLWriter) {
    let isEmpty = userInfo.isEmpty && otherElements.isEmpty
    writer.element("relationship", knownSettings, otherSettings, isEmpty: isEmpty) { writer in
      writer.write(userInfo: userInfo)
      for element in otherElements { element.write(to: &writer) }
    }
  }
}

extension CoreDataSchema.FetchIndex {
  func write(to writer: inout XMLWriter) {
    let settings: [(String, String?)] = [("name", name), ("partialIndexPredicate", partialPredicate)]
    let isEmpty = parts.isEmpty && otherElements.isEmpty
    writer.element("fetchIndex", settings, otherSettings, isEmpty: isEmpty) { writer in
      for part in parts {
        let order = part.isAscending ? "ascending" : "descending"
        writer.element(
          "fetchIndexElement",
          [
            ("property", part.property), ("expression", part.expression), ("type", part.kind),
            ("order", part.otherSettings["order"] == nil ? order : nil),
          ], part.otherSettings)
      }
      for element in otherElements { element.write(to: &writer) }
    }
  }
}

extension CoreDataSchema.Composite {
  func write(to writer: inout XMLWriter) {
    writer.element(
      elementName, [("name", name)], otherSettings, isEmpty: attributes.isEmpty && otherElements.isEmpty
    ) { writer in
      for attribute in attributes { attribute.write(to: &writer) }
      for element in otherElements { element.write(to: &writer) }
    }
  }
}
