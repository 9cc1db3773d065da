// The members are those of the protocols, so that a subclass may have a property called `description`.
extension AnyField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension CustomStringConvertible where Self: AnyField {
  /// The type, what it is called, and the value: `Field<String> title = "Emma"`. A sensitive value is shown as `(redacted)`.
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

extension AnyField {
  fileprivate final var isShownAsUnset: Bool {
    if case .loaded = untrackedLoadState { return false }
    return describedValue == nil
  }

  /// The value as descriptions show it.
  @_spi(ModelKitInternals)
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

  /// The error without what it says of the value, if that is to be kept out of messages.
  final func withoutSecrets(_ error: any Error) -> any Error {
    guard isSensitive else { return error }
    guard let error = error as? ValueTransformError else {
      return ValueTransformError(expected: "a value its transformer takes", found: "\(Redaction())")
    }
    return ValueTransformError(expected: error.expected, found: "\(Redaction())")
  }
}

extension AnyField {
  /// What is wrong without the value, if that is to be kept out of messages.
  @_spi(ModelKitInternals)
  public final func withoutSecrets(_ violation: RuleViolation) -> RuleViolation {
    guard isSensitive, let value = describedValue else { return violation }
    let text = "\(value)"
    guard !text.isEmpty, violation.message.contains(text) else { return violation }
    var violation = violation
    violation.message = violation.message.replacing(text, with: "\(Redaction())")
    return violation
  }
}

/// What is shown in place of the value of a sensitive field.
@_spi(ModelKitInternals)
public struct Redaction: CustomStringConvertible {
  /// Creates one.
  public init() {}

  /// The same for every value.
  public var description: String { "(redacted)" }
}

/// Something that is shown by a few words where it is a part of something else.
@_spi(ModelKitInternals)
public protocol BrieflyDescribed {
  /// The words.
  var briefDescription: String { get }
}

extension LoadState {
  /// The state in a sentence.
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
