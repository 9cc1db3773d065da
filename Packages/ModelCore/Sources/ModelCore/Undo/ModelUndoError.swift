@_spi(ModelKitInternals) import FieldKit

/// An error for a step that can't be undone or redone. No field was changed.
public struct ModelUndoError: Error, CustomStringConvertible {
  /// The cause of a ``ModelUndoError``.
  public enum Reason: Hashable, Sendable {
    /// Fields have newer values from a read or another store instance: see ``ModelUndoError/conflicts``.
    case newerValues
    /// A step is still open, or another undo or redo is running.
    case openStep
    /// `endStep()` was called, but no step is open.
    case noOpenStep
  }

  /// The label of the step that was to be undone or redone, or of the open one.
  public let label: String?
  private let cause: Cause

  // One word: as a typed error with one more property, this error crashed its callers.
  private enum Cause {
    case newerValues([EditConflict])
    case openStep
    case noOpenStep
  }

  private init(_ cause: Cause, label: String?) {
    self.cause = cause
    self.label = label
  }

  static func newerValues(_ conflicts: [EditConflict], label: String?) -> ModelUndoError {
    ModelUndoError(.newerValues(conflicts), label: label)
  }

  static func openStep(label: String?) -> ModelUndoError { ModelUndoError(.openStep, label: label) }

  static var noOpenStep: ModelUndoError { ModelUndoError(.noOpenStep, label: nil) }

  /// The cause.
  public var reason: Reason {
    switch cause {
    case .newerValues: .newerValues
    case .openStep: .openStep
    case .noOpenStep: .noOpenStep
    }
  }

  /// The fields with newer values, each with the value of the step and the current one.
  public var conflicts: [EditConflict] { if case .newerValues(let conflicts) = cause { conflicts } else { [] } }

  /// A message with the fields, three at most, and the remedy.
  public var description: String {
    switch reason {
    case .newerValues:
      let step = label.map { "\($0.quotedForMessage) was" } ?? "The step was"
      let fields = conflicts.prefix(3).map(\.description).joined(separator: "; ") + (conflicts.count > 3 ? "; …" : "")
      return """
        \(step) not undone or redone, because these fields have newer values (\(fields)). Nothing was changed: keep the \
        newer values, or repeat the call with onConflict: .overwrite.
        """
    case .openStep:
      let step = label.map { "the step \($0.quotedForMessage)" } ?? "a step"
      return """
        Nothing was undone or redone, because \(step) is still recorded. End that step, or wait for the end of its \
        transaction, and repeat the call.
        """
    case .noOpenStep:
      return """
        endStep() ended no step, because none is open. The history is unchanged: call beginStep(_:) before each \
        endStep().
        """
    }
  }
}
