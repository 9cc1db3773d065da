/// The context in which a field is read. ModelCore derives one that also creates models.
@_spi(ModelKitInternals)
open class FieldReader {
  /// The format of values.
  public let context: ValueTransformerContext
  /// The record of local edits, if values are set as edits; nil if they are loaded.
  public let edits: FieldEdits?

  /// Creates a reader for a context.
  ///
  /// - Parameters:
  ///   - context: the format of values.
  ///   - edits: records the changed fields, if values are set as local edits and not loaded.
  public init(context: ValueTransformerContext, edits: FieldEdits? = nil) {
    self.context = context
    self.edits = edits
  }
}

/// The context in which a field is written. ModelCore derives one that also tracks models.
@_spi(ModelKitInternals)
open class FieldWriter {
  /// The format of values.
  public let context: ValueTransformerContext

  /// Creates a writer for a context.
  public init(context: ValueTransformerContext) { self.context = context }
}
