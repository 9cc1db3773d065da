@_spi(ModelKitInternals) public import FieldKit

/// A field that leads to other models: a ``ModelField`` or a ``ModelArrayField``.
///
/// ```swift
/// for case let relation as any RelationField in person.fields { print(relation.relatedModels.count) }
/// ```
public protocol RelationField: FieldProtocol {
  /// The related models that are there now.
  var relatedModels: [ModelObject] { get }
  /// The class of the related models.
  var relatedClass: ModelObject.Type { get }
  /// Whether the relation can lead to more than one model.
  var isToMany: Bool { get }
  /// Whether related models are written as their identifiers instead of in full.
  var isForeignKey: Bool { get }
  /// What happens to the related models when the model that has this field is deleted.
  var deleteRule: DeleteRule { get }
}

/// What the two sides of a relation ask of each other. The side on which a link is set retains the related model, and
/// the other side, reached through `attachBack`, sees it weakly: so an inverse never makes a retain cycle.
protocol Relation: FieldBase, RelationField {
  /// Takes models without a word to the other side, as a copy refers to what is not copied.
  func refer(to models: [ModelObject])
  /// What the declaration says is the other side, if it says so on this side.
  func declaredInverse(on related: ModelObject) -> (any Relation)?
  /// Whether models of this class can stand in this field.
  func accepts(_ modelClass: ModelObject.Type) -> Bool
  /// Whether this side has a link to the model.
  func refers(to model: ModelObject) -> Bool
  /// How many links there are at most, without looking at them.
  var linkCount: Int { get }
  /// The related models that this side keeps alive.
  var retainedModels: [ModelObject] { get }
  /// Follows a link that was made on the other side. A model that has to give way loses its own link.
  func attachBack(_ model: ModelObject, _ change: RelationChange)
  /// Follows a link that was cut on the other side.
  func detachBack(_ model: ModelObject, _ change: RelationChange)
  /// Adds a model to many, or makes it the one.
  ///
  /// - Returns: `false` if it is of another class.
  func link(_ model: ModelObject) -> Bool
  /// Cuts the links to models, in one operation.
  func unlink(_ models: [ModelObject])
}

/// One operation on the graph: first all sides are changed, then the observers of all sides are told, so that no
/// observer sees one side without the other.
final class RelationChange {
  let stamp: ChangeStamp
  /// Whether the links were read: then they are no local change, on whichever side they show.
  let isRead: Bool
  private var announcements: [() -> Void] = []

  init(stamp: ChangeStamp = .next(), isRead: Bool = false) {
    self.stamp = stamp
    self.isRead = isRead
  }

  func add(_ announcement: @escaping () -> Void) { announcements.append(announcement) }

  func announce() {
    for announcement in announcements { announcement() }
  }
}

extension Relation {
  var ownerModel: ModelObject? { owner as? ModelObject }

  /// The other side of this relation on a related model. An inverse is declared on one side and known to both.
  func inverse(on related: ModelObject) -> (any Relation)? {
    if let declared = declaredInverse(on: related) { return declared }
    guard let owner = ownerModel else { return nil }
    let key = ModelLayout.InverseKey(
      index: Int(layoutIndex), relatedClass: ObjectIdentifier(type(of: related)))
    if let known = owner.layout.inverses.withLock({ $0[key] }) {
      return known < 0 ? nil : related.layout.field(at: known, of: related) as? any Relation
    }
    var found: (index: Int, field: any Relation)?
    related.layout.forEachField(of: related) { field, index in
      guard found == nil, let candidate = field as? any Relation, candidate.accepts(type(of: owner)),
        candidate.declaredInverse(on: owner) === self
      else { return }
      found = (index, candidate)
    }
    let index = found?.index ?? -1
    owner.layout.inverses.withLock { $0[key] = index }
    return found?.field
  }

  /// A model joins the scope of the model it is related to.
  func shareScope(with related: ModelObject) {
    guard let owner = ownerModel else { return }
    if let map = owner.identityMap {
      if related.identityMap == nil { map.add(related) }
    } else if let map = related.identityMap {
      map.add(owner)
    }
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The other side of a relation of this model on a related model; nil if it has none.
  ///
  /// - Parameters:
  ///   - relation: a relation of this model.
  ///   - related: a model to which it can lead, whether it does or not.
  /// - Complexity: O(1) but for the first time for two classes.
  public func inverseField(of relation: any RelationField, on related: ModelObject) -> (any RelationField)? {
    guard let relation = relation as? any Relation, relation.owner === self, relation.accepts(type(of: related)) else {
      return nil
    }
    return relation.inverse(on: related)
  }
}

/// Remembers which model a weak link led to, after the model is gone.
///
/// The identifier is asked of the model's identifier field, which may get its value long after the link was made.
struct LinkIdentity {
  private let field: (any FieldProtocol)?

  init(_ model: ModelObject) { field = model.identifierField }

  var identifier: String? { field.flatMap(ModelObject.identifier(in:)) }
}
