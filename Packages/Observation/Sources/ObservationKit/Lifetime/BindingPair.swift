/// What the two directions of a two-way binding know in common, so that a change does not even knock where it came from.
@usableFromInline
final class BindingPair {
  @exclusivity(unchecked) @usableFromInline var lastStamp = ChangeStamp.never

  @inlinable
  init() {}

  /// Whether a change may pass: not one that passed already, in the other direction.
  @inlinable
  func admits(_ stamp: ChangeStamp) -> Bool {
    if stamp == lastStamp { return false }
    lastStamp = stamp
    return true
  }
}
