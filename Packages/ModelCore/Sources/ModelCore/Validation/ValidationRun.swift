@_spi(ModelKitInternals) import FieldKit

/// One validation across models, along the relations that require a valid related model.
///
/// A model that is still being validated counts as valid when a cycle reaches it. If it turns out invalid, the results
/// that relied on it are discarded and computed again when needed. Final results are computed once. So a run ends in
/// spite of cycles, and its result for the first model is correct.
final class ValidationRun: Sendable {
  private struct Progress: Sendable {
    /// The models that are being validated, each with its depth; the outermost has 0.
    var places: [ObjectIdentifier: Int] = [:]
    var verdicts: [ObjectIdentifier: Bool] = [:]
    /// The models found valid on condition that others in progress are valid, in the order of their results.
    var conditional: [ObjectIdentifier] = []
    /// The depth of the outermost model that a conditional result relies on.
    var reliances: [ObjectIdentifier: Int] = [:]
    /// The depth of the outermost model that was assumed valid while the innermost one is validated.
    var reliance = Int.max
    /// Whether the call that began the run has returned.
    var hasEnded = false
  }

  private enum Answer: Sendable {
    case known(Bool)
    case toBeJudged(place: Int, outerReliance: Int, conditionalCount: Int)
  }

  @TaskLocal private static var inherited: ValidationRun?

  /// The run of the running call. A task that a rule starts inherits the run, which may have ended.
  private static var current: ValidationRun? {
    guard let run = inherited, !run.progress.withLock({ $0.hasEnded }) else { return nil }
    return run
  }

  // Locked although a run is one synchronous call: a task that a rule starts inherits the run.
  private let progress = Lock(Progress())

  /// Returns whether a model is valid, as part of the current run or of a new one.
  ///
  /// - Parameters:
  ///   - model: the model to validate.
  ///   - validate: checks the model's own rules.
  static func isValid(_ model: ModelObject, validate: () -> Bool) -> Bool {
    if let current { return current.judge(ObjectIdentifier(model), validate) }
    return withNewRun { $0.judge(ObjectIdentifier(model), validate) }
  }

  /// Runs a closure that validates several models as one run.
  static func together(_ body: () -> Void) {
    if current != nil { body() } else { withNewRun { _ in body() } }
  }

  private static func withNewRun<Result>(_ body: (ValidationRun) -> Result) -> Result {
    let run = ValidationRun()
    defer { run.progress.withLock { $0.hasEnded = true } }
    return $inherited.withValue(run) { body(run) }
  }

  private func judge(_ model: ObjectIdentifier, _ validate: () -> Bool) -> Bool {
    switch begin(model) {
    case .known(let isValid): return isValid
    case .toBeJudged(let place, let outerReliance, let conditionalCount):
      let isValid = validate()
      progress.withLock { state in
        state.places[model] = nil
        state.verdicts[model] = isValid
        let isConditional = isValid && state.reliance < place
        if isConditional {
          for other in state.conditional[conditionalCount...] {
            state.reliances[other] = min(state.reliances[other] ?? .max, state.reliance)
          }
          state.conditional.append(model)
          state.reliances[model] = state.reliance
          state.reliance = min(state.reliance, outerReliance)
        } else {
          for other in state.conditional[conditionalCount...] {
            state.reliances[other] = nil
            // Results that relied on this model were wrong, and are computed again when needed.
            if !isValid { state.verdicts[other] = nil }
          }
          state.conditional.removeSubrange(conditionalCount...)
          state.reliance = outerReliance
        }
      }
      return isValid
    }
  }

  private func begin(_ model: ObjectIdentifier) -> Answer {
    progress.withLock { state in
      if let place = state.places[model] {
        state.reliance = min(state.reliance, place)
        return .known(true)
      }
      if let verdict = state.verdicts[model] {
        state.reliance = min(state.reliance, state.reliances[model] ?? .max)
        return .known(verdict)
      }
      let place = state.places.count
      state.places[model] = place
      defer { state.reliance = .max }
      return .toBeJudged(place: place, outerReliance: state.reliance, conditionalCount: state.conditional.count)
    }
  }
}
