/// The models that a relation referenced before it was unloaded, and whose inverses still reference the owner. Held
/// weakly: an unloaded model retains no models.
///
/// Unloading a model leaves the inverses of its relations as they are. Once its own side is read or set again, inverses
/// of previous members are stale and have to be cut.
struct StaleInverses {
  private struct WeakModel {
    weak var model: ModelObject?
  }

  private var links: [ObjectIdentifier: [WeakModel]] = [:]

  mutating func add(_ models: [ModelObject], to relation: any Relation) {
    links[ObjectIdentifier(relation), default: []] += models.map { WeakModel(model: $0) }
  }

  func contains(_ model: ModelObject, of relation: any Relation) -> Bool {
    links[ObjectIdentifier(relation)]?.contains { $0.model === model } ?? false
  }

  /// Returns the previous members of a relation.
  func models(of relation: any Relation) -> [ModelObject] {
    links[ObjectIdentifier(relation)]?.compactMap(\.model) ?? []
  }

  mutating func take(from relation: any Relation) -> [ModelObject] {
    links.removeValue(forKey: ObjectIdentifier(relation))?.compactMap(\.model) ?? []
  }
}

extension Relation {
  /// Records the models whose inverse references the owner, before this side is unloaded.
  func rememberStaleInverses() {
    guard let owner = ownerModel else { return }
    let models = retainedModels.filter { model in
      guard let inverse = inverse(on: model), inverse !== self else { return false }
      return inverse.refers(to: owner)
    }
    if !models.isEmpty { owner.detailsForWriting.staleInverses.add(models, to: self) }
  }

  /// Cuts the stale inverses from before this side was unloaded.
  ///
  /// - Parameter models: the current related models.
  func cutStaleInverses(except models: [ModelObject], _ change: RelationChange) {
    guard isUneven, let former = ownerModel?.details?.staleInverses.take(from: self), !former.isEmpty else { return }
    let kept = Set(models.map { ObjectIdentifier($0) })
    for model in former where !kept.contains(ObjectIdentifier(model)) { cutInverse(model, change) }
  }

  /// The models with an unsaved link to the owner that this side lacks since it was unloaded.
  var membersLostByUnloading: [ModelObject] {
    guard isUneven, let owner = ownerModel, let former = owner.details?.staleInverses.models(of: self) else {
      return []
    }
    var seen: Set<ModelObject> = []
    return former.filter { model in
      guard !refers(to: model), let inverse = inverse(on: model), seen.insert(model).inserted else { return false }
      return inverse.isDirty && inverse.refers(to: owner)
    }
  }

  /// Cuts a link that this relation had before it was unloaded, and that the record of its model still has. The link is
  /// the baseline then, so that the next save removes it from the record.
  func cutUnloadedLink(to model: ModelObject, of owner: ModelObject, _ change: RelationChange) {
    guard change.kind == .local, isForeignKey, loadState == .notLoaded, owner.isStored,
      owner.details?.staleInverses.contains(model, of: self) == true
    else { return }
    let read = RelationChange(.reading)
    _ = attachInverse(model, read)
    detachInverse(model, change)
    read.announce()
  }
}

@_spi(ModelKitInternals)
extension RelationField {
  /// The related models, and those with an unsaved link to the owner that this side lacks since it was unloaded.
  public var relatedModelsAndUnloaded: [ModelObject] {
    relatedModels + ((self as? any Relation)?.membersLostByUnloading ?? [])
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// Links the related models of a relation to this model again that were unloaded since this model was read.
  ///
  /// An unchanged record is not read another time, so the relation keeps a link that the unloaded inverse lacks.
  ///
  /// - Parameter key: the key with which the relation is declared.
  public func relinkInverses(ofFieldDeclaredAs key: String) {
    guard let relation = field(declaredAs: key) as? any Relation else { return }
    let change = RelationChange(.reading)
    for related in relation.relatedModels {
      guard let inverse = relation.inverse(on: related), inverse !== relation, inverse.isUneven else { continue }
      relation.linkInverse(related, to: self, inverse, change)
    }
    change.announce()
  }
}
