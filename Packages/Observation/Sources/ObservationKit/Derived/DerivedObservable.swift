/// An observable computed from other observables by `map(_:)`, ``ValueObservable/filter(_:)``, `combineLatest(_:)` or a
/// transforming `-->`.
///
/// ```swift
/// let name = ValueSource("Ada")
/// let length = name.map { $0.count }
/// length --> { print($0) }  // 3
/// name.value = "Grace"      // 5
/// ```
///
/// The transform runs once for every change of a source, observed or not. A derived observable retains its sources.
/// They retain the chain only while it is observed. So the middle of `name --> { $0.count } --> label` needs no strong
/// reference. It is released when the last token is cancelled, or the last target or the root is deallocated. Derived
/// observables pass stamps on, so a ring through them ends as any other.
public final class DerivedObservable<Value>: ValueObservable {
  @usableFromInline let node: DerivedNode<Value>
  @usableFromInline var sources: [AnyObject]

  @usableFromInline
  init(_ node: DerivedNode<Value>, sources: [AnyObject]) {
    self.node = node
    self.sources = sources
  }

  deinit { ReleaseQueue.release(&sources) }

  /// The value, as of the last change of a source.
  @inlinable
  public var value: Value {
    if FieldObservation.isEnabled { node.noteRead() }
    return node.value
  }

  /// The observers of this object, in the order in which they were added.
  @inlinable
  public var observations: ObservationRegistry<Value> { node.observations }

  /// Whether no source has supplied a value yet.
  @inlinable
  public var isUnset: Bool { node.isUnset }
}
