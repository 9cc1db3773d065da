@_spi(ModelKitInternals) import FieldKit

// A relation is reinstated without its inverse, because a step has the states of both sides. Each link is then retained
// by the side that retained it before. If a relation has a newer value, it is reverted with its inverse instead, as a
// caller would change it.

/// The state of a relation, without its related class.
protocol RelationState: FieldState {
  /// The related models, and those of the baseline.
  var knownModels: [ModelObject] { get }
  /// Stops retaining members of a list, which are then in no baseline of it either.
  ///
  /// - Returns: a closure that adds those again that something else retains; nil if the state has none of them.
  func release(_ members: Set<ObjectIdentifier>) -> (() -> Void)?
}

extension ToOneState: RelationState {
  var knownModels: [ModelObject] { [model, baseline?.model].compactMap { $0 } }

  func release(_ members: Set<ObjectIdentifier>) -> (() -> Void)? { nil }
}

extension ToManyState: RelationState {
  var knownModels: [ModelObject] { (models ?? []) + (baseline?.models ?? []) }

  func release(_ members: Set<ObjectIdentifier>) -> (() -> Void)? {
    // No record has them, whether or not something else retains them.
    for case let baseline? in [original, baseline] {
      for model in baseline.models ?? [] where members.contains(ObjectIdentifier(model)) { baseline.remove(model) }
    }
    guard let former = models, former.contains(where: { members.contains(ObjectIdentifier($0)) }) else { return nil }
    models = former.filter { !members.contains(ObjectIdentifier($0)) }
    let references = former.map { model in { [weak model] in model } }
    return { [self] in models = references.compactMap { $0() } }
  }
}

/// The state of a to-one relation.
final class ToOneState<Related: Model>: FieldState {
  let model: Related?
  let isRetained: Bool
  let identity: LinkIdentity?
  let isUneven: Bool
  let original: ToOneBaseline<Related>?
  let baseline: ToOneBaseline<Related>?

  init(
    of field: ModelField<Related>, _ model: Related?, isRetained: Bool, _ identity: LinkIdentity?,
    _ original: ToOneBaseline<Related>?
  ) {
    self.model = model
    self.isRetained = isRetained
    self.identity = identity
    isUneven = field.isUneven
    self.original = original
    baseline = original?.copy()
    super.init(of: field)
  }

  override var anyValue: Any? { model }

  override func hasValue(of other: FieldState) -> Bool { (other as? ToOneState)?.model === model }
}

/// The state of a to-many relation.
final class ToManyState<Related: Model>: FieldState {
  private(set) var models: [Related]?
  let weakModels: Set<ObjectIdentifier>
  let isUneven: Bool
  let hasFollowed: Bool
  let lacksMembers: Bool
  let loadState: LoadState
  let original: ToManyBaseline<Related>?
  let baseline: ToManyBaseline<Related>?

  init(of field: ModelArrayField<Related>, _ original: ToManyBaseline<Related>?) {
    models = field.liveValue
    weakModels = field.table?.weaklySeen ?? []
    isUneven = field.isUneven
    hasFollowed = field.hasFollowed
    lacksMembers = field.lacksMembers
    loadState = field.loadState
    self.original = original
    baseline = original?.copy()
    super.init(of: field)
  }

  override var anyValue: Any? { models }

  var links: [(model: ModelObject, isRetained: Bool)]? {
    models?.map { ($0, !weakModels.contains(ObjectIdentifier($0))) }
  }

  override func hasValue(of other: FieldState) -> Bool {
    guard let other = other as? ToManyState, (models == nil) == (other.models == nil) else { return false }
    return (models ?? []).elementsEqual(other.models ?? [], by: ===)
  }

  override func hasSameStates(as other: FieldState) -> Bool {
    guard let other = other as? ToManyState else { return false }
    return super.hasSameStates(as: other) && hasFollowed == other.hasFollowed && lacksMembers == other.lacksMembers
  }
}

