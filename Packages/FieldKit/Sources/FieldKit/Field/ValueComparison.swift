/// The comparison of values whose type is unknown at compile time. It is created once per type, because looking up a
/// conformance at run time costs more than the comparison.
final class ValueComparison<Value>: Sendable {
  /// The equality of values; nil if they can't be compared.
  let equality: ValueEquality<Value>.Type?
  /// Returns whether two values are equal or the same object; nil if they can't be compared.
  let areSame: (@Sendable (Value, Value) -> Bool)?
  private let firsts: @Sendable ([Value]) -> [Value]
  private let surplus: @Sendable ([Value], [Value]) -> [Value]

  private init(
    equality: ValueEquality<Value>.Type?, areSame: (@Sendable (Value, Value) -> Bool)?,
    firsts: @escaping @Sendable ([Value]) -> [Value], surplus: @escaping @Sendable ([Value], [Value]) -> [Value]
  ) {
    self.equality = equality
    self.areSame = areSame
    self.firsts = firsts
    self.surplus = surplus
  }

  /// Returns the first of all equal values, in order. Values that can't be compared are all kept.
  ///
  /// - Complexity: O(*n*) for values that can be hashed and for objects, otherwise O(*n*²).
  func removingDuplicates(_ values: [Value]) -> [Value] { firsts(values) }

  /// Returns the values that another list does not contain, or contains less often, in order. A value that can't be
  /// compared is never in the other list.
  ///
  /// - Complexity: O(*n* + *m*) for values that can be hashed and for objects, otherwise O(*n* × *m*).
  func difference(of values: [Value], from others: [Value]) -> [Value] { surplus(values, others) }

  /// Returns the comparison of the type.
  ///
  /// - Complexity: O(1): one lookup in a table, except for the first call.
  static func known() -> ValueComparison {
    let key = ObjectIdentifier(Value.self)
    if let known = ValueComparisons.known.withLock({ $0[key] }) {
      // Always of this type: the entry of a type is created for it, below.
      return unsafeDowncast(known, to: ValueComparison.self)
    }
    let made = make()
    ValueComparisons.known.withLock { $0[key] = made }
    return made
  }

  private static func make() -> ValueComparison {
    func cast<T>(_ comparison: ValueComparison<T>) -> ValueComparison? { comparison as AnyObject as? ValueComparison }
    func hashable<T: Hashable & SendableMetatype>(_ type: T.Type) -> ValueComparison? {
      cast(
        ValueComparison<T>(
          equality: EquatableEquality<T>.self, areSame: { $0 == $1 },
          firsts: { firstOccurrences(in: $0) { $0 } }, surplus: { excess(of: $0, over: $1) { $0 } }))
    }
    func equatable<T: Equatable & SendableMetatype>(_ type: T.Type) -> ValueComparison? {
      cast(
        ValueComparison<T>(
          equality: EquatableEquality<T>.self, areSame: { $0 == $1 },
          firsts: { values in
            var unique: [T] = []
            for value in values where !unique.contains(value) { unique.append(value) }
            return unique
          },
          surplus: { values, others in
            var rest = others
            return values.filter { value in
              guard let index = rest.firstIndex(of: value) else { return true }
              rest.remove(at: index)
              return false
            }
          }))
    }

    // `SendableMetatype`: a conformance that is isolated to an actor must not be used wherever fields are set. The
    // runtime of Swift 6.3 does not yet reject one when a metatype is cast; then it is used in the isolation of the
    // field.
    if let type = Value.self as? any (Hashable & SendableMetatype).Type, let found = hashable(type) { return found }
    if let type = Value.self as? any (Equatable & SendableMetatype).Type, let found = equatable(type) { return found }
    if Value.self is AnyObject.Type {
      return ValueComparison(
        equality: nil, areSame: { $0 as AnyObject === $1 as AnyObject },
        firsts: { firstOccurrences(in: $0) { ObjectIdentifier($0 as AnyObject) } },
        surplus: { excess(of: $0, over: $1) { ObjectIdentifier($0 as AnyObject) } })
    }
    return ValueComparison(equality: nil, areSame: nil, firsts: { $0 }, surplus: { values, _ in values })
  }
}

private func firstOccurrences<Value, Key: Hashable>(in values: [Value], by key: (Value) -> Key) -> [Value] {
  var seen = Set<Key>(minimumCapacity: values.count)
  return values.filter { seen.insert(key($0)).inserted }
}

private func excess<Value, Key: Hashable>(
  of values: [Value], over others: [Value], by key: (Value) -> Key
) -> [Value] {
  var counts: [Key: Int] = [:]
  for other in others { counts[key(other), default: 0] += 1 }
  return values.filter { value in
    guard let count = counts[key(value)], count > 0 else { return true }
    counts[key(value)] = count - 1
    return false
  }
}

private enum ValueComparisons {
  static let known = Lock<[ObjectIdentifier: any AnyObject & Sendable]>([:])
}
