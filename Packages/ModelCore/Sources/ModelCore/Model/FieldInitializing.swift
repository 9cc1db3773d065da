@_spi(ModelKitInternals) public import FieldKit

/// A model class that wants to see each of its fields when a model is made, and the field has got its key.
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
/// A protocol, and not a method to override, so that classes that don't want it pay nothing: whether a class does is asked
/// once per class. In a module whose default isolation is the main actor it is declared like the class, without isolation.
public protocol FieldInitializing: ModelIsolation {
  /// Called once for each field: in `init` for those that are declared, in the order of their declaration, superclasses
  /// first, and when they are added for those that are added at run time.
  ///
  /// - Parameter field: knows its owner and its key already. The subclass's `init` has not run beyond `super.init()`.
  func initializeField(_ field: AnyField)
}

extension ModelObject {
  func initializeFields() {
    guard let initializer = self as? any FieldInitializing else { return }
    layout.forEachField(of: self) { field, _ in initializer.initializeField(field) }
  }
}