extension ModelArrayField {
  func reinstateList(_ state: FieldState, exactly isExact: Bool, marksClean: Bool) {
    guard let state = state as? ToManyState<Related> else { return }
    let change = RelationChange()
    let oldValue = liveValue
    // An explicit empty list or nil differs from a list that was never set.
    let isFirst = state.isDirty && loadState == .notLoaded
    let isChange = isFirst || !captureState().hasValue(of: state)
    if isExact {
      change.willChange(self)
      reinstateStates(state, stamp: change.stamp) {
        refer(to: state.links, isUneven: state.isUneven)
        (hasFollowed, lacksMembers) = (state.hasFollowed, state.lacksMembers)
      }
      if let baseline = state.baseline { state.original?.restore(baseline) }
      reinstateBaseline(state.original)
    } else if isChange {
      let isPartial = loadState == .incomplete || (state.loadState == .incomplete && loadState != .loaded)
      let isFollowing = isFollowing(change) && differs(from: state, onlyByForeignKeys: oldValue ?? [])
      keepBaseline(before: change)
      prepareToSet(isChange: true)
      refer(to: state.links, isUneven: state.isUneven)
      markSet(isChange: true, stamp: change.stamp)
      hasFollowed = isFollowing
      if isPartial { loadState = .incomplete }
    }
    if !isExact, marksClean, !isFirst, let original {
      if (original.models ?? []).elementsEqual(liveValue ?? [], by: ===) {
        markCleanIfReverted(asOf: change.stamp)
      } else {
        markCleanIfAsStored()
      }
    }
    if isObserved { announce(from: oldValue, to: liveValue, isChange: isChange, stamp: max(change.stamp, lastChange)) }
  }

  /// Returns whether all members that a state adds or removes have the identifier of this model in their records.
  private func differs(from state: ToManyState<Related>, onlyByForeignKeys models: [Related]) -> Bool {
    Set(models).symmetricDifference(state.models ?? []).allSatisfy { isKept(inRecordOf: $0) }
  }

  func revert(from after: FieldState, to before: FieldState) {
    guard let after = after as? ToManyState<Related>, let before = before as? ToManyState<Related> else { return }
    let (old, new) = (Set(before.models ?? []), Set(after.models ?? []))
    remove(contentsOf: (after.models ?? []).filter { !old.contains($0) })
    let added = (before.models ?? []).filter { !new.contains($0) }
    add(contentsOf: added)
    if loadState == .loaded, !added.isEmpty { moveBehindPredecessors(added, asIn: before.models ?? []) }
    // Only the change made the list complete: the other members are unknown again, unless the list was saved since.
    let wasSaved = original?.loadState == .loaded
    if after.loadState == .loaded, before.loadState != .loaded, loadState == .loaded, !wasSaved {
      loadState = .incomplete
    }
    if !before.isDirty { markCleanIfReverted(asOf: .next()) }
  }
}

extension ModelArrayField {
  /// Moves members that were appended to where an earlier list had them: behind the nearest member before them there.
  private func moveBehindPredecessors(_ added: [Related], asIn former: [Related]) {
    let moved = Set(added)
    var list = (liveValue ?? []).filter { !moved.contains($0) }
    var index = 0
    for model in former {
      if moved.contains(model) {
        list.insert(model, at: index)
        index += 1
      } else if let found = list.firstIndex(of: model) {
        index = found + 1
      }
    }
    if list != liveValue { value = list }
  }
}

extension ModelField {
  func reinstateModel(_ state: FieldState, exactly isExact: Bool, marksClean: Bool) {
    guard let state = state as? ToOneState<Related> else { return }
    let change = RelationChange()
    let oldValue = liveValue
    // An explicit nil differs from a relation that was never set.
    let isFirst = state.isDirty && loadState == .notLoaded
    let isChange = isFirst || oldValue !== state.model
    if isExact {
      change.willChange(self)
      reinstateStates(state, stamp: change.stamp) { refer(to: state) }
      if let baseline = state.baseline { state.original?.restore(baseline) }
      reinstateBaseline(state.original)
    } else if isChange {
      keepBaseline(before: change)
      prepareToSet(isChange: true)
      refer(to: state)
      markSet(isChange: true, stamp: change.stamp)
    }
    if !isExact, marksClean, !isFirst { markCleanIfReverted(asOf: change.stamp) }
    if isObserved { announce(from: oldValue, to: liveValue, isChange: isChange, stamp: max(change.stamp, lastChange)) }
  }

  func revert(from after: FieldState, to before: FieldState) {
    guard let before = before as? ToOneState<Related>, liveValue !== before.model else { return }
    value = before.model
    if !before.isDirty { markCleanIfReverted(asOf: .next()) }
  }
}
