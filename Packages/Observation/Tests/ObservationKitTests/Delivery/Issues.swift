import ObservationKit
import Testing

/// The issues that were reported while `body` ran. Only for suites that run one test at a time: there is one handler.
func issues(during body: () -> Void) -> [BindingIssue] {
  let reports = Reports()
  let handler = BindingIssue.handler
  BindingIssue.handler = { reports.add($0) }
  defer { BindingIssue.handler = handler }
  body()
  return reports.all
}

/// The reports of one thread, which is the one that sets the values.
private final class Reports: @unchecked Sendable {
  // A handler is called on the thread that set the value, and each test sets on its own thread only.
  private(set) var all: [BindingIssue] = []
  func add(_ issue: BindingIssue) { all.append(issue) }
}
