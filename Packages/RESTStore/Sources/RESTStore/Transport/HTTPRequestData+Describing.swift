import Foundation

// Requests end up in logs, so they show what a recording would: no credentials.

extension HTTPRequestData: CustomStringConvertible, CustomReflectable {
  /// The method and the address, with what looks like a credential replaced: `GET https://example.com/people?key=REDACTED`.
  public var description: String {
    let bytes = body.map { ", \($0.count) bytes" } ?? ""
    return "\(method) \(RecordingRedaction().redacted(self).url.absoluteString)\(bytes)"
  }

  /// The parts, with what looks like a credential replaced, for `dump` and debuggers.
  public var customMirror: Mirror {
    let redacted = RecordingRedaction().redacted(self)
    return Mirror(
      self,
      children: [
        "method": method.description, "url": redacted.url.absoluteString, "headers": redacted.headers,
        "body": body.map { "\($0.count) bytes" } as Any, "timeout": timeout,
      ], displayStyle: .struct)
  }
}

extension HTTPHeaderList: CustomStringConvertible, CustomReflectable {
  /// The lines, with what looks like a credential replaced: `[Accept: text/plain, Authorization: REDACTED]`.
  public var description: String { "[\(entries.map(\.description).joined(separator: ", "))]" }

  /// The lines, with what looks like a credential replaced, for `dump` and debuggers.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: entries.map(\.description), displayStyle: .collection)
  }
}

extension HTTPHeaderList.Entry: CustomStringConvertible, CustomReflectable {
  /// The line, with what looks like a credential replaced: `Accept: text/plain`.
  public var description: String { "\(name): \(shownValue)" }

  /// Name and value, with what looks like a credential replaced, for `dump` and debuggers.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": shownValue], displayStyle: .struct)
  }

  private var shownValue: String { RecordingRedaction().hides(name) ? RecordingRedaction.text : value }
}
