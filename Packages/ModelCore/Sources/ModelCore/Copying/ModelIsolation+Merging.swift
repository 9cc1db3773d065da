@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Takes what another model knows better: every field that is loaded there and was set later than here.
  ///
  /// Fields belong together by their keys. Values keep their stamps, so that merging twice does no more than merging once.
  /// A relation refers to the other's models afterwards; they are not merged, and with an inverse they lead back here.
  /// Observers are told once everything was taken.
  ///
  /// ```swift
  /// person.merge(from: draft, exclude: [person.id])
  /// ```
  ///
  /// - Parameters:
  ///   - other: the model to take values from. Fields that were added there at run time are taken if this model has a field
  ///     with the same key; one with values of another type is reported to ``ModelIssue/handler``.
  ///   - excluded: fields that keep their values, named by those of this model or of the other one.
  /// - Returns: the fields of this model that took a value, whether or not it differs, in the order of ``fields``.
  @discardableResult
  public func merge(from other: Self, exclude excluded: [AnyField] = []) -> [AnyField] {
    let excluded = Set(excluded.map { ObjectIdentifier($0) })
    return merged(from: other) { mine, theirs in
      !excluded.contains(ObjectIdentifier(mine)) && !excluded.contains(ObjectIdentifier(theirs))
    }
  }

  /// Takes the values of named fields from another model, whether they are newer there or older.
  ///
  /// A newer value keeps its stamp, as in ``merge(from:exclude:)``. An older one is set now, like any other change.
  ///
  /// ```swift
  /// let taken = person.merge(from: earlier, include: [person.name])
  /// ```
  ///
  /// - Parameters:
  ///   - other: the model to take values from.
  ///   - included: the fields that take a value, named by those of this model or of the other one.
  ///   - condition: gets a field of this model and that of the other; returns whether the value may be taken. Asked only
  ///     for included fields.
  /// - Returns: the fields of this model that have the other's value now. An included field is missing here if it is not
  ///   loaded there, or if the condition kept it.
  @discardableResult
  public func merge(
    from other: Self, include included: [AnyField],
    if condition: (_ mine: AnyField, _ other: AnyField) -> Bool = { _, _ in true }
  ) -> [AnyField] {
    let included = Set(included.map { ObjectIdentifier($0) })
    return merged(from: other, takesOlder: true) { mine, theirs in
      (included.contains(ObjectIdentifier(mine)) || included.contains(ObjectIdentifier(theirs)))
        && condition(mine, theirs)
    }
  }

  /// Takes what another model knows better, where a condition holds: see ``merge(from:exclude:)``.
  ///
  /// - Parameters:
  ///   - other: the model to take values from.
  ///   - condition: gets a field of this model and that of the other; returns whether the value may be taken.
  /// - Returns: the fields of this model that took a value.
  @discardableResult
  public func merge(
    from other: Self, if condition: (_ mine: AnyField, _ other: AnyField) -> Bool
  ) -> [AnyField] {
    merged(from: other, if: condition)
  }

  /// The fields of this model whose values differ from those of another model, in the order of ``fields``.
  ///
  /// Fields belong together by their keys; one that the other has not differs if it has a value. Relations differ if they
  /// lead to other objects. Values that can't be compared differ.
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
    from other: ModelObject, takesOlder: Bool = false, if condition: (AnyField, AnyField) -> Bool
  ) -> [AnyField] {
    if other === self { return [] }
    storeMark = nil
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

  /// The field that has the key of a field of another model.
  fileprivate func field(like field: AnyField, of model: ModelObject) -> AnyField? {
    let index = Int(field.layoutIndex)
    if layout === model.layout, let own = layout.field(at: index, of: self), own.declaredKey == field.declaredKey {
      return own
    }
    return field.key.flatMap { self.field(forKey: $0) }
  }
}
