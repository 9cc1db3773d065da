/// One direction of a binding.
@usableFromInline
final class BindingLink<Value> {
  // Unmanaged, and safe: the registry is live whenever it calls.
  @usableFromInline let source: Unmanaged<AnyObservationRegistry>
  @usableFromInline let end: BindingTarget<Value>
  @usableFromInline let pair: BindingPair?
  /// Set when the observation was made.
  @usableFromInline var token: ObservationToken?

  @inlinable
  init(from source: AnyObservationRegistry, to end: BindingTarget<Value>, pair: BindingPair?) {
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

/// The state that both directions of a two-way binding share: the stamp of the last change passed. With it a change is
/// not even offered to its origin.
@usableFromInline
final class BindingPair {
  @exclusivity(unchecked) @usableFromInline var lastStamp = ChangeStamp.never

  @inlinable
  init() {}
}
