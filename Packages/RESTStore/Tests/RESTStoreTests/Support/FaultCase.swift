import Testing

/// A fault and its outcomes: codes of `ModelStoreError`, or `fine`.
struct FaultCase: Sendable, CustomTestStringConvertible {
  let fault: String
  let lookup: String
  let create: String
  let update: String

  init(_ fault: String, lookup: String, create: String? = nil, update: String? = nil) {
    self.fault = fault
    self.lookup = lookup
    self.create = create ?? lookup
    self.update = update ?? create ?? lookup
  }

  var testDescription: String { fault }

  static let all = [
    FaultCase("none", lookup: "fine"),
    FaultCase("reset-before", lookup: "offline"), FaultCase("close-before", lookup: "offline"),
    FaultCase("reset-within", lookup: "offline"), FaultCase("reset-after", lookup: "fine"),
    FaultCase("silence", lookup: "timeout"), FaultCase("stalled-headers", lookup: "timeout"),
    FaultCase("one-byte-per-second", lookup: "timeout"), FaultCase("truncated", lookup: "offline"),
    FaultCase("short-length", lookup: "server"), FaultCase("broken-length", lookup: "server"),
    FaultCase("not-http", lookup: "server"), FaultCase("page-of-html", lookup: "server"),
    FaultCase("json-as-text", lookup: "fine"), FaultCase("invalid-json", lookup: "server"),
    FaultCase("wrong-shape", lookup: "server"),
    FaultCase("no-content", lookup: "server", create: "server", update: "fine"),
    FaultCase("moved-to-another-host", lookup: "fine", create: "server"),
    FaultCase("redirect-loop", lookup: "server"), FaultCase("unauthorized", lookup: "unauthorized"),
    FaultCase("invalid-by-field", lookup: "invalid"), FaultCase("invalid-as-problem", lookup: "invalid"),
    FaultCase("invalid-as-json-api", lookup: "invalid"), FaultCase("invalid-as-django", lookup: "invalid"),
    FaultCase("endless", lookup: "server"), FaultCase("gzipped", lookup: "fine"),
    FaultCase("gzip-bomb", lookup: "server"), FaultCase("broken-gzip", lookup: "server"),
    FaultCase("gzip-and-more", lookup: "server"), FaultCase("gzip-without-end", lookup: "server"),
    FaultCase("endless-chunk", lookup: "server"), FaultCase("chunk-without-size", lookup: "server"),
    FaultCase("long-headers", lookup: "server"),
    FaultCase("status-400", lookup: "invalid"), FaultCase("status-403", lookup: "unauthorized"),
    FaultCase("status-404", lookup: "notFound"), FaultCase("status-405", lookup: "unsupported"),
    FaultCase("status-409", lookup: "conflict"), FaultCase("status-410", lookup: "notFound"),
    FaultCase("status-412", lookup: "conflict"), FaultCase("status-418", lookup: "server"),
    FaultCase("status-429", lookup: "server"), FaultCase("status-500", lookup: "server"),
    FaultCase("status-501", lookup: "unsupported"), FaultCase("status-502", lookup: "server"),
    FaultCase("status-503", lookup: "server"), FaultCase("status-504", lookup: "timeout"),
    FaultCase("status-507", lookup: "full"),
  ]

  /// The faults that end the whole process in `URLSession` on Linux, before they reach the store.
  static let endsTheProcessOnLinux = [
    FaultCase("trailers", lookup: "fine"), FaultCase("huge-length", lookup: "server"),
  ]

  /// Answers that are correct or nearly so: a transport reads them, or reports that it can't. None is a lost
  /// connection.
  static let unusual = ["latin-header", "bare-line-ends", "no-reason", "header-without-colon"]
}
