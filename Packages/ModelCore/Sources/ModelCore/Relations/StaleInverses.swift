/// The models to which a relation led before it was unloaded, and which still lead back. Held weakly: an unloaded model
/// retains nothing.
///
/// A model that is unloaded leaves the other side of its relations as it is. Once its own side is read or set anew, it is
/// known again what the other side should be, and a member that is none any more must not stay one there.
struct StaleInverses {
  private struct WeakModel {
    weak var model: ModelObject?
  }

  private var links: [ObjectIdentifier: [WeakModel]] = [:]

  mutating func add(_ models: [ModelObject], to relation: any Relation) {
    links[ObjectIdentifier(relation), default: []] += models.map { WeakModel(model: $0) }
  }

  mutating func take(from relation: any Relation) -> [ModelObject] {
    links.removeValue(forKey: ObjectIdentifier(relation))?.compactMap(\.model) ?? []
  }
}

extension Relation {
  /// Keeps in mind who leads here, before this side is unloaded.
  func rememberStaleInverses() {
    guard let owner = ownerModel else { return }
    let models = retainedModels.filter { model in
      guard let inverse = inverse(on: model), inverse !== self else { return false }
      return inverse.refers(to: owner)
    }
    if !models.isEmpty { owner.detailsForWriting.staleInverses.add(models, to: self) }
  }

  /// Cuts what still leads here from before this side was unloaded.
  ///
  /// - Parameter models: what this side leads to now.
  func cutStaleInverses(except models: [ModelObject], _ change: RelationChange) {
    guard isUneven, let former = ownerModel?.details?.staleInverses.take(from: self), !former.isEmpty else { return }
    let kept = Set(models.map { ObjectIdentifier($0) })
    for model in former where !kept.contains(ObjectIdentifier(model)) { cutBack(model, change) }
  }
}
