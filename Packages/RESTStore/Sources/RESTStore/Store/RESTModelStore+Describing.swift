extension RESTModelStore: CustomStringConvertible, CustomReflectable {
  /// The base address, without credentials and query: `RESTModelStore(https://example.com/api/v2)`.
  public var description: String { "RESTModelStore(\(handle.base))" }

  /// The base address and the dialect, for `dump` and debuggers.
  public var customMirror: Mirror { handle.mirror(of: self) }
}

extension RESTEngine: CustomStringConvertible, CustomReflectable {
  /// The base address, without credentials and query: `RESTEngine(https://example.com/api/v2)`.
  public var description: String { "RESTEngine(\(base))" }

  /// The base address and the dialect, for `dump` and debuggers.
  public var customMirror: Mirror { mirror(of: self) }

  fileprivate func mirror<Subject>(of subject: Subject) -> Mirror {
    // Your own dialect may hold secrets.
    Mirror(
      subject, children: ["baseURL": base.description, "dialect": type(of: dialect)], displayStyle: .class)
  }
}
