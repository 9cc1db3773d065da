@_spi(ModelKitInternals)
extension AnyField {
  /// Returns whether a value can be read into this field of a new model without running other code. The field has the
  /// key of the class's first instance, the transformer that its kind allows, and no observers.
  public final func isReadableDirectly(as kind: DirectKind, declaredKey: String?) -> Bool {
    if kind == .relation { return declaredKey == self.declaredKey && !flags.contains(.dirty) }
    guard unmanagedDetails == nil, flags.isDisjoint(with: [.reportsSets, .watched, .relation, .dirty]) else {
      return false
    }
    return switch kind {
    case .int: asInt.metadata.isPlain(declaredKey)
    case .string: asString.metadata.isPlain(declaredKey)
    case .double: asDouble.metadata.isPlain(declaredKey)
    case .bool: asBool.metadata.isPlain(declaredKey)
    case .strings:
      asStrings.metadata.isPlain(declaredKey) && !asStrings.transformsElements
    case .ints: asInts.metadata.isPlain(declaredKey) && !asInts.transformsElements
    case .value, .relation: declaredKey == self.declaredKey && !hasObservers
    }
  }

  /// Reads the next value of a document into a field without observers, like ``staged(_:by:)``.
  ///
  /// - Parameters:
  ///   - kind: the kind of the field in the context; no relation.
  ///   - scanner: the scanner, positioned at the value.
  ///   - stamp: the time of the read.
  ///   - context: the format of values.
  /// - Throws: an error if the value does not fit. The caller reports the more precise error of the tree path instead.
  public final func readDirectly(
    as kind: DirectKind, from scanner: inout JSONScanner, stamp: ChangeStamp, in context: ValueTransformerContext
  ) throws {
    switch kind {
    case .int:
      switch try scanner.peek() {
      case .number:
        switch try scanner.readNumber() {
        case .int(let value): asInt.loadDirectly(value, stamp: stamp)
        case let json: asInt.loadDirectly(try Int(json: json), stamp: stamp)
        }
      case .null: asInt.loadDirectly(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .string:
      switch try scanner.peek() {
      case .string: asString.loadDirectly(try scanner.readString(), stamp: stamp)
      case .null: asString.loadDirectly(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .double:
      switch try scanner.peek() {
      case .number:
        guard let value = try scanner.readDouble() else { throw UnfitValue() }
        asDouble.loadDirectly(value, stamp: stamp)
      case .null: asDouble.loadDirectly(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .bool:
      switch try scanner.peek() {
      case .bool: asBool.loadDirectly(try scanner.readBool(), stamp: stamp)
      case .null: asBool.loadDirectly(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .strings:
      switch try scanner.peek() {
      case .array: asStrings.loadUnobserved(try scanner.readStrings(), stamp: stamp)
      case .null: asStrings.load(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .ints:
      switch try scanner.peek() {
      case .array:
        var values: [Int] = []
        try scanner.beginArray()
        while try scanner.nextElement() { values.append(try Int(json: scanner.readNumber())) }
        asInts.loadUnobserved(values, stamp: stamp)
      case .null: asInts.load(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .value: try load(read: scanner.readValue(), in: context, stamp: stamp)
    case .relation: throw UnfitValue()
    }
  }

  /// The stamp of the last set or read, with or without a change; `never` if there was none.
  public final var lastSet: ChangeStamp { updatedStamp }

  /// The value of a field of the kind `int`.
  public final var intValue: Int? { asInt.storage }

  /// Returns whether another field of the same declaration has the same value.
  public final func hasValue(of other: AnyField, as kind: DirectKind) -> Bool {
    switch kind {
    case .int: !asInt.isChange(from: asInt.storage, to: other.asInt.storage)
    case .string: !asString.isChange(from: asString.storage, to: other.asString.storage)
    case .double: !asDouble.isChange(from: asDouble.storage, to: other.asDouble.storage)
    case .bool: !asBool.isChange(from: asBool.storage, to: other.asBool.storage)
    case .strings: asStrings.storage == other.asStrings.storage
    case .ints: asInts.storage == other.asInts.storage
    case .value: hasValue(of: other)
    case .relation: false
    }
  }

  /// Takes a value that was read into another field of the same declaration. The field then equals the document, and is
  /// not dirty. Its observers are notified if the value differs.
  ///
  /// - Parameters:
  ///   - other: the field that was read, or this field itself to load its own value again.
  ///   - kind: the kind of the fields; no relation.
  ///   - stamp: the time of the read.
  public final func load(readBy other: AnyField, as kind: DirectKind, stamp: ChangeStamp) {
    // Observers and clones of this field compare stamps: there every value needs one of its own.
    switch kind {
    case .int: asInt.load(readBy: other.asInt, stamp: stamp)
    case .string: asString.load(readBy: other.asString, stamp: stamp)
    case .double: asDouble.load(readBy: other.asDouble, stamp: stamp)
    case .bool: asBool.load(readBy: other.asBool, stamp: stamp)
    case .strings: asStrings.load(readBy: other.asStrings, stamp: stamp)
    case .ints: asInts.load(readBy: other.asInts, stamp: stamp)
    case .value: load(readBy: other, stamp: stamp)
    case .relation: break
    }
  }
}

extension Field {
  @inline(__always)
  fileprivate final func load(readBy other: Field, stamp: ChangeStamp) {
    if self === other, unmanagedDetails == nil, !flags.contains(.hooksSet), updatedStamp < stamp {
      markSet(isChange: false, stamp: stamp)
      return markSaved(asOf: stamp)
    }
    let needsOwnStamp = unmanagedDetails != nil || updatedStamp >= stamp
    load(other.storage, stamp: needsOwnStamp ? .next() : stamp)
  }
}

extension Field {
  /// Loads a value, without the steps that a field needs only once it was set, observed or given hooks.
  @inline(__always)
  fileprivate final func loadDirectly(_ value: Content?, stamp: ChangeStamp) {
    guard flags.isEmpty, updatedStamp == .never, unmanagedDetails == nil else { return load(value, stamp: stamp) }
    if isChange(from: storage, to: value) { changedStamp = stamp }
    storage = value
    updatedStamp = stamp
    flags = [.loaded, .original]
  }
}

extension Field where Content: Equatable {
  /// Loads a list into a field without observers. Avoids the closure that compares lists, which is slow.
  @inline(__always)
  final func loadUnobserved(_ value: Content, stamp: ChangeStamp) {
    if flags.contains(.hooksSet) { return load(value, stamp: stamp) }
    let isChange = storage != value
    storage = value
    markSet(isChange: isChange, stamp: stamp)
    markSaved(asOf: stamp)
  }
}

extension JSONScanner {
  @inline(__always)
  fileprivate mutating func readNil<Value>() throws -> Value? {
    try readNull()
    return nil
  }

  /// Reads a list of strings. A short one is created with its final size.
  fileprivate mutating func readStrings() throws -> [String] {
    try beginArray()
    guard try nextElement() else { return [] }
    let first = try readString()
    guard try nextElement() else { return [first] }
    let second = try readString()
    guard try nextElement() else { return [first, second] }
    let third = try readString()
    guard try nextElement() else { return [first, second, third] }
    var values = [first, second, third, try readString()]
    while try nextElement() { values.append(try readString()) }
    return values
  }
}

/// An error for a value that does not fit: the tree path reports the reason.
struct UnfitValue: Error {}
