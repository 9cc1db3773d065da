/// What a field needs to know while it is read. ModelCore derives one that also makes models.
@_spi(ModelKitInternals)
open class FieldReader {
  /// How values are spelled.
  public let context: ValueTransformerContext
  /// The changes that are made, if values are set as a person would set them; nil if they are loaded.
  public let edits: FieldEdits?

  /// Creates one for a context.
  ///
  /// - Parameters:
  ///   - context: how values are spelled.
  ///   - edits: records the fields that are changed, if values are to be set and not loaded.
  public init(context: ValueTransformerContext, edits: FieldEdits? = nil) {
    self.context = context
    self.edits = edits
  }
}

/// What a field needs to know while it is written. ModelCore derives one that also keeps track of models.
@_spi(ModelKitInternals)
open class FieldWriter {
  /// How values are spelled.
  public let context: ValueTransformerContext

  /// Creates one for a context.
  public init(context: ValueTransformerContext) { self.context = context }
}
