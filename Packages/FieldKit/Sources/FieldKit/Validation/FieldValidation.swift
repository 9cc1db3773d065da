@_spi(ModelKitInternals) import ObservationKit

/// The validation of several fields.
@_spi(ModelKitInternals)
public enum FieldValidation {
  private enum Event: Sendable {
    /// The value of the field at an index changed.
    case change(Int)
    /// The field at an index had no further change during the pause after one.
    case rest(Int, change: Int)
    /// A check of the field at an index has ended.
    case answer(Int, check: Int)
  }

  /// Checks the asynchronous rules of all fields at the same time, and waits until the value of each is validated.
  ///
  /// - Parameters:
  ///   - fields: the fields.
  ///   - isChecked: whether the present value of a field is checked.
  /// - Returns: once there is nothing left to wait for, or the task is cancelled.
  public static func finishChecks(of fields: [AnyField], where isChecked: (AnyField) -> Bool) async {
    for field in fields { field.discardFailedCheck() }
    while !Task.isCancelled {
      let checks = fields.lazy.filter(isChecked).compactMap { field in field.startCheck().map { (field, $0) } }
      if checks.isEmpty { return }
      for (field, check) in checks {
        await check.end()
        field.finish(check)
      }
    }
  }

  /// Validates each field whenever its value has changed and then stayed the same for a time, until the task is
  /// cancelled.
  ///
  /// - Parameters:
  ///   - fields: the fields.
  ///   - pause: the time without a change after which a value is validated.
  ///   - clock: the clock that measures the pause.
  ///   - isChecked: whether the present value of a field is checked by its asynchronous rules.
  public static func validateChanges(
    of fields: [AnyField], after pause: Duration, clock: some Clock<Duration>,
    where isChecked: (AnyField) -> Bool = { _ in true }
  ) async {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let tokens = fields.enumerated().compactMap { index, field in
      field.observeChanges { continuation.yield(.change(index)) }
    }
    var changes = Array(repeating: 0, count: fields.count)
    var pauses: [Task<Void, Never>?] = Array(repeating: nil, count: fields.count)
    var checks: [FieldCheck?] = Array(repeating: nil, count: fields.count)
    var checkCount = Array(repeating: 0, count: fields.count)
    defer {
      for token in tokens { token.cancel() }
      for pause in pauses { pause?.cancel() }
    }
    func startCheck(of index: Int) {
      checkCount[index] += 1
      let number = checkCount[index]
      checks[index] = isChecked(fields[index]) ? fields[index].startCheck() : nil
      checks[index]?.whenEnded { continuation.yield(.answer(index, check: number)) }
    }
    for await event in events {
      switch event {
      case .change(let index):
        changes[index] += 1
        pauses[index]?.cancel()
        let change = changes[index]
        pauses[index] = Task {
          guard (try? await clock.sleep(for: pause)) != nil else { return }
          continuation.yield(.rest(index, change: change))
        }
      case .rest(let index, let change):
        guard change == changes[index] else { continue }
        fields[index].discardFailedCheck()
        fields[index].validate()
        startCheck(of: index)
      case .answer(let index, let number):
        guard number == checkCount[index], let check = checks[index] else { continue }
        await check.end()
        fields[index].finish(check)
        // Another task that waited for the check may have cancelled it.
        if check.violations == nil { startCheck(of: index) }
      }
    }
  }
}
