extension Field {
  /// The field this clone follows; nil if the field is not a clone, or was detached.
  public final var prototype: Field? { extras?.link?.prototype }

  /// The clones that follow this field, in the order of their creation.
  public final var clones: [Field] { (extras?.clones ?? []).compactMap(\.clone) }

  /// Stops following the prototype and keeps the value. Does nothing if the field is not a clone.
  public final func detach() {
    guard let link = extras?.link else { return }
    extras?.link = nil
    link.prototype.removeObserver(link)
    link.prototype.remove(self)
  }

  final func follow(_ prototype: Field) {
    let link = CloneLink(prototype: prototype, clone: self)
    extrasForWriting.link = link
    // Every set of the clone then calls `detachUnlessFollowing`.
    flags.formUnion(.hooksSet)
    flags.subtract([.onlyConstrained, .dirty])
    prototype.extrasForWriting.clones.removeAll { $0.clone == nil }
    prototype.extrasForWriting.clones.append(WeakClone(clone: self))
    // Every set, not only changes: a prototype set to nil for the first time sets its clones to a loaded nil.
    prototype.addObserver(link, requiresChange: false, updateImmediately: false)
  }

  final func detachUnlessFollowing() {
    guard let link = extras?.link, !link.takesValue() else { return }
    detach()
  }

  private func remove(_ clone: Field) { extras?.clones.removeAll { $0.clone == nil || $0.clone === clone } }
}

struct WeakClone<Content> {
  weak var clone: Field<Content>?
}

/// An observer that copies a prototype's values to a clone. The clone owns it; the prototype references it weakly.
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

  /// Returns whether the current set comes from the prototype. True only once: the clone's observers may set other
  /// values meanwhile.
  func takesValue() -> Bool {
    defer { isHandingOn = false }
    return isHandingOn
  }
}
