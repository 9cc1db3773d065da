@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Takes every value of another model that was set later than the value of this one.
  ///
  /// Fields are matched by key. Values keep their stamps, so merging twice has the same effect as merging once. A
  /// relation then references the related models of the other model. They are not merged; with an inverse, they
  /// reference this model. Observers are notified at the end.
  ///
  /// ```swift
  /// person.merge(from: copy, exclude: [person.id])
  /// // Merges the name even if it is older there:
  /// person.merge(from: earlier, include: [person.name])
  /// ```
  ///
  /// - Parameters:
  ///   - other: the model to take values from. A field added there at run time is taken if this model has a field with
  ///     the same key. A value of another type is reported to ``ModelIssue/handler``.
  ///   - included: the only fields to take, even if their values are older; nil for all fields whose values are newer.
  ///     An older value is set like any other change. The fields may belong to either model.
  ///   - excluded: fields that keep their values. They may belong to either model.
  ///   - condition: receives a field of this model and the matching one of the other; returns whether to take the
  ///     value. It is called only for fields that are included and not excluded.
  /// - Returns: the fields of this model that took a value, even an equal one, in the order of ``fields``.
  @discardableResult
  public func merge(
    from other: Self, include included: [AnyField]? = nil, exclude excluded: [AnyField] = [],
    if condition: (_ mine: AnyField, _ other: AnyField) -> Bool = { _, _ in true }
  ) -> [AnyField] {
    let included = included.map { Set($0.map { ObjectIdentifier($0) }) }
    let excluded = Set(excluded.map { ObjectIdentifier($0) })
    func isNamed(in named: Set<ObjectIdentifier>, _ mine: AnyField, _ theirs: AnyField) -> Bool {
      named.contains(ObjectIdentifier(mine)) || named.contains(ObjectIdentifier(theirs))
    }
    return merged(from: other, takesOlder: included != nil) { mine, theirs in
      included.map { isNamed(in: $0, mine, theirs) } ?? true && !isNamed(in: excluded, mine, theirs)
        && condition(mine, theirs)
    }
  }

  /// Returns the fields of this model whose values differ from those of another model, in the order of ``fields``.
  ///
  /// Fields are matched by key. A field without match differs if it has a value. Relations differ if they reference
  /// other objects. Values that can't be compared differ if they are written differently.
  public func differences(from other: Self) -> [AnyField] {
    orderedFields.filter { field in
      guard let match = other.field(like: field, of: self) else { return field.anyValue != nil }
      if field.anyValue == nil, match.anyValue == nil { return false }
      return !field.hasSameValue(as: match)
    }
  }
}

extension ModelObject {
  fileprivate func merged(
    from other: ModelObject, takesOlder: Bool, if condition: (AnyField, AnyField) -> Bool
  ) -> [AnyField] {
    if other === self { return [] }
    readVersion = nil
    return transaction {
      orderedFields.filter { field in
        guard let match = other.field(like: field, of: self), condition(field, match) else { return false }
        do {
          if try field.merge(from: match) { return true }
          guard takesOlder, match.loadState == .loaded else { return false }
          if !field.hasSameValue(as: match) { try field.set(anyValue: match.anyValue) }
          return true
        } catch {
          ModelIssue.report(error)
          return false
        }
      }
    }
  }

  /// Returns the field with the key of a field of another model.
  fileprivate func field(like field: AnyField, of model: ModelObject) -> AnyField? {
    let index = Int(field.layoutIndex)
    if layout === model.layout, let own = layout.field(at: index, of: self), own.declaredKey == field.declaredKey {
      return own
    }
    return field.key.flatMap { self.field(forKey: $0) }
  }
}
