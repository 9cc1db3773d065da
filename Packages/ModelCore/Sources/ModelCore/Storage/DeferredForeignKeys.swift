/// The models that are saved together with the one being written, after it: foreign keys to them are left out for now, and
/// written when the models have their identifiers.
@_spi(ModelKitInternals)
public enum DeferredForeignKeys {
  /// The identities of the models.
  @TaskLocal public static var models: Set<ObjectIdentifier> = []
}
