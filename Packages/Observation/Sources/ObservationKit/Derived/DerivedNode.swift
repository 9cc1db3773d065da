/// Where a derived observable lives in the chain: its value, its observers, and what leads here from its sources.
///
/// Nothing here retains a source. So whoever holds only the root of a chain holds all of it that is observed, and no chain
/// keeps its root: see ``DerivedObservable``.
@usableFromInline
final class DerivedNode<Value> {
  @usableFromInline let observations = ObservationRegistry<Value>()
  @usableFromInline private(set) var value: Value
  @usableFromInline var isUnset: Bool
  private let isChange: (Value, Value) -> Bool
  private var inlets: [DerivedInlet] = []
  private var tracker: ReadTracker?

  @usableFromInline
  init(_ value: Value, isUnset: Bool, isChange: @escaping (Value, Value) -> Bool) {
    self.value = value
    self.isUnset = isUnset
    self.isChange = isChange
    observations.keepersChanged = { [unowned(unsafe) self] isKept in
      for inlet in inlets { inlet.keep(isKept ? self : nil) }
    }
  }

  deinit { observations.keepersChanged = nil }

  /// Takes every change of a source.
  ///
  /// - Parameter receive: what the node makes of it.
  @usableFromInline
  func follow<Source>(
    _ source: ObservationRegistry<Source>, _ receive: @escaping (DerivedNode, Source, BindingArrival) -> Void
  ) {
    let inlet = DerivedInlet(to: self, from: source)
    inlets.append(inlet)
    let call = { [unowned(unsafe) source, inlet] (_: Source, new: Source) in
      guard let node = inlet.node else { return source.sweepOrphans() }
      let typed = unsafeDowncast(node, to: DerivedNode.self)
      let stamp = source.deliveredStamp
      if source.hops < AnyObservationRegistry.hopLimit {
        receive(typed, new, BindingArrival(stamp: stamp, source: source))
      } else {
        source.deferToRoot { root in receive(typed, new, BindingArrival(stamp: stamp, source: root)) }
      }
    }
    _ = source.add(ObservationAction(isBinding: true, isPassive: true, call), owner: inlet)
  }

  @usableFromInline
  func noteRead() { ReadTracker.noteRead(&tracker) }

  /// Takes a value and tells the observers.
  @usableFromInline
  func set(_ newValue: Value, _ arrival: BindingArrival) {
    let oldValue = value
    let isChange = isChange(oldValue, newValue)
    if isChange { tracker?.willSet() }
    value = newValue
    if isChange { tracker?.didSet() }
    isUnset = false
    observations.isMute = false
    arrival.passOn(to: observations) {
      observations.notify(
        from: oldValue, to: newValue, isChange: isChange, stamp: arrival.stamp,
        areEqual: { !self.isChange($0, $1) })
    }
  }
}

/// The way from a source to a derived observable. The source's registry holds it; it holds the node as long as that one
/// is observed.
final class DerivedInlet: OwnerReference {
  private weak var unkept: AnyObject?
  private var kept: AnyObject?
  /// The registry of the source.
  private var source: Lifeline?

  init(to node: AnyObject, from source: AnyObservationRegistry) {
    unkept = node
    self.source = source.lifeline
    super.init()
  }

  var node: AnyObject? { kept ?? unkept }

  /// Holds the node, or lets it go.
  func keep(_ node: AnyObject?) {
    guard let source, (kept != nil) != (node != nil) else { return }
    // The last reference to the node may go with it: first count, then let go.
    withExtendedLifetime(kept) {
      kept = node
      source.use { unsafeDowncast($0, to: AnyObservationRegistry.self).addKeepers(node == nil ? -1 : 1) }
    }
  }

  /// Ends the way from a source that wants no more of it.
  func cut() {
    keep(nil)
    source = nil
  }

  override var isGone: Bool { node == nil }
}
