extension Field {
  convenience init(copying original: Field) {
    self.init(
      unset: original.value, metadata: original.metadataForCopy, equality: original.equality,
      flags: original.metadata?.coerce == nil ? [] : [.hooksSet, .onlyConstrained])
    takeState(of: original)
  }

  /// Takes over what a copy shares with its original beside the declaration.
  final func takeState(of original: Field) {
    takeStates(of: original)
  }

  /// The declaration, with the key that a field of a model takes from its property.
  final var metadataForCopy: FieldMetadata<Content>? {
    guard declaredKey == nil, let key else { return metadata }
    return .naming(key: key, on: metadata)
  }
}
