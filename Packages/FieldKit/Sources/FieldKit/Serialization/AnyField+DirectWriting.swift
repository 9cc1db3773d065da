/// The fields of a model that are written.
@_spi(ModelKitInternals)
public enum DirectInclusion: Sendable {
  /// Fields that are loaded.
  case loaded
  /// Fields that are loaded or incomplete.
  case loadedOrIncomplete
  /// Fields that have at least a part of their value.
  case known
  /// All fields.
  case all
}

@_spi(ModelKitInternals)
extension AnyField {
  /// Returns whether the field is included.
  public final func isIncluded(in inclusion: DirectInclusion) -> Bool {
    switch inclusion {
    case .loaded: flags.intersection(.loadStateMask) == .loaded
    case .loadedOrIncomplete:
      flags.intersection(.loadStateMask) == .loaded || flags.intersection(.loadStateMask) == .incomplete
    case .known: !flags.isDisjoint(with: .loadStateMask)
    case .all: true
    }
  }

  /// Returns whether the field has a number or a text, as identifiers are.
  public final func hasIdentifyingValue(as kind: DirectKind) -> Bool {
    switch kind {
    case .int: asInt.storage != nil
    case .string: asString.storage != nil
    default: false
    }
  }

  /// Writes the field as a member of an object, like ``exported(by:)``, but without a tree.
  ///
  /// - Parameters:
  ///   - kind: the kind of the field in the context of `fieldWriter`.
  ///   - key: the JSON spelling of the key, quotation marks included.
  ///   - declaredKey: the declared key. Nothing is written if the field was declared with another one.
  ///   - inclusion: the fields to write.
  ///   - json: the destination.
  ///   - fieldWriter: has the context.
  /// - Returns: `false` if the field has another key.
  /// - Throws: an error if the value can't be written. The output is not a valid document then.
  public final func writeDirectly(
    as kind: DirectKind, _ key: UnsafeBufferPointer<UInt8>, declaredKey: String?, _ inclusion: DirectInclusion,
    to json: inout JSONWriter, by fieldWriter: FieldWriter
  ) throws -> Bool {
    guard isIncluded(in: inclusion) else { return true }
    switch kind {
    case .int:
      guard asInt.metadata.isPlain(declaredKey) else { break }
      guard let value = asInt.value else { return writeNil(key, to: &json, by: fieldWriter) }
      json.key(quoted: key)
      json.int(value)
      return true
    case .string:
      guard asString.metadata.isPlain(declaredKey) else { break }
      guard let value = asString.value else { return writeNil(key, to: &json, by: fieldWriter) }
      json.key(quoted: key)
      json.string(value)
      return true
    case .double:
      guard asDouble.metadata.isPlain(declaredKey) else { break }
      guard let value = asDouble.value else { return writeNil(key, to: &json, by: fieldWriter) }
      json.key(quoted: key)
      try json.double(value)
      return true
    case .bool:
      guard asBool.metadata.isPlain(declaredKey) else { break }
      guard let value = asBool.value else { return writeNil(key, to: &json, by: fieldWriter) }
      json.key(quoted: key)
      json.bool(value)
      return true
    case .strings:
      guard asStrings.metadata.isPlain(declaredKey), !asStrings.transformsElements else { break }
      guard let value = asStrings.value else { return writeNil(key, to: &json, by: fieldWriter) }
      json.key(quoted: key)
      try json.beginArray()
      for element in value { json.string(element) }
      json.endArray()
      return true
    case .ints:
      guard asInts.metadata.isPlain(declaredKey), !asInts.transformsElements else { break }
      guard let value = asInts.value else { return writeNil(key, to: &json, by: fieldWriter) }
      json.key(quoted: key)
      try json.beginArray()
      for element in value { json.int(element) }
      json.endArray()
      return true
    case .value: break
    case .relation:
      guard declaredKey == self.declaredKey else { return false }
      try writeRelated(key, to: &json, by: fieldWriter)
      return true
    }
    guard declaredKey == self.declaredKey else { return false }
    guard let value = try exported(by: fieldWriter) else {
      return fieldWriter.context.explicitNull && anyValue == nil ? writeNil(key, to: &json, by: fieldWriter) : true
    }
    json.key(quoted: key)
    try json.value(value, sortedKeys: true)
    return true
  }

  private final func writeNil(
    _ key: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter, by fieldWriter: FieldWriter
  ) -> Bool {
    if fieldWriter.context.explicitNull {
      json.key(quoted: key)
      json.null()
    }
    return true
  }
}

extension Optional {
  /// Returns whether a declaration has no transformer, and has this key.
  @inline(__always)
  func isPlain<Content>(_ key: String?) -> Bool where Wrapped == FieldMetadata<Content> {
    guard let self else { return key == nil }
    return self.transformer == nil && self.key == key
  }
}
