@_spi(ModelKitInternals) import FieldKit

/// The classes of a scope by their names in stores.
struct StoredTypeNames {
  private var rootClasses: [String: ModelObject.Type] = [:]
  // Mostly the class of the previous call.
  private var last: ModelObject.Type?

  /// The class with a name.
  subscript(_ name: String) -> ModelObject.Type? { rootClasses[name] }

  /// Registers a class under its name.
  ///
  /// - Returns: a class of another hierarchy that is registered under the name.
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
  /// Registers the class of stored models under its name. Records of two classes with one name would be mixed.
  ///
  /// - Returns: the error, if models of another hierarchy are stored under the name, or the class has a property that
  ///   no record can have.
  public func claimTypeName(of modelClass: ModelObject.Type) -> String? {
    if let error = ModelLayout.known(for: modelClass)?.wrongDeclaration { return error.message }
    let rootClass = ModelLayout.rootClass(of: modelClass)
    guard let other = map.typeNames.claim(rootClass) else { return nil }
    return """
      Models of \(ModelLayout.qualifiedTypeName(of: rootClass)) can't be stored with those of \
      \(ModelLayout.qualifiedTypeName(of: other)): both have the type name "\(rootClass.typeName)". \
      Nothing was read or written: override typeName in one of them.
      """
  }

  /// Returns the topmost class of the models stored under a name; nil if the scope has none.
  public func storedClass(named name: String) -> ModelObject.Type? { map.typeNames[name] }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The previous default name in stores, which included the module, for records written under it; nil if the class
  /// overrides its name.
  public static var formerTypeName: String? {
    typeName == ModelLayout.defaultTypeName(of: self) ? ModelLayout.qualifiedTypeName(of: self) : nil
  }
}
