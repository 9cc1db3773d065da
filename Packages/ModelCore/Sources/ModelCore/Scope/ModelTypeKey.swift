/// Which type a model is of, as far as identity goes: within a scope there is one live object for one such key and one
/// identifier.
///
/// Classes that stores call the same, as those of one hierarchy are, share a key; classes of one short name in different
/// modules or enclosing types do not.
struct ModelTypeKey: Hashable, Sendable {
  /// The topmost class of the hierarchy.
  let rootClass: ModelObject.Type

  init(rootClass: ModelObject.Type) { self.rootClass = rootClass }

  /// The key of a class.
  init(_ modelClass: ModelObject.Type) { rootClass = ModelLayout.rootClass(of: modelClass) }

  /// Two keys are equal when they stand for the same hierarchy.
  static func == (left: ModelTypeKey, right: ModelTypeKey) -> Bool { left.rootClass == right.rootClass }

  /// Hashes the identity of the topmost class.
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(rootClass)) }
}

extension ModelObject {
  var typeKey: ModelTypeKey { ModelTypeKey(rootClass: layout.rootClass) }
}
