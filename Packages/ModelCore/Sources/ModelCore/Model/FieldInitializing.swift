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
/// This is a protocol, not a method to override, so that other classes pay nothing: the conformance is checked once per
/// class. In a module whose default isolation is the main actor, it is declared like the class, without isolation.
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

extension ModelObject {
  func initializeFields() {
    guard let initializer = self as? any FieldInitializing else { return }
    layout.forEachField(of: self) { field, _ in initializer.initializeField(field) }
  }
}
