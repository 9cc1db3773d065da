// `UndoManager` is part of Foundation on Apple's platforms only.
#if canImport(ObjectiveC)
  public import Foundation

  extension ModelUndo {
    /// Registers the steps from now on with an undo manager, such as that of a window, which undoes and redoes them.
    ///
    /// A step is registered when it ends. A conflict is reported to `onError`, and the undo manager has lost the step
    /// then; it can still be undone here.
    ///
    /// - Parameters:
    ///   - manager: the undo manager. It retains this object as long as it has steps.
    ///   - onError: receives the errors of ``undo(onConflict:)`` and ``redo(onConflict:)``.
    public func register(with manager: UndoManager, onError: @escaping (ModelUndoError) -> Void) {
      stepEnded = { [weak manager] undo in if let manager { undo.registerUndo(with: manager, onError) } }
    }

    private func registerUndo(with manager: UndoManager, _ onError: @escaping (ModelUndoError) -> Void) {
      manager.registerUndo(withTarget: self) { [weak manager] undo in
        do { try undo.undo() } catch { return onError(error) }
        guard let manager else { return }
        manager.registerUndo(withTarget: undo) { [weak manager] undo in
          do { try undo.redo() } catch { return onError(error) }
          if let manager { undo.registerUndo(with: manager, onError) }
        }
      }
      if let label = undoSteps.last?.label { manager.setActionName(label) }
    }
  }
#endif
