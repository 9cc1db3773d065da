@_spi(ModelKitInternals) import FieldKit

/// Reads models from JSON values, all or nothing: first everything is checked and staged, then it is applied.
///
/// Values are applied before links, so that nobody is told of a relation to a model that is still empty; and outer links
/// before inner ones, so that what holds a model in the document also retains it.
///
/// An object with an identifier is read into the canonical instance of the scope if there is one, and within one call
/// equal identifiers give one object, with or without a scope.
final class ModelReader: FieldReader {
  private let scope: ModelScope?
  /// Whether fields that were changed locally since they were last loaded or saved keep their values.
  private let keepsLocalChanges: Bool
  private var made: [Key: ModelObject] = [:]
  private var values: [() -> Void] = []
  private var keys: [String: String] = [:]

  private struct Key: Hashable {
    let rootClass: ObjectIdentifier
    let identifier: String
  }

  /// A model that was checked, and what links it to others once all values were applied.
  struct Staged<M: ModelObject> {
    let model: M
    let link: () -> Void
  }

  init(scope: ModelScope?, context: ValueTransformerContext? = nil, keepsLocalChanges: Bool = false) {
    self.scope = scope
    self.keepsLocalChanges = keepsLocalChanges
    super.init(context: context ?? scope?.transformers ?? .standard)
  }

  /// Checks what a relation is to read by itself, without the other fields of its model.
  static func staged(
    _ json: JSONValue, into relation: FieldBase, in context: ValueTransformerContext
  ) throws -> () -> Void {
    let owner = relation.owner as? ModelObject
    let reader = ModelReader(scope: owner?.memberScope, context: context)
    if let owner { reader.recognise(owner, in: [:]) }
    let link = try relation.staged(json, by: reader)
    return {
      _ = reader.apply([] as [Staged<ModelObject>])
      link()
    }
  }

  /// Applies all that was staged.
  func apply<M: ModelObject>(_ staged: [Staged<M>]) -> [M] {
    for value in values { value() }
    values = []
    for staged in staged { staged.link() }
    return staged.map(\.model)
  }

  func keeps(_ field: FieldBase) -> Bool { keepsLocalChanges && field.isDirty }

  /// What a relation holds: a whole model, or the identifier of one.
  func stage<M: Model>(_ json: JSONValue, as type: M.Type, isForeignKey: Bool) throws -> Staged<M> {
    switch json {
    case .object(let object): return try stage(object, as: type)
    case .int, .string, .number:
      let model = try reference(to: json, of: type)
      values.append { [scope] in scope?.register(model) }
      return Staged(model: model) {}
    default:
      throw ValueTransformError(expected: isForeignKey ? "an identifier" : "an object or an identifier", found: json)
    }
  }

  /// A model of a class, or of the subclass that it chooses for this object.
  func stage<M: Model>(_ object: AttributeDictionary, as type: M.Type) throws -> Staged<M> {
    let chosen = type.instanceClass(for: object) as? M.Type ?? type
    let fresh = chosen.init()
    guard let model = canonical(for: fresh, object) as? M else {
      throw ValueTransformError(
        expected: "\(chosen)", found: "an identifier that belongs to another type of model in this scope")
    }
    return try stage(object, into: model)
  }

  /// A model that is there already, and gets what the object has.
  func stage<M: ModelObject>(_ object: AttributeDictionary, into model: M) throws -> Staged<M> {
    var links: [() -> Void] = []
    var readCount = 0
    try model.forEachField { field, index in
      guard let json = value(of: field, index, of: model, in: object) else { return }
      readCount += 1
      do {
        let apply = try field.staged(json, by: self)
        if field.isRelation {
          links.append(apply)
        } else {
          // Not through `self`: what is staged must not keep the reader when a later value is refused.
          let keepsLocalChanges = keepsLocalChanges
          values.append { if !(keepsLocalChanges && field.isDirty) { apply() } }
        }
      } catch {
        throw ModelDecodingError.wrapping(error, at: path(of: field, index, of: model))
      }
    }
    // Nothing but the identifier is a reference: it says nothing about the other fields.
    let isReference =
      readCount == 1 && object.count == 1 && model.layout.slots.count > 1
      && hasIdentifier(model, in: object)
    // Only stores keep local changes while they read.
    let isFromStore = keepsLocalChanges
    values.append { [scope] in
      if !isReference {
        model.modelLoadState = .loaded
      } else if model.origin == .new {
        model.modelLoadState = .incomplete
      }
      model.origin = .read
      if isFromStore { model.isStored = true }
      scope?.register(model)
    }
    return Staged(model: model) { for link in links { link() } }
  }

