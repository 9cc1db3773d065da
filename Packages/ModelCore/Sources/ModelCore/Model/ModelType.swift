@_spi(ModelKitInternals) public import FieldKit

/// A type of model as a value, with its name and its fields.
///
/// It wraps a Swift class, or one that is known only at run time, such as that of an entity of a schema.
///
/// ```swift
/// let type = ModelType(Person.self)
/// print(type.name, type.fieldKeys)
/// let person = type.make()
/// ```
public struct ModelType<M: Model>: Hashable, Sendable {
  /// The class of the models: `M`, or one derived from it.
  public let modelClass: M.Type

  /// Creates the type of a class.
  ///
  /// - Parameter modelClass: `M`, or a class derived from it.
  public init(_ modelClass: M.Type = M.self) { self.modelClass = modelClass }

  /// The type name under which stores keep the models.
  public var name: String { modelClass.typeName }

  /// The keys of all fields, in the order of ``ModelIsolation/fields``.
  public var fieldKeys: [String] {
    let prototype = make()
    return withExtendedLifetime(prototype) { prototype.fields.compactMap(\.key) }
  }

  /// Creates a model without values, which is in no scope.
  public func make() -> M { modelClass.init() }

  /// Creates a model from a dictionary, or updates the live one with the same identifier.
  ///
  /// - Parameters:
  ///   - dictionary: keys and values.
  ///   - scope: the scope the models become part of.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; the model stays as it is.
  public func from(dictionaryValue dictionary: AttributeDictionary, in scope: ModelScope? = nil) throws -> M {
    try open { try $0.from(dictionaryValue: dictionary, in: scope) }
  }

  /// Returns the model with an identifier in a scope: the live one, or a new, incomplete one.
  public func with(identifier: String, in scope: ModelScope) -> M {
    let modelClass = modelClass as any Model.Type
    func make<Exact: Model>(_ exact: Exact.Type) -> M? { exact.with(identifier: identifier, in: scope) as? M }
    return make(modelClass) ?? self.make()
  }

  /// Two types are equal if they wrap the same class.
  public static func == (left: ModelType, right: ModelType) -> Bool { left.modelClass == right.modelClass }

  /// Hashes the identity of the class.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(modelClass)) }

  /// Calls a closure with the class itself, which may be derived from `M`.
  private func open(_ body: (any Model.Type) throws -> any Model) throws -> M {
    guard let model = try body(modelClass) as? M else { return make() }
    return model
  }
}
