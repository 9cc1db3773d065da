@_spi(ModelKitInternals)
extension Field {
  /// Whether the declaration says how the value is read and written in a context.
  public final func hasTransformer(in context: ValueTransformerContext) -> Bool {
    guard let metadata else { return false }
    return metadata.transformer?.transformer(in: context) != nil
  }

  /// Whether the declaration says how the value is read and written in any context.
  public final var hasTransformers: Bool { metadata?.transformer != nil }

  /// Has every element of the list read and written as the declaration of one says.
  public final func takeTransformers<Element>(ofElement element: Field<Element>) where Content == [Element] {
    for (name, transformer) in element.metadata?.transformer?.forLists ?? [] {
      metadata = .setting(transformer, in: name, on: metadata)
    }
  }
}