  // MARK: Identity

  /// Says that what a document calls by this model's identifier is this model.
  func recognise(_ model: ModelObject, in object: AttributeDictionary) {
    let identifier = model.modelIdentifier ?? setIdentifier(of: type(of: model).init(), from: object)
    if let identifier { made[key(of: model, identifier)] = model }
  }

  private func canonical(for fresh: ModelObject, _ object: AttributeDictionary) -> ModelObject {
    guard let identifier = setIdentifier(of: fresh, from: object) else { return fresh }
    let key = key(of: fresh, identifier)
    if let known = made[key] ?? scope?.canonicalModel(like: fresh, identifier: identifier) { return known }
    made[key] = fresh
    return fresh
  }

  private func reference<M: Model>(to json: JSONValue, of type: M.Type) throws -> M {
    let shell = type.init()
    if let field = shell.identifierField as? FieldBase, let apply = try? field.staged(json, by: self) { apply() }
    // Some write numbers as text where they refer to them, or the other way round.
    if shell.modelIdentifier == nil { _ = shell.setIdentifier(json.stringValue ?? json.description) }
    if let identifier = shell.modelIdentifier {
      let key = key(of: shell, identifier)
      guard let known = made[key] ?? scope?.canonicalModel(like: shell, identifier: identifier) else {
        shell.becomeShell()
        made[key] = shell
        return shell
      }
      if let known = known as? M { return known }
    }
    throw ValueTransformError(expected: "the identifier of \(type)", found: json)
  }

  private func key(of model: ModelObject, _ identifier: String) -> Key {
    Key(rootClass: ObjectIdentifier(model.layout.rootClass), identifier: identifier)
  }

  /// Reads the identifier into a model that nobody else knows yet: only the field can tell what the value means, and
  /// whether two spellings of it are one identifier.
  private func setIdentifier(of fresh: ModelObject, from object: AttributeDictionary) -> String? {
    guard let index = fresh.layout.identifierIndex, let field = fresh.layout.field(at: index, of: fresh),
      let json = value(of: field, index, of: fresh, in: object), let apply = try? field.staged(json, by: self)
    else { return nil }
    apply()
    return fresh.modelIdentifier
  }

  private func hasIdentifier(_ model: ModelObject, in object: AttributeDictionary) -> Bool {
    guard let index = model.layout.identifierIndex, let field = model.layout.field(at: index, of: model) else {
      return false
    }
    return value(of: field, index, of: model, in: object).map { !$0.isNull } ?? false
  }

  // MARK: Keys

  private func value(
    of field: FieldBase, _ index: Int, of model: ModelObject, in object: AttributeDictionary
  ) -> JSONValue? {
    // Where a key leads through something else than an object, such as an identifier, there is nothing to be read.
    try? object.value(atNestedKey: key(of: field, index, of: model))
  }

  private func key(of field: FieldBase, _ index: Int, of model: ModelObject) -> String {
    context.key(field.declaredKey ?? model.layout.slots[index].propertyName, &keys)
  }

  private func path(of field: FieldBase, _ index: Int, of model: ModelObject) -> FieldPath {
    FieldPath(key(of: field, index, of: model).split(separator: ".").map { .key(String($0)) })
  }
}

extension ValueTransformerContext {
  /// A key as this context spells it. Changing the case costs more than reading a value: each key is changed once.
  func key(_ key: String, _ cache: inout [String: String]) -> String {
    if keyCase == nil { return key }
    if let known = cache[key] { return known }
    let spelled = self.key(key)
    cache[key] = spelled
    return spelled
  }
}
