@_spi(ModelKitInternals) import ObservationKit

// The unchanged check: most values from a store or a server have not changed since they were last read. So the bytes
// are compared with the value of the field, and no new value is created.
@_spi(ModelKitInternals)
extension AnyField {
  /// Skips the next value of a document and returns whether it equals the value of the field.
  ///
  /// - Parameters:
  ///   - scanner: the scanner, positioned at the value. If the result is `false`, it may be anywhere within the value.
  ///   - kind: the kind of the field in the context; no relation.
  ///   - context: the format of values.
  /// - Returns: `false` also if the values can't be compared.
  public final func hasNextValue(
    of scanner: inout JSONScanner, as kind: DirectKind, in context: ValueTransformerContext
  ) throws(JSONSyntaxError) -> Bool {
    if flags.contains(.hooksSet) { return false }
    let next = try scanner.peek()
    switch (kind, next) {
    case (.int, .number):
      guard case .int(let value) = try scanner.readNumber() else { return false }
      return asInt.storage == value
    case (.string, .string):
      return try scanner.passString(equalTo: asString.storage)
    case (.double, .number):
      guard let value = try? Double(json: scanner.readNumber()) else { return false }
      // Negative zero equals zero, but is written in another way.
      return asDouble.storage?.bitPattern == value.bitPattern
    case (.bool, .bool):
      return asBool.storage == (try scanner.readBool())
    case (.strings, .array):
      guard let values = asStrings.storage else { return false }
      var count = 0
      try scanner.beginArray()
      while try scanner.nextElement() {
        guard count < values.count, try scanner.passString(equalTo: values[count]) else { return false }
        count += 1
      }
      return count == values.count
    case (.ints, .array):
      guard let values = asInts.storage else { return false }
      var count = 0
      try scanner.beginArray()
      while try scanner.nextElement() {
        guard count < values.count, try scanner.peek() == .number, case .int(values[count]) = try scanner.readNumber()
        else { return false }
        count += 1
      }
      return count == values.count
    case (.value, _):
      return hasValue(try scanner.readValue(), in: context)
    case (.relation, _): return false
    case (_, .null):
      try scanner.readNull()
      return hasNil(as: kind)
    default: return false
    }
  }

  private final func hasNil(as kind: DirectKind) -> Bool {
    switch kind {
    case .int: asInt.storage == nil
    case .string: asString.storage == nil
    case .double: asDouble.storage == nil
    case .bool: asBool.storage == nil
    case .strings: asStrings.storage == nil
    case .ints: asInts.storage == nil
    case .value, .relation: false
    }
  }

  /// Marks the field's own value as read now, like ``load(readBy:as:stamp:)`` with the field itself.
  ///
  /// - Returns: whether no code of observers ran.
  public final func confirm(as kind: DirectKind, stamp: ChangeStamp) -> Bool {
    guard !flags.contains(.hooksSet), updatedStamp < stamp, !flags.contains(.dirty), ignoresEqualValues else {
      load(readBy: self, as: kind, stamp: stamp)
      return false
    }
    // Observers and clones of this field compare stamps: there every value needs one of its own.
    setStates(isChange: false, stamp: unmanagedDetails == nil ? stamp : .next())
    flags.formUnion(.original)
    details?.restoration = nil
    return true
  }

  /// Returns whether ``confirmRelation(stamp:)`` would succeed.
  public final func canConfirmRelation(stamp: ChangeStamp) -> Bool {
    updatedStamp < stamp && !flags.contains(.dirty) && flags.intersection(.loadStateMask) == .loaded
      && ignoresEqualValues
  }

  /// Marks the models that a relation references as read now.
  public final func confirmRelation(stamp: ChangeStamp) {
    setStates(isChange: false, stamp: unmanagedDetails == nil ? stamp : .next())
    flags.formUnion(.original)
    details?.restoration = nil
  }

  /// Whether a set to an equal value notifies no observer.
  public final var ignoresEqualValues: Bool {
    guard let unmanagedDetails else { return true }
    return unmanagedDetails._withUnsafeGuaranteedRef {
      $0.tracker == nil && $0.validationStates == nil && $0.loadStates == nil && $0.extras == nil
        && ($0.registry?._withUnsafeGuaranteedRef { $0.notifiesOfEqualValues } != true)
    }
  }
}

extension JSONScanner {
  /// Skips the next value if it is a string, and returns whether it equals this text, byte by byte.
  @inline(__always)
  fileprivate mutating func passString(equalTo text: String?) throws(JSONSyntaxError) -> Bool {
    guard try peek() == .string else { return false }
    let raw = try readRawString()
    guard let text, !raw.hasEscapes else { return false }
    return text.utf8.withContiguousStorageIfAvailable { raw.equals($0) } ?? false
  }
}
