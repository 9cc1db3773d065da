extension Field {
  /// Says how the value is read from and written to JSON.
  ///
  /// A transformer of a name counts in contexts of that name only, and comes first there. One without a name counts in
  /// every context for which the field has no other. A second one for the same contexts replaces the first.
  ///
  /// ```swift
  /// let day = Field<Date>().transform(with: .date(format: "yyyy-MM-dd")).transform(with: .date(format: "dd.MM.yy"), in: "csv")
  /// ```
  ///
  /// The field holds no more than a transformer for all contexts writes: this `day` set to a moment is the beginning of its
  /// day. See ``ValueTransforming/losesPrecision``.
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

  /// Says with closures how the value is read from and written to JSON.
  ///
  /// - Parameters:
  ///   - context: the ``ValueTransformerContext/name`` of the contexts; nil for all.
  ///   - importValue: turns JSON into a value, or throws. Nil from it makes the value nil, as `null` does; to refuse what
  ///     was found, throw. The error of the field says where it was, and has yours as its
  ///     ``ValueTransformError/cause``.
  ///   - exportValue: turns a value into JSON, or throws. Nil from it is written as nil is: not at all, or as `null`.
  @discardableResult
  public func transform(
    in context: String? = nil,
    importValue: @escaping @Sendable (JSONValue) throws -> Content?,
    exportValue: @escaping @Sendable (Content) throws -> JSONValue?
  ) -> Self {
    transform(with: ClosureTransformer(importing: importValue, exporting: exportValue), in: context)
  }
}
