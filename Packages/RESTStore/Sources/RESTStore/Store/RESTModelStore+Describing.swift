import Foundation

extension RESTModelStore: CustomStringConvertible, CustomReflectable {
  /// The base address, without credentials and query: `RESTModelStore(https://example.com/api/v2)`.
  public var description: String { "RESTModelStore(\(handle.baseURL.withoutSecrets))" }

  /// The base address and the dialect, for `dump` and debuggers.
  public var customMirror: Mirror { handle.mirror(of: self) }
}

extension RESTEngine: CustomStringConvertible, CustomReflectable {
  /// The base address, without credentials and query: `RESTEngine(https://example.com/api/v2)`.
  public var description: String { "RESTEngine(\(baseURL.withoutSecrets))" }

  /// The base address and the dialect, for `dump` and debuggers.
  public var customMirror: Mirror { mirror(of: self) }

  fileprivate func mirror<Subject>(of subject: Subject) -> Mirror {
    // Your own dialect may hold secrets.
    Mirror(
      subject, children: ["baseURL": baseURL.withoutSecrets, "dialect": type(of: dialect)], displayStyle: .class)
  }
}

extension URL {
  /// The address without name, password and query.
  fileprivate var withoutSecrets: String {
    guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "an address" }
    (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
    return components.string ?? "an address"
  }
}
