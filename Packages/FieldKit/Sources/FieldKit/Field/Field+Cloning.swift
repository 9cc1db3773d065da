extension Field {
  /// The field this one follows; nil if it is no clone, or was detached.
  public final var prototype: Field? { extras?.link?.prototype }

  /// The clones that follow this field, in the order in which they were made.
  public final var clones: [Field] { (extras?.clones ?? []).compactMap(\.clone) }

  /// Stops following the prototype and keeps the value. Does nothing to a field that follows none.
  public final func detach() {
    guard let link = extras?.link else { return }
    extras?.link = nil
    link.prototype.removeObserver(link)
    link.prototype.forget(self)
  }

  final func follow(_ prototype: Field) {
    let link = CloneLink(prototype: prototype, clone: self)
    extrasForWriting.link = link
    // So that every set of the clone comes by `detachUnlessFollowing`.
    flags.formUnion(.hooksSet)
    flags.subtract([.onlyConstrained, .dirty])
    prototype.extrasForWriting.clones.removeAll { $0.clone == nil }
    prototype.extrasForWriting.clones.append(WeakClone(clone: self))
    // Every set, not only changes: a prototype that is set to nil for the first time makes its clones known to be nil.
    prototype.addObserver(link, requiresChange: false, updateImmediately: false)
  }

  final func detachUnlessFollowing() {
    guard let link = extras?.link, !link.takesValue() else { return }
    detach()
  }

  private func forget(_ clone: Field) { extras?.clones.removeAll { $0.clone == nil || $0.clone === clone } }
}

struct WeakClone<Content> {
  weak var clone: Field<Content>?
}

/// Hands a prototype's values on to a clone. The clone owns it, and the prototype sees it weakly, as any observer.
final class CloneLink<Content>: ValueObserver {
  let prototype: Field<Content>
  private weak var clone: Field<Content>?
  private var isHandingOn = false

  init(prototype: Field<Content>, clone: Field<Content>) {
    self.prototype = prototype
    self.clone = clone
  }

  func valueChanged(
    from oldValue: Content?, to newValue: Content?, observable: any ValueObservable<Content?>
  ) {
    guard let clone else { return }
    isHandingOn = true
    clone.load(newValue, stamp: observable.observations.stamp)
  }

  /// Whether the set that begins is the prototype's. Only once: what the clone's observers set meanwhile is not.
  func takesValue() -> Bool {
    defer { isHandingOn = false }
    return isHandingOn
  }
}
