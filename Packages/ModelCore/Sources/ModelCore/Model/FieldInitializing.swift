@_spi(ModelKitInternals) public import FieldKit

/// A model class that configures each of its fields when a model is created.
///
/// ```swift
/// final class Person: Model, FieldInitializing {
///   let firstName = Field<String>()
///   func initializeField(_ field: AnyField) {
///     field.rename(field.key.map { localized("person." + $0) })
///   }
/// }
/// ```
///
/// This is a protocol, not a method to override, so that other classes have no cost: the conformance is checked once
/// per class. In a module whose default isolation is the main actor, it is declared like the class, without isolation.
public protocol FieldInitializing: ModelIsolation {
  /// Configures a field of a new model.
  ///
  /// Called in `init` for each declared field, in the order of declaration, superclasses first. A field that is added
  /// at run time is passed when it is added.
  ///
  /// - Parameter field: a field that already has its owner and its key. The subclass's `init` has not run beyond
  ///   `super.init()`.
  func initializeField(_ field: AnyField)
}

/// A model class that lists fields which are not stored properties of their own, such as those in an array.
///
/// ```swift
/// final class Survey: Model, FieldListing {
///   let answers = (1...20).map { Field<Int>(key: "answer\($0)") }
///   var listedFields: [AnyField] { answers }
/// }
/// ```
///
/// The fields of stored properties are found without it, once for each class. Listed fields are added to each model, as
/// those that are added at run time are, so that reading and writing them is slower.
public protocol FieldListing: ModelIsolation {
  /// The fields besides those of stored properties, each declared with a key that no other field of the model has.
  var listedFields: [AnyField] { get }
}

extension ModelObject {
  /// Runs the initialisation that the protocols of a class add to a new model.
  func initializeFields() {
    if let initializer = self as? any FieldInitializing {
      layout.forEachField(of: self) { field, _ in initializer.initializeField(field) }
    }
    if let lister = self as? any (ModelObject & FieldListing) {
      for field in lister.listedFields {
        do { try lister.add(field: field) } catch { preconditionFailure("\(error)") }
      }
    }
    if self is any ChangeIntercepting { interceptChanges() }
  }
}
