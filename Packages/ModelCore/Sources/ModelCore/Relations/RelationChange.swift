@_spi(ModelKitInternals) import FieldKit

/// One operation on the graph. All sides are changed before their observers are notified, so that no observer reads one
/// side without the other.
final class RelationChange {
  enum Kind {
    case local
    /// A link that was read. It makes no field dirty on either side.
    case reading
    /// A revert of a relation. Inverses that equal their baselines afterwards become clean.
    case reversion
    /// A deletion of models, which are removed from baselines too.
    case deletion
  }

  let stamp: ChangeStamp
  let kind: Kind
  /// The embedded model whose edit changes the relation that embeds it.
  private let edited: ModelObject?
  /// The map that deleted models have left, but whose recorders still get the links that they lose.
  private var deletedFrom: IdentityMap?
  private var announcements: [() -> Void] = []
  private var reverted: [any Relation] = []

  init(stamp: ChangeStamp = .next(), _ kind: Kind = .local) {
    self.stamp = stamp
    self.kind = kind
    edited = nil
    deletedFrom = nil
  }

  init(deletingFrom map: IdentityMap?) {
    stamp = .next()
    kind = .deletion
    edited = nil
    deletedFrom = map
  }

  init(forEditOf embedded: ModelObject) {
    stamp = .next()
    kind = .local
    edited = embedded
    deletedFrom = nil
  }

  var isRead: Bool { kind == .reading }

  func add(_ announcement: @escaping () -> Void) { announcements.append(announcement) }

  /// Notifies the recorders of the owner's scope before a relation is changed.
  func willChange(_ relation: any Relation) {
    guard FieldRecording.isOn, let owner = relation.ownerModel,
      let map = owner.identityMap ?? (owner.isDeleted ? deletedFrom : nil), map.isRecorded
    else { return }
    // The edit of the embedded model is part of the same step. One that is not recorded can't be undone.
    if let edited, edited.identityMap !== map { return }
    let isReadOfDeletion = isReadOfDeletion(relation, of: owner, in: map)
    map.willChange(
      relation, of: owner, isEdit: !isRead || isReadOfDeletion, group: edited == nil ? self : nil,
      continues: edited != nil, isReadOfDeletion: isReadOfDeletion)
    // A deletion changes the baseline, too.
    if kind == .deletion || isReadOfDeletion { map.forEachUndo { $0.noteBaseline(of: relation) } }
  }

  /// Returns whether a record is read in which an open transaction cut a link to a model that it deleted. The link is
  /// restored with the model.
  private func isReadOfDeletion(_ relation: any Relation, of owner: ModelObject, in map: IdentityMap) -> Bool {
    guard isRead, map.hasDeletions, map.openTransaction != nil else { return false }
    if owner.isDeleted { return true }
    guard relation.relatedModels.contains(where: \.isDeleted) else { return false }
    deletedFrom = map
    return true
  }

  /// Registers an inverse that was updated by this change.
  func note(_ relation: any Relation) {
    if kind == .reversion { reverted.append(relation) }
  }

  func announce() {
    for relation in reverted { relation.settle(asOf: stamp) }
    for announcement in announcements { announcement() }
  }
}
