// Options with credentials may be printed, so neither type shows its contents.

extension BasicAuthentication: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without the credentials.
  public var description: String { "BasicAuthentication(\(RecordingRedaction.text))" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension BearerAuthentication: CustomStringConvertible, CustomReflectable {
  /// The name of the type, and whether there is a token; the token is not shown.
  public var description: String { "BearerAuthentication(\(token == nil ? "no token" : RecordingRedaction.text))" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
