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

@_spi(ModelKitInternals) extension SwiftSourceOptions {
  /// Returns whether a text of a command line can be the name of a module.
  public static func isModuleName(_ text: String) -> Bool {
    text.first?.isLetter == true && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  /// Adds the type of a transformer.
  ///
  /// - Parameter text: a name and a Swift type, as in `Day=Date`.
  /// - Returns: whether the text has this form; otherwise nothing is added.
  public mutating func addTransformer(_ text: String) -> Bool {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let isType =
      parts.count == 2 && !parts[1].isEmpty
      && parts[1].allSatisfy { $0.isLetter || $0.isNumber || "_.<>[]: ,?".contains($0) }
    guard isType, !parts[0].isEmpty else { return false }
    transformerTypes[parts[0]] = parts[1]
    return true
  }
}
