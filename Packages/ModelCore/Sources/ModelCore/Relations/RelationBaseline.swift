@_spi(ModelKitInternals) import FieldKit

// What a relation goes back to when it is reverted. The closure that sets the field back retains it, and the relation sees
// it weakly: so it goes when the field is saved, read or unloaded. It retains the models that the relation retained, and
// sees the others weakly. A link that is made anew is retained by the side that retained it before, so that going back
// makes no retain cycle across an inverse.

/// What a relation to one goes back to.
final class ToOneBaseline<Related: ModelObject> {
  private(set) var retained: Related?
  private weak var seen: Related?
  private(set) var identity: LinkIdentity?
  let loadState: LoadState
  /// Whether the model is not to hear of it, as one that a copy refers to.
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

  /// Follows what was read on the other side.
  func see(_ model: Related?) {
    retained = nil
    seen = model
    identity = model.map { LinkIdentity($0) }
  }
}

/// What a relation to many goes back to.
final class ToManyBaseline<Related: ModelObject> {
  /// Nil where the list was nil.
  private(set) var table: MemberTable<Related>?
  let loadState: LoadState
  /// Whether the list was neither read nor saved: it goes back to that, too.
  let wasNeverSaved: Bool
  /// The members that are not to hear of it, as those that a copy refers to.
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

  /// Whether members that nobody retained are gone.
  var hasLostMembers: Bool { table.map { $0.models.count < $0.count } ?? false }

  func contains(_ model: Related) -> Bool { table?.contains(model) ?? false }

  func retains(_ model: Related) -> Bool { table?.retains(model) ?? false }

  /// Follows what was read on the other side.
  func see(_ model: Related) {
    if table?.contains(model) == true { return }
    if table == nil { table = MemberTable(retaining: []) }
    table?.append(model, isRetained: false)
  }

  func forget(_ model: Related) { table?.remove(model) }
}

/// The members of a list that dies, on their way through the release queue: the last references to them may be in it.
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
