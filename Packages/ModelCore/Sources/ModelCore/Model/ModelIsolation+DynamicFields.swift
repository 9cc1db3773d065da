@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Adds a field to this one model: `person << Field<String>(key: "nickname")`.
  ///
  /// From then on it is a field like those that are declared: it is read and written, validated, observed, copied, merged
  /// and found by its key.
  ///
  /// - Precondition: what ``add(field:)`` throws for. Use that where keys come from data.
  public static func << (model: Self, field: AnyField) {
    do {
      try model.add(field: field)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Adds a field to this one model, as `<<` does, and says what is wrong with it if it can't be added.
  ///
  /// - Parameter field: has to be declared with a key that no other field of the model has, and belong to nobody.
  /// - Throws: ``FieldAdditionError``; the model stays as it is.
  public func add(field: AnyField) throws {
    func refuse(_ reason: String) -> FieldAdditionError {
      FieldAdditionError(key: field.key, model: Self.self, reason: reason)
    }
    guard field.owner == nil else { throw refuse("it belongs to another object already") }
    guard let key = field.declaredKey else { throw refuse("it has no key: make it with Field(key: \"…\")") }
    guard self.field(forKey: key) == nil else { throw refuse("the model has a field with this key") }
    field.adopt(by: self, at: Int(UInt16.max))
    detailsForWriting.dynamicFields.append(field)
    if identityMap != nil { field.beWatched() }
    (self as? any FieldInitializing)?.initializeField(field)
    details?.fieldAdded(field, to: self)
  }
}

/// A field that can't be added to a model.
///
/// ```swift
/// do { try person.add(field: Field<String>()) } catch { print(error) }
/// // The field can't be added to Person: it has no key: make it with Field(key: "…").
/// ```
public struct FieldAdditionError: Error, CustomStringConvertible {
  /// The key of the field.
  public let key: String?
  /// The class of the model.
  public let model: ModelObject.Type
  /// Why it can't be added.
  public let reason: String

  /// What was refused, and why.
  public var description: String {
    "\(key.map { "The field \($0.quotedForMessage)" } ?? "The field") can't be added to \(model): \(reason)."
  }
}
