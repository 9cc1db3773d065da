/// What can be done with values of a type that is not known when the caller is compiled: found once per type, because
/// to ask the runtime whether a type conforms to a protocol costs more than the comparison.
final class ValueComparison<Value>: Sendable {
  /// How values are compared; nil if they can't be.
  let equality: ValueEquality<Value>.Type?
  /// Whether two values are the same: equal, or one object; nil if there is no telling.
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

  /// The first of all values that are the same, in order. Values of which there is no telling are all kept.
  ///
  /// - Complexity: O(*n*) for values that can be hashed and for objects, otherwise O(*n*²).
  func removingDuplicates(_ values: [Value]) -> [Value] { firsts(values) }

  /// The values of a list that another has not, or has less often, in order. A value of which there is no telling is
  /// never in the other list.
  ///
  /// - Complexity: O(*n* + *m*) for values that can be hashed and for objects, otherwise O(*n* × *m*).
  func difference(of values: [Value], from others: [Value]) -> [Value] { surplus(values, others) }

  /// The comparison of the type.
  ///
  /// - Complexity: one look into a table, except for the first time.
  static func known() -> ValueComparison {
    let key = ObjectIdentifier(Value.self)
    if let known = ValueComparisons.known.withLock({ $0[key] }) {
      // Always of this type: what is kept for a type is made for it, below.
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

    // `SendableMetatype`: a conformance that is bound to an actor is not meant to be used from wherever fields are set.
    // The runtime of Swift 6.3 does not yet refuse one when a metatype is cast; then it is used where the field lives.
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
