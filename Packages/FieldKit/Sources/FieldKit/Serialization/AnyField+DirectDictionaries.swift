// Fast paths between fields of common value types and the members of a dictionary, without a lookup of transformers and
// codecs: see `DirectKind`.
@_spi(ModelKitInternals)
extension AnyField {
  /// Returns the value as the member of a dictionary, like ``exported(by:)``; nil where nothing is to be written.
  ///
  /// - Parameters:
  ///   - kind: the kind of the field in the context of `fieldWriter`; no relation.
  ///   - declaredKey: the key in the class's first instance.
  ///   - inclusion: the fields to write.
  ///   - fieldWriter: has the context.
  /// - Throws: an error if the field is declared differently than in the class's first instance, or if the value can't
  ///   be written.
  public final func directMember(
    as kind: DirectKind, declaredKey: String?, _ inclusion: DirectInclusion, by fieldWriter: FieldWriter
  ) throws -> JSONValue? {
    guard isIncluded(in: inclusion) else { return Optional<JSONValue>.none }
    let value: JSONValue?
    switch kind {
    case .int:
      guard asInt.metadata.isPlain(declaredKey) else { throw OtherDeclaration() }
      value = asInt.value.map { .int($0) }
    case .string:
      guard asString.metadata.isPlain(declaredKey) else { throw OtherDeclaration() }
      value = asString.value.map { .string($0) }
    case .double:
      guard asDouble.metadata.isPlain(declaredKey) else { throw OtherDeclaration() }
      guard let double = asDouble.value else { return nilMember(by: fieldWriter) }
      guard double.isFinite else { throw OtherDeclaration() }
      value = .double(double)
    case .bool:
      guard asBool.metadata.isPlain(declaredKey) else { throw OtherDeclaration() }
      value = asBool.value.map { .bool($0) }
    case .strings:
      guard asStrings.metadata.isPlain(declaredKey), !asStrings.transformsElements else { throw OtherDeclaration() }
      value = asStrings.value.map { .array($0.map { .string($0) }) }
    case .ints:
      guard asInts.metadata.isPlain(declaredKey), !asInts.transformsElements else { throw OtherDeclaration() }
      value = asInts.value.map { .array($0.map { .int($0) }) }
    case .value:
      guard declaredKey == self.declaredKey else { throw OtherDeclaration() }
      value = try exported(by: fieldWriter)
    case .relation: throw OtherDeclaration()
    }
    return value ?? nilMember(by: fieldWriter)
  }

  private final func nilMember(by fieldWriter: FieldWriter) -> JSONValue? {
    guard fieldWriter.context.explicitNull else { return Optional<JSONValue>.none }
    return .null
  }

  /// Reads the member of a dictionary into a field without observers, like ``staged(_:by:)``.
  ///
  /// - Parameters:
  ///   - kind: the kind of the field in the context; no relation.
  ///   - json: the member.
  ///   - stamp: the time of the read.
  ///   - context: the format of values.
  /// - Throws: an error if the value does not fit. The caller reports the error of ``staged(_:by:)`` instead.
  public final func readDirectly(
    as kind: DirectKind, from json: JSONValue, stamp: ChangeStamp, in context: ValueTransformerContext
  ) throws {
    switch (kind, json) {
    case (.int, .int(let value)): asInt.load(value, stamp: stamp)
    case (.string, .string(let value)): asString.load(value, stamp: stamp)
    case (.double, .double(let value)): asDouble.load(value, stamp: stamp)
    case (.bool, .bool(let value)): asBool.load(value, stamp: stamp)
    case (.strings, .array(let elements)):
      asStrings.loadUnobserved(
        try elements.map { element in
          guard case .string(let value) = element else { throw UnfitValue() }
          return value
        }, stamp: stamp)
    case (.ints, .array(let elements)):
      asInts.loadUnobserved(
        try elements.map { element in
          guard case .int(let value) = element else { throw UnfitValue() }
          return value
        }, stamp: stamp)
    case (.relation, _): throw UnfitValue()
    default: try load(read: json, in: context, stamp: stamp)
    }
  }
}

/// An error for a field that is declared differently than in the first instance of its class, or that needs the general
/// path.
private struct OtherDeclaration: Error {}
