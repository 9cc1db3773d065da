/// The node of a derived observable in its chain: its value, its observers, and the inlets from its sources.
///
/// Nothing here retains a source. So whoever holds only the root of a chain holds all of it that is observed, and no chain
/// keeps its root: see ``DerivedObservable``.
@usableFromInline
final class DerivedNode<Value> {
  @usableFromInline let observations = ObservationRegistry<Value>()
  @usableFromInline var isUnset: Bool
  @usableFromInline var storage: Storage
  @usableFromInline let isChange: (Value, Value) -> Bool
  // Not retained: an inlet retains the node of an observed one, and goes with its source.
  private var inlets: [WeakInlet] = []

  private var tracker: ReadTracker?

  private struct WeakInlet {
    weak var inlet: DerivedInlet?
  }

  @usableFromInline
  enum Storage {
    case known(Value)
    case later(LaterValue<Value>)
  }

  @usableFromInline
  convenience init(_ value: Value, isUnset: Bool, isChange: @escaping (Value, Value) -> Bool) {
    self.init(.known(value), isUnset, isChange)
  }

  /// Creates the node of an observable that has nothing to tell yet.
  @usableFromInline
  convenience init(later: LaterValue<Value>, isChange: @escaping (Value, Value) -> Bool) {
    self.init(.later(later), true, isChange)
    observations.later = later
  }

  private init(_ storage: Storage, _ isUnset: Bool, _ isChange: @escaping (Value, Value) -> Bool) {
    self.storage = storage
    self.isUnset = isUnset
    self.isChange = isChange
    observations.keepersChanged = { [unowned(unsafe) self] isKept, changes in
      for weak in inlets { weak.inlet?.keep(isKept ? self : nil, &changes) }
    }
  }

  deinit { observations.keepersChanged = nil }

  @inlinable var value: Value {
    switch storage {
    case .known(let value): value
    case .later(let later): later.value
    }
  }

  /// Takes every change of a source.
  ///
  /// - Parameter receive: what the node makes of it.
  @inlinable
  func follow<Source>(
    _ source: ObservationRegistry<Source>, _ receive: @escaping (DerivedNode, Source, BindingArrival) -> Void
  ) {
    let inlet = makeInlet(from: source)
    let call = { [unowned(unsafe) source, inlet] (_: Source, new: Source) in
      guard let node = inlet.node else { return source.sweepOrphans() }
      let stamp = source.deliveredStamp
      if source.hops < AnyObservationRegistry.hopLimit {
        guard inlet.admits(stamp) else { return }
        receive(unsafeDowncast(node, to: DerivedNode.self), new, BindingArrival(stamp: stamp, source: source))
      } else {
        source.deferToRoot { root in
          guard inlet.admits(stamp) else { return }
          receive(unsafeDowncast(node, to: DerivedNode.self), new, BindingArrival(stamp: stamp, source: root))
        }
      }
    }
    _ = source.add(ObservationAction(isBinding: true, isPassive: true, call), owner: inlet)
  }

  @usableFromInline
  func noteRead() { ReadTracker.noteRead(&tracker) }

  @usableFromInline
  func willChange() { tracker?.willSet() }

  @usableFromInline
  func didChange() { tracker?.didSet() }

  @usableFromInline
  func makeInlet(from source: AnyObservationRegistry) -> DerivedInlet {
    let inlet = DerivedInlet(to: self, from: source)
    inlets.append(WeakInlet(inlet: inlet))
    return inlet
  }

  /// Takes a value and notifies the observers.
  @inlinable
  func set(_ newValue: Value, _ arrival: BindingArrival) {
    // The first value is delivered like a first call.
    let isFirst = observations.later != nil
    let oldValue = isFirst ? newValue : value
    let isChange = isFirst || self.isChange(oldValue, newValue)
    if isChange { willChange() }
    storage = .known(newValue)
    if isChange { didChange() }
    isUnset = false
    observations.later = nil
    arrival.passOn(to: observations) {
      observations.notify(
        from: oldValue, to: newValue, isChange: isChange, stamp: arrival.stamp,
        areEqual: { !self.isChange($0, $1) })
    }
  }
}

/// The way from a source to a derived observable. The source's registry holds it; it holds the node as long as that one
/// is observed.
@usableFromInline
final class DerivedInlet: OwnerReference {
  private weak var unkept: AnyObject?
  private var kept: AnyObject?
  /// The registry of the source; nil after the source wanted no more of this.
  private var source: DeallocationGuard?
  private var lastStamp = ChangeStamp.never

  init(to node: AnyObject, from source: AnyObservationRegistry) {
    unkept = node
    self.source = source.lifeline
    super.init()
  }

  deinit { ReleaseQueue.release(&kept) }

  @usableFromInline var node: AnyObject? { kept ?? unkept }

  /// Whether a value is to be taken. An older one than the last may come late: when a transaction within a delivery sets
  /// the source, or behind a long run of bindings.
  @usableFromInline
  func admits(_ stamp: ChangeStamp) -> Bool {
    if source == nil || stamp < lastStamp { return false }
    lastStamp = stamp
    return true
  }

  /// Holds the node, or lets it go.
  func keep(_ node: AnyObject?, _ changes: inout [KeeperChange]) {
    guard let source, (kept != nil) != (node != nil) else { return }
    changes.append(KeeperChange(source: source, number: node == nil ? -1 : 1, node: kept))
    kept = node
  }

  /// Ends the way from a source that wants no more of it.
  func cut() {
    guard let source else { return }
    self.source = nil
    guard kept != nil else { return }
    source.use { unsafeDowncast($0, to: AnyObservationRegistry.self).addKeepers(-1) }
    ReleaseQueue.release(&kept)
  }

  override var isGone: Bool { node == nil }
}
