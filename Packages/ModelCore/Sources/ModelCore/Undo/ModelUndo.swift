@_spi(ModelKitInternals) public import FieldKit

/// A history of the edits of a scope's models, which can be undone and redone step by step.
///
/// ```swift
/// let scope = ModelScope()
/// let book = try Book.from(dictionaryValue: ["id": 1, "title": "Emma"], in: scope)
/// let undo = ModelUndo(scope)
/// undo.step("Rename") { book.title.value = "Persuasion" }
/// try undo.undo()   // Emma
/// try undo.redo()   // Persuasion
/// ```
///
/// A step is a labelled group of edits, a `transaction`, a transaction of a store, or a single edit outside of these.
/// It records values of fields, both sides of relations, new models that joined the scope, and models that a store
/// deleted. Reads from a store or from JSON are not edits. Neither are the values that a store sets during a save.
///
/// Only models of the scope are recorded. A new model joins it when it is related to a model of the scope, or created
/// in a store. Recording ends when this object is released.
///
/// - Note: Not `Sendable`: it belongs to the isolation of its models. A history retains the models of its steps.
public final class ModelUndo {
  /// The steps that can be undone and redone, as a menu shows them.
  public struct State: Hashable, Sendable {
    /// Whether there is a step to undo.
    public internal(set) var canUndo = false
    /// Whether there is a step to redo.
    public internal(set) var canRedo = false
    /// The label of the step that is undone next; nil if there is none, or it has no label.
    public internal(set) var undoLabel: String?
    /// The label of the step that is redone next; nil if there is none, or it has no label.
    public internal(set) var redoLabel: String?
  }

  /// The treatment of fields that have a newer value than the one that the step set.
  public enum ConflictPolicy: Hashable, Sendable {
    /// The call throws a ``ModelUndoError``, and changes nothing.
    case fail
    /// The newer values are overwritten.
    case overwrite
  }

  /// The models that an undone or redone step changed and that a store still has as they were before.
  ///
  /// ```swift
  /// try await store.save(undo.undo())
  /// ```
  public struct Changes {
    /// The label of the step.
    public let label: String?
    /// The stored models with unsaved changes, new ones that they reference, and deleted ones to create again. Each
    /// model precedes those that reference it. Empty in the scope of a draft, which is applied instead.
    public let modelsToSave: [ModelObject]
    /// The stored models whose creation was undone, or whose deletion was redone. They have no relations to others
    /// any more, and stay in the scope until they are deleted.
    public let modelsToDelete: [ModelObject]
    private weak var undo: ModelUndo?

    init(
      label: String? = nil, saving models: [ModelObject] = [], deleting deletions: [ModelObject] = [],
      of undo: ModelUndo
    ) {
      (self.label, modelsToSave, modelsToDelete, self.undo) = (label, models, deletions, undo)
    }

    /// The models to save and to delete, without those that a later undo or redo has changed back.
    @_spi(ModelKitInternals)
    public var remaining: (modelsToSave: [ModelObject], modelsToDelete: [ModelObject]) {
      let deletions = modelsToDelete.filter { model in
        model.isStored && undo.map { $0.modelsToDelete.contains(model) } ?? true
      }
      // A new model whose creation was undone since has left the scope.
      let saves = modelsToSave.filter { !$0.isDeleted && ($0.isStored || $0.identityMap != nil) }
      return (saves, deletions)
    }

    /// Whether there is nothing to save or delete.
    public var isEmpty: Bool { modelsToSave.isEmpty && modelsToDelete.isEmpty }
  }

  /// The scope whose models are recorded.
  public let scope: ModelScope
  /// The number of steps that are kept. Older ones are dropped.
  public let limit: Int
  /// The observable state, for menus: `undo.states --> { state in button.isEnabled = state.canUndo }`.
  public let states = ValueSource(State())

