@_spi(ModelKitInternals)
extension AnyField {
  /// Whether reading into this field of a fresh model runs nobody's code: it has the key its class's first instance had,
  /// the transformer that its kind allows for, and nobody who would be told.
  public final func isReadableDirectly(as kind: DirectKind, declaredKey: String?) -> Bool {
    if kind == .relation { return declaredKey == self.declaredKey }
    guard unmanagedDetails == nil, flags.isDisjoint(with: [.reportsSets, .watched, .relation]) else { return false }
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

  /// Reads the next value of a document into a field that nobody observes, as ``staged(_:by:)`` would have it.
  ///
  /// - Parameters:
  ///   - kind: the kind of the field in the context; no relation.
  ///   - scanner: where the value comes next.
  ///   - stamp: when the document is read.
  ///   - context: how values are spelled.
  /// - Throws: an error if the value does not fit. Not the error to report: it says less than the one of a tree.
  public final func readDirectly(
    as kind: DirectKind, from scanner: inout JSONScanner, stamp: ChangeStamp, in context: ValueTransformerContext
  ) throws {
    switch kind {
    case .int:
      switch try scanner.peek() {
      case .number:
        switch try scanner.readNumber() {
        case .int(let value): asInt.load(value, stamp: stamp)
        case let json: asInt.load(try Int(json: json), stamp: stamp)
        }
      case .null: asInt.load(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .string:
      switch try scanner.peek() {
      case .string: asString.load(try scanner.readString(), stamp: stamp)
      case .null: asString.load(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .double:
      switch try scanner.peek() {
      case .number: asDouble.load(try Double(json: scanner.readNumber()), stamp: stamp)
      case .null: asDouble.load(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .bool:
      switch try scanner.peek() {
      case .bool: asBool.load(try scanner.readBool(), stamp: stamp)
      case .null: asBool.load(try scanner.readNil(), stamp: stamp)
      default: throw UnfitValue()
      }
    case .strings:
      switch try scanner.peek() {
      case .array:
        var values: [String] = []
        try scanner.beginArray()
        while try scanner.nextElement() { values.append(try scanner.readString()) }
        asStrings.loadUnobserved(values, stamp: stamp)
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

  /// When the value was last set or read, to another value or not; `never` if it was not.
  public final var lastSet: ChangeStamp { updatedStamp }

  /// The value of a field of the kind `int`.
  public final var intValue: Int? { asInt.storage }

  /// Whether another field of the same declaration has the same value.
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

  /// Takes a value that was read into another field of the same declaration. Afterwards the field is as the document has
  /// it, and so not dirty. Its observers are told if it differs.
  ///
  /// - Parameters:
  ///   - other: the field that was read, or this field itself to take its own value once more.
  ///   - kind: the kind of the fields; no relation.
  ///   - stamp: when the document is read.
  public final func load(readBy other: AnyField, as kind: DirectKind, stamp: ChangeStamp) {
    // What follows this field compares stamps: there every value needs one of its own.
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

extension Field where Content: Equatable {
  /// Loads a list into a field that nobody observes. The closure that compares lists is slow.
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
}

/// Says that a value does not fit: the tree way tells why.
struct UnfitValue: Error {}
