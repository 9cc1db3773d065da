/// The node of a derived observable in its chain: its value, its observers, and the inlets from its sources.
///
/// A node never retains a source. So retaining the root of a chain retains all observed nodes of it, and no chain
/// retains its root: see ``DerivedObservable``.
@usableFromInline
final class DerivedNode<Value> {
  @usableFromInline let observations = ObservationRegistry<Value>()
  @usableFromInline var isUnset: Bool
  @usableFromInline var storage: Storage
  @usableFromInline let isChange: (Value, Value) -> Bool
  // Not retained: an inlet retains the node while it is observed, and is released with its source.
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

  /// Creates the node of an observable that has no value yet.
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

  /// Receives every change of a source.
  ///
  /// - Parameter receive: computes and sets the node's value.
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
    arrival.forward(to: observations) {
      observations.notify(
        from: oldValue, to: newValue, isChange: isChange, stamp: arrival.stamp,
        areEqual: { !self.isChange($0, $1) })
    }
  }
}

/// The connection from a source to a derived observable. The source's registry retains it, and it retains the node
/// while the node is observed.
@usableFromInline
final class DerivedInlet: OwnerReference {
  private weak var unkept: AnyObject?
  private var kept: AnyObject?
  /// The registry of the source; nil after the source removed this observer.
  private var source: DeallocationGuard?
  private var lastStamp = ChangeStamp.never

  init(to node: AnyObject, from source: AnyObservationRegistry) {
    unkept = node
    self.source = source.deallocationGuard
    super.init()
  }

  deinit { ReleaseQueue.release(&kept) }

  @usableFromInline var node: AnyObject? { kept ?? unkept }

  /// Returns whether a value is newer than the last one. An older value may be delivered late: when a transaction
  /// within a delivery sets the source, or after a long chain of bindings.
  @usableFromInline
  func admits(_ stamp: ChangeStamp) -> Bool {
    if source == nil || stamp < lastStamp { return false }
    lastStamp = stamp
    return true
  }

  /// Retains the node, or releases it.
  func keep(_ node: AnyObject?, _ changes: inout [KeeperChange]) {
    guard let source, (kept != nil) != (node != nil) else { return }
    changes.append(KeeperChange(source: source, number: node == nil ? -1 : 1, node: kept))
    kept = node
  }

  /// Disconnects from a source that removed this observer.
  func cut() {
    guard let source else { return }
    self.source = nil
    guard kept != nil else { return }
    source.use { unsafeDowncast($0, to: AnyObservationRegistry.self).addKeepers(-1) }
    ReleaseQueue.release(&kept)
  }

  override var isGone: Bool { node == nil }
}
