// `UndoManager` is part of Foundation on Apple's platforms only.
#if canImport(ObjectiveC)
  public import Foundation

  extension ModelUndo {
    /// Registers the steps from now on with an undo manager, such as that of a window, which undoes and redoes them.
    ///
    /// An edit is registered at once, a labelled step at its end. While a step is open, see ``beginStep(_:)``, the undo
    /// manager undoes nothing. After an undo with a conflict, the step stays the next one to undo. After a redo with a
    /// conflict, the undo manager has nothing to redo: call ``redo(onConflict:)``.
    ///
    /// - Parameters:
    ///   - manager: the undo manager. It retains this object while it has steps from it.
    ///   - onChanges: receives the models to save or delete after each undo and redo.
    ///   - onError: receives the errors of ``undo(onConflict:)`` and ``redo(onConflict:)``.
    @MainActor
    public func register(
      with manager: UndoManager, onChanges: @escaping (Changes) -> Void = { _ in },
      onError: @escaping (ModelUndoError) -> Void
    ) {
      register(with: manager as some UndoManaging, onChanges: onChanges, onError: onError)
    }
  }

  extension UndoManager: UndoManaging {
    func register(_ label: String?, _ action: @escaping @MainActor () -> Void) {
      // The action retains the history. A target is not retained.
      registerUndo(withTarget: self) { _ in MainActor.assumeIsolated { action() } }
      if let label { setActionName(label) }
    }
  }
#endif
