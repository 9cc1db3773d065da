extension AnyField {
  /// Reads the value from its place in a dictionary. Afterwards the field is as the dictionary has it, and so not dirty.
  ///
  /// The key is spelled as the context says, and dots in it lead into nested objects. A missing key leaves the field as it
  /// is, also if an object on the way is missing or `null`; a value that is `null` makes the field nil, and loaded.
  ///
  /// - Throws: ``FieldError`` for a field without key; ``ValueTransformError`` with the path of a value that does not
  ///   fit, or of something else than an object on the way. The field keeps its value and its state then.
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

  /// Writes the value to its place in a dictionary. Nested objects keep what else they have.
  ///
  /// A field that is not loaded writes nothing, and neither does nil, unless the context wants it as `null`: what the
  /// dictionary has at the key stays then.
  ///
  /// - Throws: ``FieldError`` for a field without key; ``ValueTransformError`` with the path of a value that can't be
  ///   written, or of something else than an object on the way. The dictionary stays as it is then.
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
