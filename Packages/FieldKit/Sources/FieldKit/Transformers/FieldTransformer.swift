/// How one field is read and written: in all contexts, and in those of a name.
struct FieldTransformer<Content>: Sendable {
  private var general: (any ValueTransforming<Content>)?
  private var named: [String: any ValueTransforming<Content>] = [:]

  /// The transformer for a context; nil if the field leaves it to the context and the type.
  func transformer(in context: ValueTransformerContext) -> (any ValueTransforming<Content>)? {
    if !named.isEmpty, let name = context.name, let own = named[name] { return own }
    return general
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
}
