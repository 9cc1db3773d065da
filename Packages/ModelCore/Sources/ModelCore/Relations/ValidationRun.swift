@_spi(ModelKitInternals) import FieldKit

/// One validation that goes from model to model, wherever a relation says that the model it leads to has to be valid.
///
/// A model that refers back to one that is still being judged takes it for valid for the time being: if that one turns out
/// invalid, who relied on it is judged again when asked for. What was found for certain is not looked for twice. So a run
/// ends, whatever cycles there are, and what it says of the model it began with is right.
final class ValidationRun: Sendable {
  private struct Progress: Sendable {
    /// The models that are being judged, each with its place; the outermost has 0.
    var places: [ObjectIdentifier: Int] = [:]
    var verdicts: [ObjectIdentifier: Bool] = [:]
    /// Models found valid on condition that others are which are still being judged, in the order they were found.
    var conditional: [ObjectIdentifier] = []
    /// The place of the outermost model that a conditional verdict relies on.
    var reliances: [ObjectIdentifier: Int] = [:]
    /// The place of the outermost model that was taken for valid while the innermost one is judged.
    var reliance = Int.max
  }

  private enum Answer: Sendable {
    case known(Bool)
    case toBeJudged(place: Int, outerReliance: Int, conditionalCount: Int)
  }

  @TaskLocal private static var current: ValidationRun?

  // Behind a lock, although a run lives in one synchronous call: a task that a rule starts inherits the run.
  private let progress = Lock(Progress())

  /// Whether a model is valid, as far as this run has to know it.
  ///
  /// - Parameters:
  ///   - model: whom to judge.
  ///   - validate: checks the model's own rules.
  static func isValid(_ model: ModelObject, validate: () -> Bool) -> Bool {
    if let current { return current.judge(ObjectIdentifier(model), validate) }
    let run = ValidationRun()
    return $current.withValue(run) { run.judge(ObjectIdentifier(model), validate) }
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
            // Whoever may have taken this model for valid was wrong, and is judged again if anybody asks.
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
