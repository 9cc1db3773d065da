extension Field {
  /// Sets the transformer that reads the value from JSON and writes it to JSON.
  ///
  /// A transformer for a named context applies only there, and takes precedence there. One without a name applies in
  /// every other context. A second transformer for the same context replaces the first.
  ///
  /// ```swift
  /// let day = Field<Date>()
  ///   .transform(with: .date(format: "yyyy-MM-dd"))
  ///   .transform(with: .date(format: "dd.MM.yy"), in: "csv")
  /// ```
  ///
  /// A transformer for all contexts also converts each value that is set: this `day`, set to a moment, becomes the
  /// beginning of its day. See ``ValueTransforming/losesPrecision``.
  ///
  /// - Parameters:
  ///   - transformer: reads and writes the value. It is not called for `null` and nil.
  ///   - context: the ``ValueTransformerContext/name`` of the contexts; nil for all.
  @discardableResult
  public func transform(with transformer: some ValueTransforming<Content>, in context: String? = nil) -> Self {
    metadata = .setting(transformer, in: context, on: metadata)
    if context == nil, transformer.losesPrecision { beginCoercing() }
    return self
  }

  /// Sets closures that read the value from JSON and write it to JSON.
  ///
  /// - Parameters:
  ///   - context: the ``ValueTransformerContext/name`` of the contexts; nil for all.
  ///   - importValue: converts JSON to a value, or throws to reject it. A result of nil sets the value to nil, as
  ///     `null` does. The field's error adds the path and has the thrown error as its ``ValueTransformError/cause``.
  ///   - exportValue: converts a value to JSON, or throws. A result of nil is written as nil is: not at all, or as
  ///     `null`.
  @discardableResult
  public func transform(
    in context: String? = nil,
    importValue: @escaping @Sendable (JSONValue) throws -> Content?,
    exportValue: @escaping @Sendable (Content) throws -> JSONValue?
  ) -> Self {
    transform(with: ClosureTransformer(importing: importValue, exporting: exportValue), in: context)
  }
}
