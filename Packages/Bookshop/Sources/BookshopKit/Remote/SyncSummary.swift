package import ModelKit

/// The result of a synchronisation with a server.
package struct SyncSummary: Sendable {
  /// The number of authors and books that changes of the server created, changed or removed here.
  package var pulled: Int
  /// The number of changes that the server took.
  package var pushed: Int
  /// The number of authors and books whose changes are not on the server.
  package var waiting: Int
  /// The reasons why changes wait, one line each.
  package var failures: [String]
  /// The local values that were replaced by those of the server, one line each.
  package var replaced: [String]

  /// The counts, and the values that lost, one line each.
  package var lines: [String] {
    replaced + ["\(pulled) received, \(pushed) sent, \(waiting) waiting"]
  }

  /// The summary as JSON.
  package var json: JSONValue {
    [
      "received": .int(pulled), "sent": .int(pushed), "waiting": .int(waiting),
      "failures": .array(failures.map { .string($0) }), "replaced": .array(replaced.map { .string($0) }),
    ]
  }
}
