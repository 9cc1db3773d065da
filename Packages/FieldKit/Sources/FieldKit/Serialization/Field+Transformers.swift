extension Field {
  /// Returns the transformer of the field in a context: its own, else that of the context for the type, else the
  /// conversion of the type. The transformer of a list converts each element.
  ///
  /// - Parameter context: the source of transformers and of the leniency.
  public final func transformer(
    in context: ValueTransformerContext = .standard
  ) -> any ValueTransforming<Content> {
    metadata?.transformer?.transformer(in: context) ?? elementwiseTransformer(in: context)
      ?? TransformerOfType<Content>()
  }
}

/// The transformer of a context for a type, or the conversion of the type itself.
private struct TransformerOfType<Value>: ValueTransforming {
  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value? {
    json.isNull ? nil : try context.importValue(json, as: Value.self)
  }

  func exportValue(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue {
    try context.exportValue(value)
  }
}

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
