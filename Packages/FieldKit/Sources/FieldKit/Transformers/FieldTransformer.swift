/// How one field is read and written: in all contexts, and in those of a name.
struct FieldTransformer<Content>: Sendable {
  private var general: (any ValueTransforming<Content>)?
  private var named: [String: any ValueTransforming<Content>] = [:]

  /// The transformer for a context; nil if the field leaves it to the context and the type.
  func transformer(in context: ValueTransformerContext) -> (any ValueTransforming<Content>)? {
    if !named.isEmpty, let name = context.name, let own = named[name] { return own }
    return general
  }

  /// Turns a value into the one that is read back after it was written; nil if that is always the same.
  ///
  /// Only of the transformer for all contexts: the others are for copies, and the record has everything.
  var normalization: ((Content) -> Coercion<Content>)? {
    guard let general, general.losesPrecision else { return nil }
    return Self.normalization(by: general)
  }

  private static func normalization<T: ValueTransforming<Content>>(by transformer: T) -> (Content) -> Coercion<Content>
  {
    let equality = ValueEquality<Content>.foundAtRunTime()
    return { value in
      // A value that can't be written stays: a save refuses it, and says why.
      guard let normalized = transformer.normalized(value), equality?.areEqual(value, normalized) != true else {
        return .none
      }
      return .replaced(by: normalized)
    }
  }

  /// The same with one more transformer, which replaces the one that was there for the same contexts.
  ///
  /// - Parameter name: the name of the contexts; nil for all that have none of their own.
  static func adding(
    _ transformer: any ValueTransforming<Content>, in name: String?, to other: FieldTransformer?
  ) -> FieldTransformer {
    var changed = other ?? FieldTransformer()
    if let name { changed.named[name] = transformer } else { changed.general = transformer }
    return changed
  }

  /// The same for lists, of which each element is read and written so: by the name of the contexts, or nil for all.
  var forLists: [(name: String?, transformer: any ValueTransforming<[Content]>)] {
    var transformers: [(name: String?, transformer: any ValueTransforming<[Content]>)] = []
    if let general { transformers.append((nil, Self.list(of: general))) }
    for (name, transformer) in named { transformers.append((name, Self.list(of: transformer))) }
    return transformers
  }

  private static func list(of element: some ValueTransforming<Content>) -> any ValueTransforming<[Content]> {
    ListTransformer(element: element)
  }
}

/// Reads and writes every element of a list alike.
private struct ListTransformer<Element: ValueTransforming>: ValueTransforming {
  let element: Element

  var losesPrecision: Bool { element.losesPrecision }

  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> [Element.Value]? {
    try context.importList(json) { $0.isNull ? nil : try element.take($0, in: context) }
  }

  func exportValue(_ value: [Element.Value], in context: ValueTransformerContext) throws -> JSONValue {
    try context.exportList(value) { try element.give($0, in: context) }
  }
}
