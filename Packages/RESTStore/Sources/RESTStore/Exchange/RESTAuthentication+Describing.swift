// Credentials are in options that people print, so neither shows what it holds.

extension BasicAuthentication: CustomStringConvertible, CustomReflectable {
  /// The type; what it holds is not shown.
  public var description: String { "BasicAuthentication(\(RecordingRedaction.text))" }

  /// Nothing of what it holds.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension BearerAuthentication: CustomStringConvertible, CustomReflectable {
  /// The type, and whether there is a token; the token is not shown.
  public var description: String { "BearerAuthentication(\(token == nil ? "no token" : RecordingRedaction.text))" }

  /// Nothing of what it holds.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
