/// What a field needs to know while it is read. ModelCore derives one that also makes models.
@_spi(ModelKitInternals)
open class FieldReader {
  /// How values are spelled.
  public let context: ValueTransformerContext

  /// Creates one for a context.
  public init(context: ValueTransformerContext) { self.context = context }
}

/// What a field needs to know while it is written. ModelCore derives one that also keeps track of models.
@_spi(ModelKitInternals)
open class FieldWriter {
  /// How values are spelled.
  public let context: ValueTransformerContext

  /// Creates one for a context.
  public init(context: ValueTransformerContext) { self.context = context }
}
