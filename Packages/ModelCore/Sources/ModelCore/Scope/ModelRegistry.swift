/// Where a ``ModelScope`` looks up the one object for a type and an identifier.
///
/// ``MemoryRegistry`` holds models weakly. One that holds some of them strongly is a cache:
///
/// ```swift
/// final class LastHundred: ModelRegistry {
///   private let registry = MemoryRegistry()
///   private var recent: [ModelObject] = []
///   func canonicalModel(of type: ModelTypeKey, identifier: String) -> ModelObject? {
///     registry.canonicalModel(of: type, identifier: identifier)
///   }
///   func register(_ model: ModelObject, as type: ModelTypeKey, identifier: String) {
///     registry.register(model, as: type, identifier: identifier)
///     recent = (recent + [model]).suffix(100)
///   }
///   func forget(_ type: ModelTypeKey, identifier: String) { registry.forget(type, identifier: identifier) }
/// }
/// let scope = ModelScope(registry: LastHundred())
/// ```
///
/// A scope registers a model once under each identifier it has had, and never one without identifier. A model refers to
/// its scope, so a registry that retains models is freed once it forgets them.
///
/// - Note: Not `Sendable`: it lives in the isolation of its scope.
public protocol ModelRegistry: AnyObject {
  /// The live object for an identifier, if there is one.
  func canonicalModel(of type: ModelTypeKey, identifier: String) -> ModelObject?
  /// Makes a model the object for an identifier; the scope has made sure that no other live one is.
  func register(_ model: ModelObject, as type: ModelTypeKey, identifier: String)
  /// Says that no model has the identifier any more.
  func forget(_ type: ModelTypeKey, identifier: String)
}
