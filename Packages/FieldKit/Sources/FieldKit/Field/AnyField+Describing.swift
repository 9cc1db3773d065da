// The members belong to the protocols, so that a subclass may declare its own property named `description`.
extension AnyField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension CustomStringConvertible where Self: AnyField {
  /// The type, the name and the value: `Field<String> title = "Emma"`. A sensitive value is shown as `(redacted)`.
  public var description: String {
    var text = "\(type(of: self))"
    if let name = key ?? name.map({ "\"\($0)\"" }) { text += " " + name }
    return text + (isShownAsUnset ? " (\(untrackedLoadState.words))" : " = \(valueText)")
  }

}

extension CustomDebugStringConvertible where Self: AnyField {
  /// The description, with the states of the field.
  public var debugDescription: String {
    var states = [untrackedLoadState.words]
    if flags.contains(.dirty) { states.append("dirty") }
    switch untrackedValidationState {
    case .unknown: break
    case .valid: states.append("valid")
    case .validating: states.append("validating")
    case .invalid(let messages): states.append("invalid: " + messages.joined(separator: ", "))
    }
    return "\(description) [\(states.joined(separator: "; "))]"
  }

}

extension CustomReflectable where Self: AnyField {
  /// The value and the states, for `dump` and debuggers.
  public var customMirror: Mirror {
    let value: Any = isSensitive && describedValue != nil ? Redaction() : describedValue as Any
    return Mirror(
      self,
      children: [
        "value": value, "loadState": untrackedLoadState, "isDirty": flags.contains(.dirty),
        "validationState": untrackedValidationState,
      ], displayStyle: .class, ancestorRepresentation: .suppressed)
  }

}

@_spi(ModelKitInternals)
extension AnyField {
  fileprivate final var isShownAsUnset: Bool {
    if case .loaded = untrackedLoadState { return false }
    return describedValue == nil
  }

  /// The value as descriptions show it.
  public final var valueText: String {
    guard let value = describedValue else { return "nil" }
    return isSensitive ? "\(Redaction())" : Self.text(of: value)
  }

  private static func text(of value: Any) -> String {
    switch value {
    case let text as String: return String(reflecting: text.count > 100 ? text.prefix(100) + "\u{2026}" : text)
    case let text as any BrieflyDescribed: return text.briefDescription
    case let list as [Any]:
      let shown = list.prefix(10).map { text(of: $0) } + (list.count > 10 ? ["\u{2026} \(list.count - 10) more"] : [])
      return "[\(shown.joined(separator: ", "))]"
    default: return "\(value)"
    }
  }

  /// Returns the error without the value, if the field is sensitive.
  @_spi(ModelKitInternals)
  public final func withoutSecrets(_ error: any Error) -> any Error {
    guard isSensitive else { return error }
    guard let error = error as? ValueTransformError else {
      return ValueTransformError(expected: "a value its transformer accepts", found: "\(Redaction())")
    }
    return ValueTransformError(expected: error.expected, found: "\(Redaction())")
  }

  /// Returns the violation without the value in its message, if the field is sensitive.
  public final func withoutSecrets(_ violation: RuleViolation) -> RuleViolation {
    guard isSensitive, let value = describedValue else { return violation }
    let text = "\(value)"
    guard !text.isEmpty else { return violation }
    var violation = violation
    // By scalars: beside a combining mark, the text is no part of the message's characters.
    let message = violation.message.unicodeScalars.replacing(text.unicodeScalars, with: "\(Redaction())".unicodeScalars)
    violation.message = String(message)
    return violation
  }
}

/// A placeholder for the value of a sensitive field.
@_spi(ModelKitInternals)
public struct Redaction: CustomStringConvertible {
  /// Creates a placeholder.
  public init() {}

  /// The text `(redacted)`, for every value.
  public var description: String { "(redacted)" }
}

/// A value with a short description, shown where it is part of another value.
@_spi(ModelKitInternals)
public protocol BrieflyDescribed {
  /// The short description.
  var briefDescription: String { get }
}

extension LoadState {
  /// The state as words, for descriptions.
  var words: String {
    switch self {
    case .notLoaded: "not loaded"
    case .incomplete: "incomplete"
    case .loaded: "loaded"
    case .loading: "loading"
    case .error: "not loaded because of an error"
    }
  }
}
