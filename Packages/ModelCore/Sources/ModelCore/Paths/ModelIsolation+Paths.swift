@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// The field that a path leads to, such as `"company.name"` or `"employees[2].name"`.
  ///
  /// A key with dots is found as it is declared: `"author.full_name"` leads to the field with this key before it leads into
  /// a relation called `author`.
  ///
  /// - Returns: nil if the path leads nowhere: there is no such field, or no model on the way; for an element the field that
  ///   has the list.
  /// - Complexity: O(*n*) in the number of fields of the models on the way.
  public func field(at path: FieldPath) -> AnyField? { try? locate(path).field }

  /// The value that a path leads to, such as `person["company.name"]` or `person["tags[0]"]`.
  ///
  /// Reading gives nil if the value is nil, and if the path leads nowhere. A subscript can't throw, and what is set here may
  /// come from elsewhere: so setting a value that does not fit, or where there is no field, changes nothing and is reported
  /// to ``ModelIssue/handler``. Use ``set(_:at:)`` to get the error instead.
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

  /// The value that a path leads to, written as text: see the subscript with a ``FieldPath``.
  public subscript(path: String) -> Any? {
    get { self[FieldPath(path)] }
    nonmutating set { self[FieldPath(path)] = newValue }
  }

  /// Sets the value that a path leads to.
  ///
  /// - Parameters:
  ///   - value: a value of the field's type, or nil. For an element of a list, one of the elements' type.
  ///   - path: leads to a field, or to an element that is there already.
  /// - Throws: `FieldError` with the code `notFound` if the path leads to no field, `wrongType` for a value of another type;
  ///   nothing is changed then.
  public func set(_ value: Any?, at path: FieldPath) throws {
    let place = try locate(path)
    guard let index = place.element else { return try place.field.set(anyValue: value) }
    guard var list = place.field.anyValue as? [Any] else {
      throw FieldError(notSet: path, "\(place.field.key ?? "it") holds no list")
    }
    guard list.indices.contains(index) else {
      throw FieldError(notSet: path, "there is no element \(index), the list has \(list.count)")
    }
    guard let value else { throw FieldError(notSet: path, "an element of a list can't be nil", .wrongType) }
    list[index] = value
    try place.field.set(anyValue: list)
  }
}
