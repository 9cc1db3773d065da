@_spi(ModelKitInternals) import FieldKit

/// One operation on the graph: first all sides are changed, then the observers of all sides are told, so that no
/// observer sees one side without the other.
final class RelationChange {
  enum Kind {
    case local
    /// The links were read: then they are no local change, on whichever side they show.
    case reading
    /// A relation goes back to what was last read or saved. Others that are then what they were have no local change left.
    case reversion
    /// Models were deleted, so that there is no going back to them.
    case deletion
  }

  let stamp: ChangeStamp
  let kind: Kind
  private var announcements: [() -> Void] = []
  private var reverted: [any Relation] = []

  init(stamp: ChangeStamp = .next(), _ kind: Kind = .local) {
    self.stamp = stamp
    self.kind = kind
  }

  var isRead: Bool { kind == .reading }

  func add(_ announcement: @escaping () -> Void) { announcements.append(announcement) }

  /// Notes a side that followed this change.
  func note(_ relation: any Relation) {
    if kind == .reversion { reverted.append(relation) }
  }

  func announce() {
    for relation in reverted { relation.settle(asOf: stamp) }
    for announcement in announcements { announcement() }
  }
}
