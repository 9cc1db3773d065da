/// How Swift source is made of a schema.
public struct SwiftSourceOptions: Hashable, Sendable {
  /// Who can use the classes and fields.
  public enum Access: String, Hashable, Sendable, CaseIterable {
    /// The module they are in.
    case `internal`
    /// The package they are in.
    case package
    /// Everybody.
    case `public`

    /// The word before a declaration, with a space behind it; nothing for what need not be said.
    var prefix: String { self == .internal ? "" : "\(rawValue) " }
  }

  /// Who can use the classes and fields.
  public var access: Access
  /// The module that the files import: `SchemaKit`, or one that brings it, such as `ModelKit`.
  public var module: String
  /// The types that value transformers make, by the name of the transformer. Without it a transformable attribute is a
  /// `JSONValue`, unless its user info has a `swiftType`.
  public var transformerTypes: [String: String]

  /// Creates options.
  public init(
    access: Access = .internal, module: String = "SchemaKit", transformerTypes: [String: String] = [:]
  ) {
    self.access = access
    self.module = module
    self.transformerTypes = transformerTypes
  }
}
