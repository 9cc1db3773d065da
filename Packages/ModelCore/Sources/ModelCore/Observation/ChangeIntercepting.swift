@_spi(ModelKitInternals) import FieldKit

/// A model class that receives each change of its models, and of the models that can be reached from them.
///
/// ```swift
/// final class Order: Model, ChangeIntercepting {
///   let lines = ModelField<Line>()*
///   let total = Field<Int>()
///   func intercept(changeAt path: FieldPath) {
///     if path.components.first == .key("lines") {
///       total.value = lines.value?.reduce(0) { $0 + ($1.price.value ?? 0) }
///     }
///   }
/// }
/// ```
///
/// A protocol and not a method to override, so that other classes have no cost. A model of such a class observes every
/// field that it can reach.
public protocol ChangeIntercepting: ModelIsolation {
  /// Called for every change, before the observers of the model. In a `transaction`, it is called at the end.
  ///
  /// - Parameter path: the path of the field that changed, beginning with a field of this model: see
  ///   `addObserver(for:)`.
  func intercept(changeAt path: FieldPath)
}

extension ModelObject {
  /// Adds the model as its own first observer.
  func interceptChanges() {
    // Retained by the watch alone, which the model holds.
    watch(for: nil).addObserver(updateImmediately: false) { [weak self] _, path in
      (self as? any ChangeIntercepting)?.intercept(changeAt: path)
    }
  }
}

extension ModelIsolation where Self: ModelObject {
  /// Notifies the observers of a field as if it had changed, such as after a change of the data that it is computed
  /// from.
  ///
  /// Observers of the field receive the same value as old and new one. Observers of this model, and of models that
  /// reach it, receive the path. As with any change, observers of longer paths through the field are notified, too.
  ///
  /// - Parameter path: the path of a field.
  /// - Throws: `FieldError` with the code `notFound` if there is no field at the path.
  public func announceChange(at path: FieldPath) throws {
    let field = try locate(path).field
    func announce<Content>(_ type: Content.Type) {
      guard let field = field as? Field<Content> else { return }
      let value = field.value
      field.announce(from: value, to: value, isChange: true, stamp: .next())
    }
    _openExistential(field.valueType, do: announce)
  }
}
