@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Takes what another model knows better: every field that is loaded there and was set later than here.
  ///
  /// Fields belong together by their keys. Values keep their stamps, so that merging twice does no more than merging once.
  /// A relation refers to the other's models afterwards; they are not merged, and with an inverse they lead back here.
  /// Observers are notified once everything was taken.
  ///
  /// ```swift
  /// person.merge(from: draft, exclude: [person.id])
  /// person.merge(from: earlier, include: [person.name])  // whether it is newer there or older
  /// ```
  ///
  /// - Parameters:
  ///   - other: the model to take values from. Fields that were added there at run time are taken if this model has a field
  ///     with the same key; one with values of another type is reported to ``ModelIssue/handler``.
  ///   - included: the only fields that take a value, also an older one, which is set now like any other change; nil for all
  ///     fields that are newer there. They are fields of this model or of the other one, as the excluded ones are.
  ///   - excluded: fields that keep their values.
  ///   - condition: gets a field of this model and that of the other; returns whether the value may be taken. It is called
  ///     only for fields that are included and not excluded.
  /// - Returns: the fields of this model that took a value, whether or not it differs, in the order of ``fields``.
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
    from other: ModelObject, takesOlder: Bool, if condition: (AnyField, AnyField) -> Bool
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
