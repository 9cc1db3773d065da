@_spi(ModelKitInternals)
extension Field {
  /// Returns whether the field declares a transformer for a context.
  public final func hasTransformer(in context: ValueTransformerContext) -> Bool {
    guard let metadata else { return false }
    return metadata.transformer?.transformer(in: context) != nil
  }

  /// Whether the field declares a transformer for any context.
  public final var hasTransformers: Bool { metadata?.transformer != nil }

  /// Applies the transformers of an element's declaration to every element of the list.
  public final func takeTransformers<Element>(ofElement element: Field<Element>) where Content == [Element] {
    for (name, transformer) in element.metadata?.transformer?.forLists ?? [] {
      metadata = .setting(transformer, in: name, on: metadata)
    }
  }
}
