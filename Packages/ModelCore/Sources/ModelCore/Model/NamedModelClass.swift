/// A model class that messages name differently from Swift, such as one created for an entity of a schema.
@_spi(ModelKitInternals)
public protocol NamedModelClass: ModelObject {
  /// The name of the class in messages; nil to use its name in Swift.
  static var ownName: String? { get }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The name of the class in messages.
  public static var displayName: String { (self as? any NamedModelClass.Type)?.ownName ?? "\(self)" }
}
