import Foundation

// Requests are written to logs, so they are redacted as in a recording.

extension HTTPRequestData: CustomStringConvertible, CustomReflectable {
  /// The method and the address, with likely credentials replaced: `GET https://example.com/people?key=REDACTED`.
  public var description: String {
    let bytes = body.map { ", \($0.count) bytes" } ?? ""
    return "\(method) \(RecordingRedaction().redacted(self).url.absoluteString)\(bytes)"
  }

  /// The parts, with likely credentials replaced, for `dump` and debuggers.
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
  /// The lines, with likely credentials replaced: `[Accept: text/plain, Authorization: REDACTED]`.
  public var description: String { "[\(entries.map(\.description).joined(separator: ", "))]" }

  /// The lines, with likely credentials replaced, for `dump` and debuggers.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: entries.map(\.description), displayStyle: .collection)
  }
}

extension HTTPHeaderList.Entry: CustomStringConvertible, CustomReflectable {
  /// The header line, with a likely credential replaced: `Accept: text/plain`.
  public var description: String { "\(name): \(shownValue)" }

  /// Name and value, with a likely credential replaced, for `dump` and debuggers.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": shownValue], displayStyle: .struct)
  }

  private var shownValue: String {
    let redaction = RecordingRedaction()
    return redaction.hides(name) ? RecordingRedaction.text : redaction.redacted(text: value)
  }
}
