@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Returns the field at a path, such as `"company.name"` or `"employees[2].name"`.
  ///
  /// A key with dots takes precedence: `"author.full_name"` is the field with this key, if there is one. Otherwise it
  /// is a field of the related model `author`.
  ///
  /// - Returns: the field; for an element, the field that has the list. Nil if there is no such field, or a related
  ///   model on the path is nil.
  /// - Complexity: O(*n*) in the number of fields of the models on the path.
  public func field(at path: FieldPath) -> AnyField? { try? locate(path).field }

  /// Returns the path of a field of this model: its key; nil for a field of another object.
  public func fieldPath(for field: AnyField) -> FieldPath? {
    guard field.owner === self, let key = field.key else { return nil }
    return [.key(key)]
  }

  /// The value at a path, such as `person["company.name"]` or `person["tags[0]"]`.
  ///
  /// Reading returns nil if the value is nil, or if the path is not found. Setting a value of another type, or at a
  /// path without field, changes nothing and is reported to ``ModelIssue/handler``, because a subscript can't throw.
  /// Use ``set(_:at:)`` to get the error instead.
  public subscript(path: FieldPath) -> Any? {
    get {
      guard let place = try? locate(path) else { return nil }
      guard let index = place.element else { return place.field.anyValue }
      guard let list = place.field.anyValue as? [Any], list.indices.contains(index) else { return nil }
      return list[index]
    }
    nonmutating set {
      do { try set(newValue, at: path) } catch { ModelIssue.report(error) }
    }
  }

  /// The value at a path given as text, such as `"company.name"`: see the subscript with a ``FieldPath``.
  public subscript(path: String) -> Any? {
    get { self[FieldPath(path)] }
    nonmutating set { self[FieldPath(path)] = newValue }
  }

  /// Sets the value at a path.
  ///
  /// - Parameters:
  ///   - value: a value of the field's type, or nil. For an element of a list, one of the elements' type.
  ///   - path: the path of a field, or of an existing element.
  /// - Throws: `FieldError` with the code `notFound` if there is no field at the path. The code is `wrongType` for a
  ///   value of another type. The model stays as it is.
  public func set(_ value: Any?, at path: FieldPath) throws {
    let place = try locate(path)
    guard let index = place.element else { return try place.field.set(anyValue: value) }
    guard var list = place.field.anyValue as? [Any] else {
      throw FieldError(notSet: path, "\(place.field.key ?? "the field") is not a list")
    }
    guard list.indices.contains(index) else {
      throw FieldError(notSet: path, "there is no element at index \(index), the list has \(list.count)")
    }
    guard let value else { throw FieldError(notSet: path, "an element of a list can't be nil", .wrongType) }
    list[index] = value
    try place.field.set(anyValue: list)
  }
}
