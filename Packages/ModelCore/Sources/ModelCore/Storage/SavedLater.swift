/// Models that are saved in the same go as the one being written, after it: foreign keys that lead to them are left out for
/// now, and written when the models have their identifiers.
@_spi(ModelKitInternals)
public enum SavedLater {
  /// The identities of the models.
  @TaskLocal public static var models: Set<ObjectIdentifier> = []
}
