/// One direction of a binding.
@usableFromInline
final class BindingLink<Value> {
  // Unmanaged, and safe: the registry is there whenever it calls.
  @usableFromInline let source: Unmanaged<AnyObservationRegistry>
  @usableFromInline let end: BindingEnd<Value>
  @usableFromInline let pair: BindingPair?

  @inlinable
  init(from source: AnyObservationRegistry, to end: BindingEnd<Value>, pair: BindingPair?) {
    self.source = Unmanaged.passUnretained(source)
    self.end = end
    self.pair = pair
  }

  @inlinable
  func pass(_ value: Value) {
    source._withUnsafeGuaranteedRef { source in
      if let pair {
        if source.deliveredStamp == pair.lastStamp { return }
        pair.lastStamp = source.deliveredStamp
      }
      end.deliver(value, stamp: source.deliveredStamp, from: source)
    }
  }
}

/// What the two directions of a two-way binding know in common: the stamp of the change that passed last, so that it does
/// not even knock where it came from.
@usableFromInline
final class BindingPair {
  @exclusivity(unchecked) @usableFromInline var lastStamp = ChangeStamp.never

  @inlinable
  init() {}
}