  var undoSteps: [UndoStep] = []
  var redoSteps: [UndoStep] = []
  /// The steps before each open transaction of a store that edited models, the outer one first.
  var histories: [HistoryBeforeTransaction] = []
  /// The steps that are registered with an undo manager when no transaction is open any more.
  var unregistered: [UndoStep] = []
  /// The step that is being recorded.
  var open: UndoStep?
  /// The operation that an open step without label belongs to.
  weak var group: AnyObject?
  /// The depth of nested labelled groups.
  var depth = 0
  /// The step that records the changes of an undo or redo.
  var counterStep: UndoStep?
  /// The number of reads and saves of each recorded field. A step from before one of them can't restore the states.
  var epochs: [ObjectIdentifier: Int] = [:]
  /// Called once for each step as soon as it can be undone: at its first edit, or at its end if it has a label.
  var stepRecorded: ((ModelUndo, UndoStep) -> Void)?
  /// The models whose save began and did not end, each with its last save.
  var modelsBeingSaved: [ModelObject: ObjectIdentifier] = [:]
  /// The models that an undo or redo returned for deletion.
  var modelsToDelete: Set<ModelObject> = []
  /// Whether models that an undo or redo returned for deletion are being deleted.
  var ignoresEdits = false

  /// Records the edits of the models of a scope from now on.
  ///
  /// - Parameters:
  ///   - scope: the scope, which is retained.
  ///   - limit: the number of steps to keep; less than 1 counts as 1.
  /// - Complexity: O(*n*) in the number of unsaved models of the scope.
  public init(_ scope: ModelScope, limit: Int = 100) {
    self.scope = scope
    self.limit = max(limit, 1)
    scope.map.add(self)
  }

  deinit { scope.map.removeUndo() }

  // MARK: State

  /// Whether there is a step to undo.
  public var canUndo: Bool { states.value.canUndo }
  /// Whether there is a step to redo.
  public var canRedo: Bool { states.value.canRedo }
  /// The label of the step that is undone next; nil if there is none, or it has no label.
  public var undoLabel: String? { states.value.undoLabel }
  /// The label of the step that is redone next; nil if there is none, or it has no label.
  public var redoLabel: String? { states.value.redoLabel }

  func updateState() {
    let last = open.flatMap { $0.isEmpty ? nil : $0 } ?? undoSteps.last
    let state = State(
      canUndo: last != nil, canRedo: !redoSteps.isEmpty, undoLabel: last?.label, redoLabel: redoSteps.last?.label)
    if states.value != state { states.value = state }
  }

  // MARK: Steps

  /// Runs a closure in a transaction, and records its edits as one step, with those that observers make at the end.
  ///
  /// A step within a step is part of the outer one. If the closure throws, its edits are a step, too.
  ///
  /// - Parameters:
  ///   - label: a name for menus, such as "Rename".
  ///   - body: edits models.
  /// - Returns: what `body` returns.
  /// - Throws: the errors of `body`.
  @discardableResult
  public func step<Result, Failure: Error>(
    _ label: String? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    beginStep(label)
    defer { endStep() }
    return try transaction(body)
  }

  /// Begins a step that lasts until ``endStep()``, such as for several calls of a store.
  ///
  /// A step that is begun within another one is part of it, and needs an ``endStep()`` of its own. While a step is
  /// open, ``undo(onConflict:)`` and ``redo(onConflict:)`` throw.
  ///
  /// - Parameter label: a name for menus, such as "Delete".
  public func beginStep(_ label: String? = nil) {
    if depth == 0 {
      close()
      open = UndoStep(label: label)
    }
    depth += 1
  }

  /// Ends the step that ``beginStep(_:)`` began. A step without edits is dropped.
  ///
  /// Without an open step, nothing is ended, and ``ModelIssue/handler`` gets a ``ModelUndoError``.
  public func endStep() {
    if depth == 0 { return ModelIssue.report(ModelUndoError.noOpenStep) }
    depth -= 1
    if depth == 0 { close() }
  }

  /// Drops all steps, such as when a document is closed.
  public func removeAll() {
    undoSteps = []
    redoSteps = []
    histories = []
    unregistered = []
    epochs = [:]
    // The models to delete stay: the changes of the last undo may not be saved yet.
    if depth == 0 { open = nil } else { open = UndoStep(label: open?.label) }
    updateState()
  }
}
