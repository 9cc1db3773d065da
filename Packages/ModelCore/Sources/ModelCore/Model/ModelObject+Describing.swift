@_spi(ModelKitInternals) public import FieldKit

// The members are those of the protocols, so that a model may have a field called `description`.
extension ModelObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension CustomStringConvertible where Self: ModelObject {
  /// The class, and the fields that were loaded or set, in their order: `Book(id: 1, author: Author(id: 5))`. Related models
  /// are shown by their identifiers, and values of sensitive fields not at all.
  public var description: String {
    let members = orderedFields.compactMap { field -> String? in
      guard field.isShown else { return nil }
      return "\(field.key ?? field.name ?? "?"): \(field.valueText)"
    }
    return "\(type(of: self).displayName)(\(members.joined(separator: ", ")))"
  }

}

extension CustomDebugStringConvertible where Self: ModelObject {
  /// The description, and what became of the model: whether a store has it, what is not saved, what is wrong.
  public var debugDescription: String {
    var states = [isStored ? "stored" : origin == .new ? "new" : "read"]
    if modelLoadState == .incomplete { states.append("incomplete") }
    let dirty = orderedFields.filter(\.isDirty).map { $0.key ?? $0.name ?? "?" }
    if !dirty.isEmpty { states.append("not saved: " + dirty.joined(separator: ", ")) }
    let errors = fieldErrors.map(\.description)
    if !errors.isEmpty { states.append("invalid: " + errors.joined(separator: ", ")) }
    return "\(description) [\(states.joined(separator: "; "))]"
  }

}

extension CustomReflectable where Self: ModelObject {
  /// The values of the fields, for `dump` and debuggers: nothing of what a model needs for itself, and no sensitive values.
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
  /// The class and the identifier, as a model is shown inside another one.
  public var briefDescription: String {
    let name = type(of: self).displayName
    guard let field = identifierField, field.describedValue != nil else { return "\(name)()" }
    return "\(name)(\(field.key ?? "?"): \(field.valueText))"
  }
}

extension AnyField {
  /// Whether there is anything to show of it.
  fileprivate var isShown: Bool { !isUnset }
}
