@_spi(ModelKitInternals) import FieldKit

extension EditConflict {
  /// One of the two sides of a conflict.
  public enum Side: Hashable, Sendable {
    /// The value that was edited.
    case mine
    /// The newer value of the original.
    case theirs
  }
}

/// A field that was changed in a draft, compared with the present value of the original.
struct DraftComparison {
  private let field: DraftedField
  /// The models that the copy references, none of them a copy; nil for a nil list, and for a field that is not a
  /// relation.
  private let mine: [ModelObject]?
  /// The embedded models that were edited in the draft, and that the original does not embed any more.
  private let removed: [ModelObject]
  /// The embedded models that were edited in the original, and that the draft does not embed any more.
  private let discarded: [ModelObject]
  /// The conflict, if both sides were changed to different values.
  let conflict: EditConflict?

  init(
    _ field: DraftedField, of model: ModelObject, in graph: DraftGraph, losing removed: [ModelObject],
    discarding discarded: [ModelObject]
  ) {
    self.field = field
    self.removed = removed
    self.discarded = discarded
    mine = DraftedField.models(of: field.copy)?.map(graph.outer)
    guard field.isChangedElsewhere || !removed.isEmpty || !discarded.isEmpty else {
      conflict = nil
      return
    }
    let isConflict: Bool
    let mineValue: Any?
    switch field.original as? any Relation {
    case let relation? where relation.isToMany:
      let merge = ListMerge(base: field.baseModels, mine: mine, theirs: field.presentModels(of: relation))
      isConflict = merge.isConflict || !removed.isEmpty || !discarded.isEmpty
      mineValue = mine
    case let relation?:
      isConflict = relation.relatedModels.first !== mine?.first
      mineValue = mine?.first
    case nil:
      isConflict = !field.copy.hasSameValue(as: field.original)
      mineValue = field.copy.anyValue
    }
    conflict =
      isConflict
      ? EditConflict(
        field.original, of: model, base: field.baseValue, mine: mineValue, theirs: field.original.anyValue) : nil
  }

  /// Returns the edit of the original.
  ///
  /// - Parameter side: the side that remains of a conflict.
  func edit(keeping side: EditConflict.Side) -> DraftEdit {
    guard let relation = field.original as? any Relation else {
      return DraftEdit(field: field, models: nil, isVoid: side == .theirs)
    }
    guard relation.isToMany else { return DraftEdit(field: field, models: mine, isVoid: side == .theirs) }
    let isKept = side == .theirs && !discarded.isEmpty
    guard field.isChangedElsewhere || isKept else { return DraftEdit(field: field, models: mine, isVoid: false) }
    let theirs = field.presentModels(of: relation)
    let merge = ListMerge(base: field.baseModels, mine: isKept ? mineWithDiscarded : mine, theirs: theirs)
    let models = merge.models(orderedAs: side)
    let returned = side == .mine ? removed.filter { !models.contains($0) } : []
    return DraftEdit(field: field, models: models + returned, isVoid: false)
  }

  /// The members of the draft, and those that it removed although they were edited, at their previous indices.
  private var mineWithDiscarded: [ModelObject] {
    var models = mine ?? []
    for (index, model) in (field.baseModels ?? []).enumerated() where discarded.contains(model) {
      models.insert(model, at: min(index, models.count))
    }
    return models
  }
}

/// The change of a field of an original.
struct DraftEdit {
  let field: DraftedField
  /// The models of a relation; nil for a nil list, and for a field that is not a relation.
  let models: [ModelObject]?
  /// Whether the original keeps its value.
  let isVoid: Bool

  func apply() {
    if isVoid { return }
    do {
      switch field.original as? any Relation {
      case let relation? where relation.isToMany: try setList(relation)
      case let relation?:
        if relation.relatedModels.first !== models?.first { try relation.set(anyValue: models?.first) }
      case nil: try field.original.copyValue(from: field.copy)
      }
    } catch {
      // A field that was added at run time, with values of another type.
      ModelIssue.report(error)
    }
  }

  private func setList(_ list: any Relation) throws {
    let current = field.presentModels(of: list)
    let target = models ?? []
    let kept = Set(target)
    let known = Set(current)
    let removed = current.filter { !kept.contains($0) }
    let added = target.filter { !known.contains($0) }
    let isReordered = current.filter { kept.contains($0) } + added != target
    // A partially loaded list stays partially loaded, unless the draft set it as a whole, or removed a member that was
    // unloaded.
    let isWhole = list.loadState == .loaded || field.wasLoaded
    let isSetWhole =
      isWhole
      ? isReordered || removed.contains { !list.refers(to: $0) } : field.copy.loadState == .loaded
    if models == nil || isSetWhole {
      try list.set(anyValue: models)
    } else {
      if !removed.isEmpty { list.unlink(removed) }
      for model in added { _ = list.link(model) }
    }
  }
}

/// The three-way merge of the members of a list.
///
/// Removes the members that either side removed, adds those that either side added, and keeps the order of the side
/// that changed it.
private struct ListMerge {
  private let base, mine, theirs: [ModelObject]
  private let isMineReordered, isTheirsReordered: Bool
  /// Whether both sides changed the order, to different ones.
  let isConflict: Bool

  init(base: [ModelObject]?, mine: [ModelObject]?, theirs: [ModelObject]) {
    self.base = base ?? []
    self.mine = mine ?? []
    self.theirs = theirs
    let common = Set(self.base).intersection(self.mine).intersection(theirs)
    func order(_ models: [ModelObject]) -> [ModelObject] { models.filter { common.contains($0) } }
    let orders = (base: order(self.base), mine: order(self.mine), theirs: order(theirs))
    isMineReordered = orders.mine != orders.base
    isTheirsReordered = orders.theirs != orders.base
    isConflict = isMineReordered && isTheirsReordered && orders.mine != orders.theirs
  }

  /// Returns the members of the merged list.
  ///
  /// - Parameter side: the side whose order remains if both changed it.
  func models(orderedAs side: EditConflict.Side) -> [ModelObject] {
    let isMineFirst = isMineReordered && (!isTheirsReordered || side == .mine)
    let (first, second) = isMineFirst ? (mine, theirs) : (theirs, mine)
    let (inBase, inFirst, inSecond) = (Set(base), Set(first), Set(second))
    return first.filter { inSecond.contains($0) || !inBase.contains($0) }
      + second.filter { !inFirst.contains($0) && !inBase.contains($0) }
  }
}
