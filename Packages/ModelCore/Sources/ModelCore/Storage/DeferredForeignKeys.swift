/// The models that are saved by the same operation after the one being written. Foreign keys to them are omitted at
/// first, and written once the models have their identifiers.
@_spi(ModelKitInternals)
public enum DeferredForeignKeys {
  /// The identities of the models.
  @TaskLocal public static var models: Set<ObjectIdentifier> = []
}
