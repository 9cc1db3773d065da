/// The transformers of one field: one for all contexts, and others for named contexts.
struct FieldTransformer<Content>: Sendable {
  private var general: (any ValueTransforming<Content>)?
  private var named: [String: any ValueTransforming<Content>] = [:]

  /// Returns the transformer for a context; nil if the field has none for it.
  func transformer(in context: ValueTransformerContext) -> (any ValueTransforming<Content>)? {
    if !named.isEmpty, let name = context.name, let own = named[name] { return own }
    return general
  }

  /// A closure that replaces a value by the one that is read back after it was written; nil if these are always equal.
  ///
  /// Only the transformer for all contexts normalizes: named contexts are for copies, and the record is complete.
  var normalization: ((Content) -> Coercion<Content>)? {
    guard let general, general.losesPrecision else { return nil }
    return Self.normalization(by: general)
  }

  private static func normalization<T: ValueTransforming<Content>>(by transformer: T) -> (Content) -> Coercion<Content>
  {
    let equality = ValueEquality<Content>.foundAtRunTime()
    return { value in
      // A value that can't be written stays: a save rejects it and reports the reason.
      guard let normalized = transformer.normalized(value), equality?.areEqual(value, normalized) != true else {
        return .none
      }
      return .replaced(by: normalized)
    }
  }

  /// Returns these transformers with one more, which replaces the previous one for the same context.
  ///
  /// - Parameter name: the name of the context; nil for all contexts without a transformer of their own.
  static func adding(
    _ transformer: any ValueTransforming<Content>, in name: String?, to other: FieldTransformer?
  ) -> FieldTransformer {
    var changed = other ?? FieldTransformer()
    if let name { changed.named[name] = transformer } else { changed.general = transformer }
    return changed
  }

  /// The transformers of lists whose elements are transformed by these, each with the name of its context.
  var forLists: [(name: String?, transformer: any ValueTransforming<[Content]>)] {
    var transformers: [(name: String?, transformer: any ValueTransforming<[Content]>)] = []
    if let general { transformers.append((nil, Self.list(of: general))) }
    for (name, transformer) in named { transformers.append((name, Self.list(of: transformer))) }
    return transformers
  }

  static func list(of element: some ValueTransforming<Content>) -> any ValueTransforming<[Content]> {
    ListTransformer(element: element)
  }
}

/// A transformer that reads and writes every element of a list alike.
private struct ListTransformer<Element: ValueTransforming>: ValueTransforming {
  let element: Element

  var losesPrecision: Bool { element.losesPrecision }

  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> [Element.Value]? {
    try context.importList(json) { $0.isNull ? nil : try element.read($0, in: context) }
  }

  func exportValue(_ value: [Element.Value], in context: ValueTransformerContext) throws -> JSONValue {
    try context.exportList(value) { try element.write($0, in: context) }
  }
}
