extension Field {
  convenience init(copying original: Field) {
    self.init(
      unset: original.value, metadata: original.metadataForCopy, equality: original.equality,
      flags: original.metadata?.coerce == nil ? [] : [.hooksSet, .onlyConstrained])
    takeState(of: original)
  }

  /// Copies the state of another field, apart from its declaration.
  final func takeState(of original: Field) {
    copyStates(of: original)
  }

  /// The declaration, including a key that is derived from the property's name.
  final var metadataForCopy: FieldMetadata<Content>? {
    guard declaredKey == nil, let key else { return metadata }
    return .naming(key: key, on: metadata)
  }
}
