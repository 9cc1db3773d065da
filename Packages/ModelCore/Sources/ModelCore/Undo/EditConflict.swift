@_spi(ModelKitInternals) public import FieldKit

/// A field that an edit can't change without overwriting a newer value.
///
/// The values have the format of documents: the models of a relation are given by their identifiers.
public struct EditConflict: Hashable, Sendable, CustomStringConvertible {
  /// The name in stores of the type of the model.
  public let typeName: String
  /// The identifier of the model, if it has one.
  public let identifier: String?
  /// The key of the field.
  public let key: String
  /// The value before the edit. An undo sets it.
  public let base: JSONValue
  /// The value that the edit set.
  public let mine: JSONValue
  /// The current, newer value.
  public let theirs: JSONValue
  private let isSensitive: Bool

  init(_ field: AnyField, of model: ModelObject, base: Any?, mine: Any?, theirs: Any?) {
    typeName = model.layout.typeName
    identifier = model.modelIdentifier
    key = field.key ?? field.name ?? ""
    isSensitive = field.isSensitive
    let context = model.memberScope?.transformers ?? .standard
    self.base = Self.json(base, of: field, in: context)
    self.mine = Self.json(mine, of: field, in: context)
    self.theirs = Self.json(theirs, of: field, in: context)
  }

  private static func json(_ value: Any?, of field: AnyField, in context: ValueTransformerContext) -> JSONValue {
    guard let value else { return .null }
    if let model = value as? ModelObject { return reference(model) }
    if let models = value as? [ModelObject] { return .array(models.map(reference)) }
    let bare: AnyField = field.copy()
    guard (try? bare.set(anyValue: value)) != nil else { return .string("\(value)") }
    return (try? bare.exported(by: FieldWriter(context: context))) ?? .string("\(value)")
  }

  private static func reference(_ model: ModelObject) -> JSONValue {
    model.modelIdentifier.map { .string($0) } ?? .string("\(model.layout.typeName) without identifier")
  }

  /// The model, the field and the values.
  public var description: String {
    let place = "\(key) of \(identifier.map { "\(typeName) \"\($0)\"" } ?? typeName)"
    return isSensitive ? "\(place) (redacted)" : "\(place): was \(base), edited to \(mine), now \(theirs)"
  }
}
