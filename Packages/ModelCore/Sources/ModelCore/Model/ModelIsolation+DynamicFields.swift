@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Adds a field to this one model: `person << Field<String>(key: "nickname")`.
  ///
  /// The field is then used like a declared one: it is read and written, validated, observed, copied, merged and found
  /// by its key. A store reads the record of an embedded model into a new model, which lacks such a field. So add
  /// fields only to models that have identifiers.
  ///
  /// - Precondition: the field can be added: see the errors of ``add(field:)``. Use that method where keys come from
  ///   data.
  public static func << (model: Self, field: AnyField) {
    do {
      try model.add(field: field)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Adds a field to this one model, as `<<` does, and throws if it can't be added.
  ///
  /// - Parameter field: a field without owner, declared with a key that no other field of the model has.
  /// - Throws: `FieldError` with the code `hasOwner`, `noKey` or `duplicateKey`; the model stays as it is.
  public func add(field: AnyField) throws {
    func refuse(_ code: FieldError.Code, _ reason: String) -> FieldError {
      FieldError(code, adding: field, to: Self.self, reason)
    }
    guard field.owner == nil else { throw refuse(.hasOwner, "it belongs to another object already") }
    guard let key = field.declaredKey else { throw refuse(.noKey, "it has no key: create it with Field(key: \"…\")") }
    guard self.field(forKey: key) == nil else { throw refuse(.duplicateKey, "the model has a field with this key") }
    field.adopt(by: self, at: Int(UInt16.max))
    detailsForWriting.dynamicFields.append(field)
    if watchesFields { field.beginTracking() }
    (self as? any FieldInitializing)?.initializeField(field)
    details?.fieldAdded(field, to: self)
  }
}
