@_spi(ModelKitInternals) import FieldKit

/// Which classes a scope keeps under the names that stores have for them.
struct StoredTypeNames {
  private var rootClasses: [String: ModelObject.Type] = [:]
  // Mostly it is the class that it was before.
  private var last: ModelObject.Type?

  /// The class that is kept under a name.
  subscript(_ name: String) -> ModelObject.Type? { rootClasses[name] }

  /// Takes note of a class.
  ///
  /// - Returns: a class of another hierarchy that has the name already.
  mutating func claim(_ rootClass: ModelObject.Type) -> ModelObject.Type? {
    if rootClass == last { return nil }
    let name = rootClass.typeName
    if let known = rootClasses[name], known != rootClass { return known }
    rootClasses[name] = rootClass
    last = rootClass
    return nil
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// Takes note that models of a class are stored under its name. Records of two classes would be mixed if both had it.
  ///
  /// - Returns: what is wrong, if models of another hierarchy are stored under it.
  public func claimTypeName(of modelClass: ModelObject.Type) -> String? {
    let rootClass = ModelLayout.rootClass(of: modelClass)
    guard let other = map.typeNames.claim(rootClass) else { return nil }
    return """
      Models of \(ModelLayout.qualifiedTypeName(of: rootClass)) can't be kept beside those of \
      \(ModelLayout.qualifiedTypeName(of: other)): both classes are called "\(rootClass.typeName)" in a store, which would \
      mix them. Override typeName in one of them. Nothing was read or written.
      """
  }

  /// The topmost class of the models that are stored under a name; nil if the scope has met none.
  public func storedClass(named name: String) -> ModelObject.Type? { map.typeNames[name] }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// What stores called models of this class when the module was a part of the default name, for what was stored then; nil if
  /// the class has a name of its own.
  public static var formerTypeName: String? {
    typeName == ModelLayout.defaultTypeName(of: self) ? ModelLayout.qualifiedTypeName(of: self) : nil
  }
}
