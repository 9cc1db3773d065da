/// A class of models that messages call by another name than Swift does, as one that was made for an entity of a schema.
@_spi(ModelKitInternals)
public protocol NamedModelClass: ModelObject {
  /// What messages call the class; nil if there is nothing better than its name in Swift.
  static var ownName: String? { get }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// What messages call the class.
  public static var displayName: String { (self as? any NamedModelClass.Type)?.ownName ?? "\(self)" }
}
