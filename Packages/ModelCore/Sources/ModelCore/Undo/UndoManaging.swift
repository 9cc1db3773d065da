/// An undo manager, as far as a history needs one: that of Foundation, which Linux lacks, or that of a test.
@MainActor
protocol UndoManaging: AnyObject {
  /// Registers an action. While another action runs, the new one reverts it: an undo registers its redo this way.
  ///
  /// - Parameters:
  ///   - label: the name for menus.
  ///   - action: called once at most. It is retained until then.
  func register(_ label: String?, _ action: @escaping @MainActor () -> Void)
}

extension ModelUndo {
  @MainActor
  func register(
    with manager: some UndoManaging, onChanges: @escaping (Changes) -> Void,
    onError: @escaping (ModelUndoError) -> Void
  ) {
    stepRecorded = { [weak manager] undo, step in
      if let manager { UndoRegistration(undo, manager, onChanges, onError).registerUndo(of: step) }
    }
  }

  private func isNext(_ step: UndoStep) -> Bool { open === step || undoSteps.last === step }

  /// The actions that undo and redo one step, each of which registers the other.
  @MainActor
  private struct UndoRegistration<Manager: UndoManaging> {
    private let undo: ModelUndo
    private weak var manager: Manager?
    private let onChanges: (Changes) -> Void
    private let onError: (ModelUndoError) -> Void

    init(
      _ undo: ModelUndo, _ manager: Manager, _ onChanges: @escaping (Changes) -> Void,
      _ onError: @escaping (ModelUndoError) -> Void
    ) {
      self.undo = undo
      self.manager = manager
      self.onChanges = onChanges
      self.onError = onError
    }

    // The history may have dropped a step that the manager still has: one without effect, or one over the limit.

    func registerUndo(of step: UndoStep) {
      manager?.register(step.label) {
        guard undo.isNext(step) else { return }
        guard run({ () throws(ModelUndoError) in try undo.undo() }) else {
          // The step is still the last one of the history. The manager takes it back once its own undo has ended.
          Task { registerUndo(of: step) }
          return
        }
        if let undone = undo.redoSteps.last { registerRedo(of: undone) }
      }
    }

    private func registerRedo(of step: UndoStep) {
      manager?.register(step.label) {
        guard undo.redoSteps.last === step,
          run({ () throws(ModelUndoError) in try undo.redo() })
        else { return }
        if let redone = undo.undoSteps.last { registerUndo(of: redone) }
      }
    }

    private func run(_ operation: () throws(ModelUndoError) -> Changes) -> Bool {
      do {
        let changes = try operation()
        onChanges(changes)
        return true
      } catch {
        onError(error)
        return false
      }
    }
  }
}
