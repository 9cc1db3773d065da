/// The types of the records that stores keep beside those of models: the outbox of a synchronised store, and the change
/// log of a service.
@_spi(ModelKitInternals)
public enum BookkeepingType {
  private static let logs: Set<String> = ["RESTServiceChange", "RESTServiceChangeHead"]

  /// Returns whether the records of a type are no models.
  public static func contains(_ typeName: String) -> Bool { typeName.hasPrefix("sync.") || logs.contains(typeName) }
}
