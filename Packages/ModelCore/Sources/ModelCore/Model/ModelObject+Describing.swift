@_spi(ModelKitInternals) public import FieldKit

// These are members of protocol extensions, so that a model may have a field called `description`.
extension ModelObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension CustomStringConvertible where Self: ModelObject {
  /// The class and the fields that are loaded or set, in order: `Book(id: 1, author: Author(id: 5))`.
  ///
  /// Related models are shown by their identifiers. Values of sensitive fields are redacted.
  public var description: String {
    let members = orderedFields.compactMap { field -> String? in
      guard field.isShown else { return nil }
      return "\(field.key ?? field.name ?? "?"): \(field.valueText)"
    }
    return "\(type(of: self).displayName)(\(members.joined(separator: ", ")))"
  }

}

extension CustomDebugStringConvertible where Self: ModelObject {
  /// The description and the state of the model: whether it is stored, which fields are unsaved, and which are invalid.
  public var debugDescription: String {
    var states = [isStored ? "stored" : origin == .new ? "new" : "read"]
    if modelLoadState == .incomplete { states.append("incomplete") }
    let dirty = orderedFields.filter(\.isDirty).map { $0.key ?? $0.name ?? "?" }
    if !dirty.isEmpty { states.append("not saved: " + dirty.joined(separator: ", ")) }
    let errors = ownErrors.map(\.description)
    if !errors.isEmpty { states.append("invalid: " + errors.joined(separator: ", ")) }
    return "\(description) [\(states.joined(separator: "; "))]"
  }

}

extension CustomReflectable where Self: ModelObject {
  /// The values of the fields, for `dump` and debuggers, without internal state. Sensitive values are redacted.
  public var customMirror: Mirror {
    let children = orderedFields.map { field -> Mirror.Child in
      let value: Any = field.isSensitive && field.describedValue != nil ? Redaction() : field.describedValue as Any
      return (field.key ?? field.name, value)
    }
    return Mirror(self, children: children, displayStyle: .class, ancestorRepresentation: .suppressed)
  }
}

@_spi(ModelKitInternals)
extension ModelObject: BrieflyDescribed {
  /// The class and the identifier, as shown in the description of another model.
  public var briefDescription: String {
    let name = type(of: self).displayName
    guard let field = identifierField, field.describedValue != nil else { return "\(name)()" }
    return "\(name)(\(field.key ?? "?"): \(field.valueText))"
  }
}

extension AnyField {
  /// Whether the description includes the field.
  fileprivate var isShown: Bool { !isUnset }
}
