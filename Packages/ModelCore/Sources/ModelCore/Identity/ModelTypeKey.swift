/// The type of a model for its identity: a scope has one live object per key and identifier.
///
/// Classes with the same name in stores, such as those of one hierarchy, share a key. Classes with the same short name
/// in different modules or enclosing types do not.
struct ModelTypeKey: Hashable, Sendable {
  /// The topmost class of the hierarchy.
  let rootClass: ModelObject.Type

  init(rootClass: ModelObject.Type) { self.rootClass = rootClass }

  /// Creates the key of a class.
  init(_ modelClass: ModelObject.Type) { rootClass = ModelLayout.rootClass(of: modelClass) }

  /// Two keys are equal when they stand for the same hierarchy.
  static func == (left: ModelTypeKey, right: ModelTypeKey) -> Bool { left.rootClass == right.rootClass }

  /// Hashes the identity of the topmost class.
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(rootClass)) }
}

extension ModelObject {
  var typeKey: ModelTypeKey { ModelTypeKey(rootClass: layout.rootClass) }
}
