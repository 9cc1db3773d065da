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
  let transformer: FieldTransformer<Content>?
  /// The domain, as a closure that is specialised for the type of the value.
  let domain: ((Content) -> Coercion<Content>)?
  /// The changes of a value before it is stored: the domain, and then the normalization by the transformer.
  @usableFromInline let coerce: ((Content) -> Coercion<Content>)?
  /// Whether all fields that are declared alike share this declaration. Set before any other code has a reference, so
  /// that there is no conflicting access to check for.
  @exclusivity(unchecked) @usableFromInline var isShared = false

  /// Declared here, where the type of the transformer need not be looked up unless there is a declaration.
  var hasTransformer: Bool { transformer != nil }

  @usableFromInline
  init(name: String?, key: String?, priority: Int?, isSensitive: Bool = false) {
    self.name = name
    self.key = key
    self.priority = priority
    self.isSensitive = isSensitive
    rules = []
    transformer = nil
    domain = nil
    coerce = nil
  }

  private init(
    name: String?, key: String?, priority: Int?, isSensitive: Bool, rules: [Rule<Content>],
    transformer: FieldTransformer<Content>?, domain: ((Content) -> Coercion<Content>)?
  ) {
    self.name = name
    self.key = key
    self.priority = priority
    self.isSensitive = isSensitive
    self.rules = rules
    self.transformer = transformer
    self.domain = domain
    coerce = Self.coercion(domain, then: transformer?.normalization)
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
    FieldMetadata(
      name: other?.name, key: other?.key, priority: other?.priority, isSensitive: other?.isSensitive ?? false,
      rules: (other?.rules ?? []) + [rule], transformer: other?.transformer, domain: other?.domain)
  }

  static func setting(
    _ transformer: any ValueTransforming<Content>, in context: String?, on other: FieldMetadata?
  ) -> FieldMetadata {
    FieldMetadata(
      name: other?.name, key: other?.key, priority: other?.priority, isSensitive: other?.isSensitive ?? false,
      rules: other?.rules ?? [],
      transformer: .adding(transformer, in: context, to: other?.transformer), domain: other?.domain)
  }

  static func constraining(
    _ domain: ((Content) -> Coercion<Content>)?, on other: FieldMetadata?
  ) -> FieldMetadata {
    FieldMetadata(
      name: other?.name, key: other?.key, priority: other?.priority, isSensitive: other?.isSensitive ?? false,
      rules: other?.rules ?? [],
      transformer: other?.transformer, domain: domain)
  }

  static func naming(_ name: String?, on other: FieldMetadata?) -> FieldMetadata {
    if let other, !other.rules.isEmpty || other.transformer != nil || other.domain != nil {
      return FieldMetadata(
        name: name, key: other.key, priority: other.priority, isSensitive: other.isSensitive, rules: other.rules,
        transformer: other.transformer, domain: other.domain)
    }
    return .declaring(
      name: name, key: other?.key, priority: other?.priority, isSensitive: other?.isSensitive ?? false)
  }

  static func naming(key: String, on other: FieldMetadata?) -> FieldMetadata {
    FieldMetadata(
      name: other?.name, key: key, priority: other?.priority, isSensitive: other?.isSensitive ?? false,
      rules: other?.rules ?? [],
      transformer: other?.transformer, domain: other?.domain)
  }
}
