@_spi(ModelKitInternals) import FieldKit

// The baseline of a relation is retained by the closure that restores the field, and held weakly by the relation. It is
// therefore deallocated when the field is saved, read or unloaded. It retains the models that the relation retained,
// and holds the others weakly. A restored link is retained by the side that retained it before, so that a revert
// creates no retain cycle across an inverse.

/// The baseline of a to-one relation.
final class ToOneBaseline<Related: ModelObject> {
  private(set) var retained: Related?
  private weak var seen: Related?
  private(set) var identity: LinkIdentity?
  private(set) var loadState: LoadState
  /// Whether the inverse of the model is not updated on a revert, as for a copy that references an original.
  let isSilent: Bool

  init(
    retaining retained: Related?, seeing seen: Related?, _ identity: LinkIdentity?, _ loadState: LoadState,
    isSilent: Bool = false
  ) {
    self.retained = retained
    self.seen = seen
    self.identity = identity
    self.loadState = loadState
    self.isSilent = isSilent
  }

  deinit {
    var last: AnyObject? = retained.take()
    ReleaseQueue.release(&last)
  }

  var model: Related? { retained ?? seen }

  /// Returns a copy with the present contents.
  func copy() -> ToOneBaseline {
    ToOneBaseline(retaining: retained, seeing: seen, identity, loadState, isSilent: isSilent)
  }

  /// Restores the contents of a copy.
  func restore(_ copy: ToOneBaseline) {
    (retained, seen, identity, loadState) = (copy.retained, copy.seen, copy.identity, copy.loadState)
  }

  /// Updates the baseline with a link that was read on the inverse.
  func see(_ model: Related?) {
    retained = nil
    seen = model
    identity = model.map { LinkIdentity($0) }
    if model != nil { loadState = .loaded }
  }
}

/// The baseline of a to-many relation.
final class ToManyBaseline<Related: ModelObject> {
  /// Nil where the list was nil.
  private(set) var table: MemberTable<Related>?
  private(set) var loadState: LoadState
  /// Whether the list was never read or saved, and becomes so again on a revert.
  let wasNeverSaved: Bool
  /// The members whose inverse is not updated on a revert, as for a copy that references originals.
  let silent: Set<ObjectIdentifier>

  init(
    _ table: MemberTable<Related>?, _ loadState: LoadState, wasNeverSaved: Bool, silent: Set<ObjectIdentifier> = []
  ) {
    self.table = table
    self.loadState = loadState
    self.wasNeverSaved = wasNeverSaved
    self.silent = silent
  }

  deinit { ReleasedMembers.release(nil, &table) }

  var models: [Related]? { table?.models }

  /// The number of members, deallocated ones included.
  var count: Int { table?.count ?? 0 }

  /// Whether weakly held members were deallocated.
  var hasLostMembers: Bool { table.map { $0.models.count < $0.count } ?? false }

  func contains(_ model: Related) -> Bool { table?.contains(model) ?? false }

  func retains(_ model: Related) -> Bool { table?.retains(model) ?? false }

  /// Updates the baseline with a link that was read on the inverse.
  func see(_ model: Related) {
    if table?.contains(model) == true { return }
    if table == nil { table = MemberTable(retaining: []) }
    table?.append(model, isRetained: false)
    // One member is known now.
    if loadState == .notLoaded { loadState = .incomplete }
  }

  func remove(_ model: Related) { table?.remove(model) }

  /// Returns a copy with the present contents.
  func copy() -> ToManyBaseline { ToManyBaseline(table, loadState, wasNeverSaved: wasNeverSaved, silent: silent) }

  /// Restores the contents of a copy.
  func restore(_ copy: ToManyBaseline) { (table, loadState) = (copy.table, copy.loadState) }
}

/// The members of a deallocated list, passed to the release queue: the list may have held the last references to them.
final class ReleasedMembers<Related: AnyObject> {
  private let models: [Related]?
  private let table: MemberTable<Related>?

  private init(_ models: [Related]?, _ table: MemberTable<Related>?) {
    self.models = models
    self.table = table
  }

  /// Releases the members of a list and of a table.
  static func release(_ models: consuming [Related]?, _ table: inout MemberTable<Related>?) {
    if models?.isEmpty ?? true, table == nil { return }
    var last: AnyObject? = ReleasedMembers(models, table.take())
    ReleaseQueue.release(&last)
  }
}
