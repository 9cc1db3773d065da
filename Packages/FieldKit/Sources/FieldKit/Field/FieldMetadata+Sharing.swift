// The declaration of a field is the same for every instance of its model, and so is created once. Name, key and
// priority identify the first one, and every added rule identifies the next. A rule with a closure has no identity; a
// declaration with such a rule is not shared.
//
// The lookup is inlined: where the type of the value is known, it needs no lookup of generic types at run time.
extension FieldMetadata {
  /// Returns the declaration with this name, key and priority, and without rules.
  @inlinable
  static func declaring(
    name: String?, key: String?, priority: Int?, isSensitive: Bool = false
  ) -> FieldMetadata {
    let numbers = InternKey.Numbers(
      .declaration, variant: (priority == nil ? 0 : 1) + (isSensitive ? 2 : 0), type: Content.self,
      first: UInt64(truncatingIfNeeded: priority ?? 0))
    if let found = sharedObject(for: numbers, name, key) { return unsafeDowncast(found, to: FieldMetadata.self) }
    return make(name: name, key: key, priority: priority, isSensitive: isSensitive, for: numbers)
  }

  @usableFromInline
  static func make(
    name: String?, key: String?, priority: Int?, isSensitive: Bool, for numbers: InternKey.Numbers
  ) -> FieldMetadata {
    InternTable.shared.object(for: InternKey(numbers, name, key)) { isShared in
      let metadata = FieldMetadata(name: name, key: key, priority: priority, isSensitive: isSensitive)
      metadata.isShared = isShared
      return metadata
    }
  }

  /// Returns a declaration with one more rule.
  @inlinable
  static func requiring(_ rule: Rule<Content>, after other: FieldMetadata?) -> FieldMetadata {
    guard rule.body.isShared, other?.isShared ?? true else { return make(adding: rule, to: other, for: nil) }
    // Both are kept for ever, so their addresses are their identities.
    let identity = InternKey.Numbers(
      .ruleOfDeclaration, type: Content.self, first: InternKey.address(of: other),
      second: InternKey.address(of: rule.body))
    if let found = sharedObject(for: identity) { return unsafeDowncast(found, to: FieldMetadata.self) }
    return make(adding: rule, to: other, for: identity)
  }

  @usableFromInline
  static func make(
    adding rule: Rule<Content>, to other: FieldMetadata?, for identity: InternKey.Numbers?
  ) -> FieldMetadata {
    guard let identity else { return adding(rule, to: other) }
    return InternTable.shared.object(for: InternKey(identity)) { isShared in
      let metadata = adding(rule, to: other)
      metadata.isShared = isShared
      return metadata
    }
  }
}
