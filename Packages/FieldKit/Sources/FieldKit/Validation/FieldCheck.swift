@_spi(ModelKitInternals) import ObservationKit

/// One check of one value by the asynchronous rules of a field.
final class FieldCheck {
  /// The change that made the value.
  let stamp: ChangeStamp
  /// The violations; nil during the check, and if the check was cancelled.
  private(set) var violations: [RuleViolation]?
  /// Whether every test returned an answer.
  private(set) var isConclusive = true
  private let task: Task<[(violation: RuleViolation, isConclusive: Bool)], Never>

  init(of stamp: ChangeStamp, _ checks: [AsynchronousCheck]) {
    self.stamp = stamp
    task = Task {
      var found: [(violation: RuleViolation, isConclusive: Bool)] = []
      for check in checks where !Task.isCancelled {
        if let violation = await check() { found.append(violation) }
      }
      return found
    }
  }

  var isCancelled: Bool { task.isCancelled }

  func cancel() { task.cancel() }

  /// Calls a closure in no particular isolation when the check has ended.
  func whenEnded(_ action: @escaping @Sendable () -> Void) {
    Task { [task] in
      _ = await task.value
      action()
    }
  }

  /// Waits for the end of the check. The check is cancelled with the waiting task.
  func end() async {
    let found = await withTaskCancellationHandler { [task] in
      await task.value
    } onCancel: { [task] in
      task.cancel()
    }
    // Answers of a cancelled check can be incomplete.
    guard !task.isCancelled else { return }
    violations = found.map(\.violation)
    isConclusive = found.allSatisfy(\.isConclusive)
  }
}
