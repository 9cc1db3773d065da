/// The declaration of a field. A field without one has none, and no cost for it.
///
/// Immutable: adding a rule creates another one, so that fields may share it.
@usableFromInline
final class FieldMetadata<Content> {
  let name: String?
  let key: String?
  let priority: Int?
  /// Whether the value is kept out of messages and descriptions.
  let isSensitive: Bool
  let rules: [Rule<Content>]
  /// The rules that are checked by `validateFully()`.
  let asynchronousRules: [AsynchronousRule<Content>]
  let transformer: FieldTransformer<Content>?
  /// The domain, as a closure that is specialised for the type of the value.
  let domain: ((Content) -> Coercion<Content>)?
  /// The values of the domain, if it lists them.
  let allowedValues: [Content]?
  /// The changes of a value before it is stored: the domain, and then the normalization by the transformer.
  @usableFromInline let coerce: ((Content) -> Coercion<Content>)?
  /// Whether all fields that are declared alike share this declaration. Set before any other code has a reference, so
  /// that there is no conflicting access to check for.
  @exclusivity(unchecked) @usableFromInline var isShared = false

  /// Declared here, where the type of the transformer need not be looked up unless there is a declaration.
  var hasTransformer: Bool { transformer != nil }

  @usableFromInline
  convenience init(name: String?, key: String?, priority: Int?, isSensitive: Bool = false) {
    self.init(Parts(name: name, key: key, priority: priority, isSensitive: isSensitive))
  }

  /// The parts of a declaration while it is changed.
  private struct Parts {
    var name: String?
    var key: String?
    var priority: Int?
    var isSensitive = false
    var rules: [Rule<Content>] = []
    var asynchronousRules: [AsynchronousRule<Content>] = []
    var transformer: FieldTransformer<Content>?
    var domain: ((Content) -> Coercion<Content>)?
    var allowedValues: [Content]?
  }

  private init(_ parts: Parts) {
    name = parts.name
    key = parts.key
    priority = parts.priority
    isSensitive = parts.isSensitive
    rules = parts.rules
    asynchronousRules = parts.asynchronousRules
    transformer = parts.transformer
    domain = parts.domain
    allowedValues = parts.allowedValues
    coerce = Self.coercion(parts.domain, then: parts.transformer?.normalization)
  }

  private static func changing(_ other: FieldMetadata?, _ change: (inout Parts) -> Void) -> FieldMetadata {
    var parts = Parts()
    if let other {
      parts = Parts(
        name: other.name, key: other.key, priority: other.priority, isSensitive: other.isSensitive,
        rules: other.rules, asynchronousRules: other.asynchronousRules, transformer: other.transformer,
        domain: other.domain, allowedValues: other.allowedValues)
    }
    change(&parts)
    return FieldMetadata(parts)
  }

  private static func coercion(
    _ domain: ((Content) -> Coercion<Content>)?, then normalization: ((Content) -> Coercion<Content>)?
  ) -> ((Content) -> Coercion<Content>)? {
    guard let normalization, let domain else { return normalization ?? domain }
    return { value in
      guard case .replaced(let constrained) = domain(value) else { return normalization(value) }
      guard let constrained, case .replaced(let normalized) = normalization(constrained) else {
        return .replaced(by: constrained)
      }
      return .replaced(by: normalized)
    }
  }

  static func adding(_ rule: Rule<Content>, to other: FieldMetadata?) -> FieldMetadata {
    changing(other) { $0.rules.append(rule) }
  }

  static func adding(_ rule: AsynchronousRule<Content>, to other: FieldMetadata?) -> FieldMetadata {
    changing(other) { $0.asynchronousRules.append(rule) }
  }

  static func setting(
    _ transformer: any ValueTransforming<Content>, in context: String?, on other: FieldMetadata?
  ) -> FieldMetadata {
    changing(other) { $0.transformer = .adding(transformer, in: context, to: $0.transformer) }
  }

  static func constraining(
    _ domain: ((Content) -> Coercion<Content>)?, allowing values: [Content]?, on other: FieldMetadata?
  ) -> FieldMetadata {
    changing(other) { ($0.domain, $0.allowedValues) = (domain, values) }
  }

  static func prioritizing(_ priority: Int?, on other: FieldMetadata?) -> FieldMetadata {
    changing(other) { $0.priority = priority }
  }

  static func naming(_ name: String?, on other: FieldMetadata?) -> FieldMetadata {
    if let other, other.hasMoreThanNames { return changing(other) { $0.name = name } }
    return .declaring(
      name: name, key: other?.key, priority: other?.priority, isSensitive: other?.isSensitive ?? false)
  }

  /// Whether there is a part that can't be compared, so that the declaration is not shared by its names.
  private var hasMoreThanNames: Bool {
    !rules.isEmpty || !asynchronousRules.isEmpty || transformer != nil || domain != nil
  }

  static func naming(key: String, on other: FieldMetadata?) -> FieldMetadata {
    changing(other) { $0.key = key }
  }
}
