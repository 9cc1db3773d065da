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
  private var announcements: [() -> Void] = []
  /// The scope that records the change as an edit.
  private var recorder: IdentityMap?
  private var reverted: [any Relation] = []
  /// The relation that is read or reverted.
  private let source: (any Relation)?
  /// Whether a read replaces an unsaved link.
  private let replacesEdit: Bool
  /// The dirty relations whose inverses changed links, with the models of these.
  private var followers: [ObjectIdentifier: (relation: any Relation, models: [ModelObject])] = [:]

  init(stamp: ChangeStamp = .next(), _ kind: Kind = .local, of source: (any Relation)? = nil) {
    self.stamp = stamp
    self.kind = kind
    self.source = source
    replacesEdit = kind == .reading && source?.isDirty == true
    edited = nil
  }

  init(forEditOf embedded: ModelObject) {
    stamp = .next()
    kind = .local
    source = nil
    replacesEdit = false
    edited = embedded
  }

  var isRead: Bool { kind == .reading }

  func add(_ announcement: @escaping () -> Void) { announcements.append(announcement) }

  /// Notifies the recorders of the owner's scope before a relation is changed.
  func willChange(_ relation: any Relation) {
    guard FieldRecording.isOn, let owner = relation.ownerModel,
      let map = owner.recordingMap, map.isRecorded
    else { return }
    // The edit of the embedded model is part of the same step. One that is not recorded can't be undone.
    if let edited, edited.identityMap !== map { return }
    if !isRead { recorder = map }
    map.willChange(
      relation, of: owner, isEdit: !isRead, group: edited == nil ? self : nil, continues: edited != nil,
      replacesEdit: replacesEdit)
    // A deletion changes the baseline, too.
    if kind == .deletion { map.forEachUndo { $0.noteBaseline(of: relation) } }
  }

  /// Registers an inverse that was updated by this change.
  func note(_ relation: any Relation) {
    if kind == .reversion { reverted.append(relation) }
  }

  /// Registers a model whose link was added to a relation or removed from it on the inverse.
  func note(_ model: ModelObject, in relation: any Relation) {
    guard relation.isDirty else { return }
    // The link of the inverse is an unsaved edit as well.
    if kind == .local, followers[ObjectIdentifier(relation)] != nil { return }
    followers[ObjectIdentifier(relation), default: (relation, [])].models.append(model)
  }

  /// Registers the inverses that have an unsaved link which a read or a revert of the source replaces or confirms.
  func noteInverses(of relation: any Relation) {
    guard kind != .local, relation.isForeignKey, relation.isDirty, let owner = relation.ownerModel else { return }
    for model in relation.liveModels + (relation.baselineModels ?? []) {
      if let inverse = relation.inverse(on: model) { note(owner, in: inverse) }
    }
  }

  private func markFollowersCleanIfAsStored() {
    for (relation, models) in followers.values {
      if kind != .local, let owner = relation.ownerModel {
        for model in models {
          guard let link = relation.inverse(on: model) else { continue }
          let isDecided = kind == .deletion || link === source || !link.isDirty
          if isDecided { relation.noteStoredLink(of: model, exists: model.origin == .read && link.refers(to: owner)) }
        }
      }
      relation.markCleanIfAsStored()
    }
  }

  func announce() {
    for relation in reverted { relation.markCleanIfReverted(asOf: stamp) }
    if !followers.isEmpty { markFollowersCleanIfAsStored() }
    if announcements.isEmpty { return }
    if let recorder { return recorder.recordAsOneEdit { for announcement in announcements { announcement() } } }
    for announcement in announcements { announcement() }
  }
}
