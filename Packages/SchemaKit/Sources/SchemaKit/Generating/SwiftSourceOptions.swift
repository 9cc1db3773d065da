/// Options for generating Swift source from a schema.
public struct SwiftSourceOptions: Hashable, Sendable {
  /// The access level of the classes and fields.
  public enum Access: String, Hashable, Sendable, CaseIterable {
    /// Accessible in the module.
    case `internal`
    /// Accessible in the package.
    case package
    /// Accessible everywhere.
    case `public`

    /// The access modifier with a trailing space; empty for the default level.
    var prefix: String { self == .internal ? "" : "\(rawValue) " }
  }

  /// The style of the declarations.
  public enum Style: String, Hashable, Sendable, CaseIterable {
    /// Constants with fields: `let title = Field<String>()`.
    case fields
    /// Ordinary properties: `@Field var title: String?`.
    case properties
  }

  /// The access level of the classes and fields.
  public var access: Access
  /// The style of the declarations.
  public var style: Style
  /// The module that the files import: `SchemaKit`, or one that exports it, such as `ModelKit`.
  public var module: String
  /// The value types of value transformers, by the name of the transformer. Without one, a transformable attribute is a
  /// `JSONValue`, unless its user info has a `swiftType`.
  public var transformerTypes: [String: String]

  /// Creates options.
  public init(
    access: Access = .internal, style: Style = .fields, module: String = "SchemaKit",
    transformerTypes: [String: String] = [:]
  ) {
    self.access = access
    self.style = style
    self.module = module
    self.transformerTypes = transformerTypes
  }
}
