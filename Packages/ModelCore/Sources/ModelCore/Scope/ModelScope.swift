@_spi(ModelKitInternals) public import FieldKit

/// An identity map: within one scope there is one live object for one model type and identifier.
///
/// Models are held weakly, so a scope keeps nothing alive. Every store front has a scope; reading JSON with
/// `in: scope` makes what was read part of it.
///
/// ```swift
/// let scope = ModelScope()
/// let first = Person.with(identifier: "10", in: scope)
/// assert(first === Person.with(identifier: "10", in: scope))
/// ```
///
/// - Note: Not `Sendable`: a scope lives in the isolation of its models.
public final class ModelScope {
  /// How models of this scope are read and written.
  public let transformers: ValueTransformerContext

  private struct Key: Hashable {
    let rootClass: ObjectIdentifier
    let identifier: String
  }

  private struct Entry {
    weak var model: ModelObject?
  }

  private var entries: [Key: Entry] = [:]
  private var sweepThreshold = 64

  /// Creates a scope without models.
  ///
  /// - Parameter transformers: how models of this scope are read and written.
  public init(transformers: ValueTransformerContext = .standard) {
    self.transformers = transformers
  }

  func canonicalModel(of modelClass: ModelObject.Type, identifier: String) -> ModelObject? {
    entries[Key(rootClass: ObjectIdentifier(ModelLayout.rootClass(of: modelClass)), identifier: identifier)]?.model
  }

  func canonicalModel(like model: ModelObject, identifier: String) -> ModelObject? {
    entries[Key(rootClass: ObjectIdentifier(model.layout.rootClass), identifier: identifier)]?.model
  }

  /// Makes a model the one object for its identifier, unless another live object is that already.
  ///
  /// - Returns: the canonical object.
  @discardableResult
  func register(_ model: ModelObject) -> ModelObject {
    guard let identifier = model.modelIdentifier else { return model }
    let key = Key(rootClass: ObjectIdentifier(model.layout.rootClass), identifier: identifier)
    if let canonical = entries[key]?.model { return canonical }
    if entries.count >= sweepThreshold {
      entries = entries.filter { $0.value.model != nil }
      sweepThreshold = max(64, 2 * entries.count)
    }
    entries[key] = Entry(model: model)
    model.memberScope = self
    return model
  }

  /// Forgets a model, such as one that was deleted.
  func unregister(_ model: ModelObject) {
    guard let identifier = model.modelIdentifier else { return }
    let key = Key(rootClass: ObjectIdentifier(model.layout.rootClass), identifier: identifier)
    if entries[key]?.model === model { entries[key] = nil }
  }
}

extension ModelIsolation where Self: ModelObject {
  /// The one object with an identifier in a scope: the live one, or a new, incomplete one that has nothing but the
  /// identifier.
  ///
  /// - Parameters:
  ///   - identifier: the identifier as text. Without an identifier field that can hold it, the new object has none.
  ///   - scope: the identity map to look in.
  public static func with(identifier: String, in scope: ModelScope) -> Self {
    if let canonical = scope.canonicalModel(of: self, identifier: identifier) as? Self { return canonical }
    let shell = Self()
    shell.becomeShell(identifier: identifier)
    // The same identifier may be spelled in several ways, such as a UUID in small letters.
    return scope.register(shell) as? Self ?? shell
  }
}

extension ModelObject {
  /// Makes a fresh model stand for one that was not read yet.
  func becomeShell(identifier: String) {
    guard setIdentifier(identifier) else { return }
    becomeShell()
  }

  /// Makes a fresh model that has got its identifier stand for one that was not read yet.
  func becomeShell() {
    modelLoadState = .incomplete
    origin = .read
    (identifierField as? FieldBase)?.markSaved(asOf: .next())
  }
}
