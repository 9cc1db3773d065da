extension Field {
  /// Says which values the field may hold. Every value is put into the domain before it is stored, whichever way it
  /// comes: setter, binding, JSON, merge, or as an element of a list. nil always passes, and there is never a validation
  /// error.
  ///
  /// The initial value is put into the domain as well, so that a field never starts outside of it:
  /// `Field(11).constrain(to: 0...10)` holds 10. A value that was set or read before, or that somebody observes, stays
  /// until the next set, also when the domain is replaced. ``unconstrain()`` lifts the domain.
  ///
  /// Where two fields with different domains are bound to each other, what a field makes of a value counts as a new
  /// value of its own, and the other end takes it over. If that is the value the field had before there is no change, and
  /// so nothing to tell: then the ends differ until the next change. A binding always ends, also where no value is in both
  /// domains.
  ///
  /// - Parameter domain: replaces the domain the field had.
  @inlinable
  @discardableResult
  public func constrain(to domain: some ValueDomain<Content>) -> Self {
    setDomain { domain.coercion(of: $0) }
    return self
  }

  @usableFromInline
  final func setDomain(_ coerce: @escaping (Content) -> Coercion<Content>) {
    metadata = .constraining(coerce, on: metadata)
    beginCoercing()
  }

  /// Has every set go through what the declaration does to values, if it does anything, and the initial value as well.
  final func beginCoercing() {
    guard metadata?.coerce != nil else { return }
    flags.formUnion(flags.contains(.hooksSet) ? .hooksSet : [.hooksSet, .onlyConstrained])
    if flags.contains(.initial), !isObserved { storage = constrained(storage) }
  }

  /// Lifts the domain: the field may hold any value again.
  @discardableResult
  public func unconstrain() -> Self {
    metadata = .constraining(nil, on: metadata)
    return self
  }

  /// Says which values the field may hold; any other becomes nil.
  ///
  /// - Parameter values: the allowed values.
  @inlinable
  @discardableResult
  public func constrain(to values: [Content]) -> Self where Content: Equatable {
    constrain(to: DiscreteValueDomain(values))
  }

  /// Says between which bounds the value lies; a value beyond a bound becomes that bound.
  @inlinable
  @discardableResult
  public func constrain(to range: ClosedRange<Content>) -> Self where Content: Comparable {
    constrain(to: RangeValueDomain(lowerBound: range.lowerBound, upperBound: range.upperBound))
  }

  /// Says which value is the least; a smaller one becomes that.
  @inlinable
  @discardableResult
  public func constrain(to range: PartialRangeFrom<Content>) -> Self where Content: Comparable {
    constrain(to: RangeValueDomain(lowerBound: range.lowerBound))
  }

  /// Says which value is the greatest; a greater one becomes that.
  @inlinable
  @discardableResult
  public func constrain(to range: PartialRangeThrough<Content>) -> Self where Content: Comparable {
    constrain(to: RangeValueDomain(upperBound: range.upperBound))
  }

  /// Says between which bounds an integer lies: `0..<10` is `0...9`, so a greater one becomes 9.
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

  /// Says below which bound an integer stays: `..<10` is `...9`, so a greater one becomes 9.
  ///
  /// Only for integers: other types have no greatest value below a bound.
  ///
  /// - Precondition: there is an integer of the type below the bound.
  @inlinable
  @discardableResult
  public func constrain(to range: PartialRangeUpTo<Content>) -> Self where Content: BinaryInteger {
    constrain(to: RangeValueDomain(upperBound: range.upperBound - 1))
  }

  /// The value that the field stores when it is set: the value itself, or what its domain and its transformer make of it. A list also
  /// leaves out what its elements' domain refuses, and duplicates if it allows none.
  final func constrained(_ value: Content?) -> Content? {
    guard let value, flags.contains(.hooksSet), case .replaced(let replacement) = coercion(of: value) else {
      return value
    }
    return replacement
  }
}
