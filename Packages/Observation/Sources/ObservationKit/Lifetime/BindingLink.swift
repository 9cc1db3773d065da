/// One direction of a binding.
@usableFromInline
final class BindingLink<Value> {
  // Unmanaged, and safe: the registry is there whenever it calls.
  @usableFromInline let source: Unmanaged<AnyObservationRegistry>
  @usableFromInline let end: BindingEnd<Value>
  @usableFromInline let pair: BindingPair?
  /// Set when the observation was made.
  @usableFromInline var token: ObservationToken?

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
      if source.hops < AnyObservationRegistry.hopLimit {
        end.deliver(value, stamp: source.deliveredStamp, from: source)
      } else {
        deferToRoot(value, source)
      }
    }
  }

  @usableFromInline
  func deferToRoot(_ value: Value, _ source: AnyObservationRegistry) {
    let stamp = source.deliveredStamp
    source.deferToRoot { [self] root in
      if token?.isActive == true { end.deliver(value, stamp: stamp, from: root) }
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
