extension AnyField {
  /// Reads the value from a dictionary. The field then equals the dictionary, and is not dirty.
  ///
  /// The key is spelled in the key case of the context, and dots in it address nested objects. A missing key, or a
  /// missing or `null` object on its path, leaves the field unchanged. A value that is `null` makes the field nil, and
  /// loaded.
  ///
  /// - Throws: ``FieldError`` for a field without key. ``ValueTransformError`` with the path of a value that does not
  ///   fit, or of a value on the path that is not an object. The field keeps its value and its state then.
  public final func read(from dictionary: AttributeDictionary, in context: ValueTransformerContext = .standard) throws {
    let key = try spelledKey(in: context)
    guard let json = try dictionary.value(atNestedKey: key) else { return }
    let apply: () -> Void
    do {
      apply = try staged(json, by: FieldReader(context: context))
    } catch let error as any ErrorWithPath {
      throw error.atNestedKey(key)
    }
    apply()
  }

  /// Writes the value to a dictionary. Nested objects keep their other members.
  ///
  /// A field that is not loaded writes nothing. Neither does nil, unless the context writes nil as `null`. The
  /// dictionary then keeps its value at the key.
  ///
  /// - Throws: ``FieldError`` for a field without key. ``ValueTransformError`` with the path of a value that can't be
  ///   written, or of a value on the path that is not an object. The dictionary is unchanged then.
  public final func write(
    to dictionary: inout AttributeDictionary, in context: ValueTransformerContext = .standard
  ) throws {
    let key = try spelledKey(in: context)
    guard case .loaded = loadState else { return }
    let json: JSONValue
    do {
      if let exported = try exported(by: FieldWriter(context: context)) {
        json = exported
      } else if context.explicitNull, anyValue == nil {
        json = .null
      } else {
        return
      }
    } catch let error as any ErrorWithPath {
      throw error.atNestedKey(key)
    }
    try dictionary.set(json, atNestedKey: key)
  }

  private func spelledKey(in context: ValueTransformerContext) throws -> String {
    guard let key else { throw noKey }
    return context.key(key)
  }
}

extension ErrorWithPath {
  fileprivate func atNestedKey(_ key: String) -> Self {
    key.split(separator: ".").reversed().reduce(self) { error, part in error.inMember(String(part)) }
  }
}
