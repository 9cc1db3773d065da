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
  /// The conflict, if both sides were changed to different values.
  let conflict: EditConflict?

  init(_ field: DraftedField, of model: ModelObject, in graph: DraftGraph, losing removed: [ModelObject] = []) {
    self.field = field
    self.removed = removed
    mine = DraftedField.models(of: field.copy)?.map(graph.outer)
    guard field.isChangedElsewhere || !removed.isEmpty else {
      conflict = nil
      return
    }
    let isConflict: Bool
    let mineValue: Any?
    switch field.original as? any Relation {
    case let relation? where relation.isToMany:
      let merge = ListMerge(base: field.baseModels, mine: mine, theirs: relation.relatedModels)
      isConflict = merge.isConflict || !removed.isEmpty
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
    guard field.isChangedElsewhere else { return DraftEdit(field: field, models: mine, isVoid: false) }
    let merge = ListMerge(base: field.baseModels, mine: mine, theirs: relation.relatedModels)
    let models = merge.models(orderedAs: side) + (side == .mine ? removed : [])
    return DraftEdit(field: field, models: models, isVoid: false)
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
    let current = list.relatedModels
    let target = models ?? []
    let kept = Set(target)
    let known = Set(current)
    let removed = current.filter { !kept.contains($0) }
    let added = target.filter { !known.contains($0) }
    // A list of which not all members are loaded stays so, unless it was set as a whole.
    let isSetWhole = list.loadState != .loaded && field.copy.loadState == .loaded
    let isReordered = current.filter { kept.contains($0) } + added != target
    if models == nil || isSetWhole || (isReordered && list.loadState == .loaded) {
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
