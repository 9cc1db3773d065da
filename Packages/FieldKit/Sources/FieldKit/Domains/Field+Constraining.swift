extension Field {
  /// Constrains the values that the field may hold. Every value is put into the domain before it is stored. This
  /// includes values from a setter, a binding, JSON, a merge, or a list operation. nil always passes, and there is
  /// never a validation error.
  /// The initial value is put into the domain as well, so that a field never starts outside of it:
  /// `Field(11).constrain(to: 0...10)` holds 10. A value that was set or read before, or that is observed, stays until
  /// the next set, even if the domain is replaced. ``unconstrain()`` removes the domain.
  ///
  /// If two bound fields have different domains, a value changed by one domain counts as a new value, and the other
  /// field takes it. If the field had that value before, there is no change and no notification: the fields then differ
  /// until the next change. A binding always ends, even if no value is in both domains.
  ///
  /// - Parameter domain: replaces the previous domain of the field.
  @inlinable
  @discardableResult
  public func constrain(to domain: some ValueDomain<Content>) -> Self {
    setDomain(allowing: domain.allowedValues) { domain.coercion(of: $0) }
    return self
  }

  @usableFromInline
  final func setDomain(allowing values: [Content]?, _ coerce: @escaping (Content) -> Coercion<Content>) {
    metadata = .constraining(coerce, allowing: values, on: metadata)
    beginCoercing()
  }

  /// Applies the domain and the transformer to every set, and to the initial value.
  final func beginCoercing() {
    guard metadata?.coerce != nil else { return }
    flags.formUnion(flags.contains(.hooksSet) ? .hooksSet : [.hooksSet, .onlyConstrained])
    if flags.contains(.initial), !isObserved { storage = constrained(storage) }
  }

  /// Removes the domain: the field may hold any value again.
  @discardableResult
  public func unconstrain() -> Self {
    metadata = .constraining(nil, allowing: nil, on: metadata)
    return self
  }

  /// The values that the field may hold if they can be listed: those of its domain, or the cases of an enumeration.
  ///
  /// ```swift
  /// let size = Field<String>().constrain(to: ["S", "M", "L"])
  /// // The entries of a menu:
  /// for value in size.allowedValues ?? [] { print(value) }
  /// ```
  public final var allowedValues: [Content]? {
    if let metadata, metadata.domain != nil { return metadata.allowedValues }
    func cases<Cases: CaseIterable>(_ type: Cases.Type) -> [Content]? { Array(type.allCases) as? [Content] }
    // `SendableMetatype`: a conformance that is isolated to an actor must not be used wherever fields are read.
    return (Content.self as? any (CaseIterable & SendableMetatype).Type).flatMap { cases($0) }
  }

  /// Constrains the field to a list of values; any other value becomes nil.
  ///
  /// - Parameter values: the allowed values.
  @inlinable
  @discardableResult
  public func constrain(to values: [Content]) -> Self where Content: Equatable {
    constrain(to: DiscreteValueDomain(values))
  }

  /// Constrains the field to a range; a value beyond a bound becomes that bound.
  @inlinable
  @discardableResult
  public func constrain(to range: ClosedRange<Content>) -> Self where Content: Comparable {
    constrain(to: RangeValueDomain(lowerBound: range.lowerBound, upperBound: range.upperBound))
  }

  /// Sets the minimum of the field. Smaller values are replaced by it.
  @inlinable
  @discardableResult
  public func constrain(to range: PartialRangeFrom<Content>) -> Self where Content: Comparable {
    constrain(to: RangeValueDomain(lowerBound: range.lowerBound))
  }

  /// Constrains the field to a greatest value; a greater one becomes that.
  @inlinable
  @discardableResult
  public func constrain(to range: PartialRangeThrough<Content>) -> Self where Content: Comparable {
    constrain(to: RangeValueDomain(upperBound: range.upperBound))
  }

  /// Constrains an integer to a range: `0..<10` is `0...9`, so greater values become 9.
  ///
  /// Only for integers: other types have no greatest value below a bound.
  ///
  /// - Precondition: the range is not empty.
  @inlinable
  @discardableResult
  public func constrain(to range: Range<Content>) -> Self where Content: BinaryInteger {
    precondition(!range.isEmpty, "No value lies in \(range): a field can't be constrained to an empty range.")
    return constrain(to: RangeValueDomain(lowerBound: range.lowerBound, upperBound: range.upperBound - 1))
  }

  /// Constrains an integer to values below a bound: `..<10` is `...9`, so greater values become 9.
  ///
  /// Only for integers: other types have no greatest value below a bound.
  ///
  /// - Precondition: there is an integer of the type below the bound.
  @inlinable
  @discardableResult
  public func constrain(to range: PartialRangeUpTo<Content>) -> Self where Content: BinaryInteger {
    constrain(to: RangeValueDomain(upperBound: range.upperBound - 1))
  }

  /// Returns the value that the field stores when it is set: the value itself, or its replacement by the domain and the
  /// transformer. A list also removes elements that their domain rejects, and duplicates if it allows none.
  final func constrained(_ value: Content?) -> Content? {
    guard let value, flags.contains(.hooksSet), case .replaced(let replacement) = coercion(of: value) else {
      return value
    }
    return replacement
  }
}
