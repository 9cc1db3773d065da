/// An observable whose value is made of the values of others: what `map(_:)`,
/// ``ValueObservable/filter(_:)``, `combineLatest(_:)` and a transforming `-->` make.
///
/// ```swift
/// let name = ValueSource("Ada")
/// let length = name.map { $0.count }
/// length --> { print($0) }  // 3
/// name.value = "Grace"      // 5
/// ```
///
/// The transform runs once for every change of a source, observed or not. A derived observable retains its sources. They
/// keep the chain as long as it is observed, so `name --> { $0.count } --> label` needs nobody to hold the middle; it goes
/// when the last token is cancelled, the last target or the root is gone. Between a stamp and its value nothing is lost: a
/// ring through derived observables ends as any other.
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

  /// Whether no source had anything to give yet.
  @inlinable
  public var isUnset: Bool { node.isUnset }
}
