@_spi(ModelKitInternals) import FieldKit

/// Reads models from JSON values, all or nothing: first everything is checked and staged, then it is applied.
///
/// Values are applied before links, so that nobody is told of a relation to a model that is still empty; and outer links
/// before inner ones, so that what holds a model in the document also retains it.
///
/// An object with an identifier is read into the canonical instance of the scope if there is one, and within one call
/// equal identifiers give one object, with or without a scope.
final class ModelReader: FieldReader {
  let scope: ModelScope?
  /// Whether fields that were changed locally since they were last loaded or saved keep their values.
  let keepsLocalChanges: Bool
  /// Whether a store reads one of its records.
  let isFromStore: Bool
  /// The moment before the first value is applied.
  let beginning = ChangeStamp.next()
  /// How many objects are around the one that is read.
  private var depth = 0
  /// Whether values are spelled as the scope says.
  let hasContextOfScope: Bool
  var made = DocumentIdentityMap()
  var operations: [Operation] = []
  /// What stands in this document for models that were only referred to so far.
  private var shells: [IdentityKey: Shell] = [:]
  /// Whether a model that was only referred to gave way to one of a derived class.
  private(set) var hasReplacedShell = false
  /// Instances that were made to read an identifier with, and not needed for more.
  private var spares: [ObjectIdentifier: ModelObject] = [:]
  /// Keys as the context spells them, by how they are declared.
  var keys: [String: String] = [:]
  /// Takes note of what does not fit instead of ending with the first; see `ModelReader+Leniency.swift`.
  var leniency: Leniency?
  /// Keys that lead into the object that is read next, and belong to fields of the model around it.
  var outerKeys: [String] = []

  /// A model that an identifier stands for in this call.
  struct Made {
    let model: ModelObject
    /// Whether values wait to be applied to it, so that what it has now does not count.
    var waitsForValues: Bool
  }

  /// One thing to do once everything was checked.
  enum Operation {
    case closure(() -> Void)
    /// Register a model that is new.
    case add(ModelObject)
    /// Say that the values a model has are those of the document.
    case confirm(DirectConfirmation)
    /// Say that a relation leads to those models of which the document says so.
    case confirmLink(AnyField, [ModelObject])
    /// Give the values of one model to another.
    indirect case merge(DirectMerge)
  }

  /// A model that was checked, and what links it to others once all values were applied.
  struct Staged<M: ModelObject> {
    fileprivate let staged: M
    fileprivate var unloadedReference: Shell?
    let link: () -> Void

    var model: M { unloadedReference?.model as? M ?? staged }
  }

  /// A model that was only referred to. If the whole of it follows and is of a derived class, one of that takes its place.
  fileprivate final class Shell {
    var model: ModelObject

    init(_ model: ModelObject) { self.model = model }
  }

  init(
    scope: ModelScope?, context: ValueTransformerContext? = nil, keepsLocalChanges: Bool = false,
    isFromStore: Bool = false, _ mode: ReadMode = .load
  ) {
    self.scope = scope
    self.keepsLocalChanges = keepsLocalChanges
    self.isFromStore = isFromStore
    hasContextOfScope = context == nil
    super.init(
      context: context ?? scope?.transformers ?? .standard, edits: mode == .edit ? FieldEdits() : nil)
    if self.context.decoding == .lenient { leniency = Leniency() }
  }

  /// Checks what a relation is to read by itself, without the other fields of its model.
  static func staged(
    _ json: JSONValue, into relation: AnyField, in context: ValueTransformerContext
  ) throws -> () -> Void {
    let owner = relation.owner as? ModelObject
    let reader = ModelReader(scope: owner?.memberScope, context: context)
    reader.leniency = nil
    if let owner { reader.recognise(owner, in: [:]) }
    let link = try relation.staged(json, by: reader)
    return {
      _ = reader.apply([] as [Staged<ModelObject>])
      link()
    }
  }

  /// Applies all that was staged.
  func apply<M: ModelObject>(_ staged: [Staged<M>]) -> [M] {
    runOperations()
    for staged in staged { staged.link() }
    reportIssues()
    return staged.map(\.model)
  }

  /// Does what was found to be done.
  ///
  /// - Parameter direct: what read the document, if it was read straight from bytes.
  func runOperations(_ direct: DirectReading? = nil) {
    let staged = operations
    operations = []
    for operation in staged {
      if case .confirm(let confirmation) = operation {
        direct?.run(confirmation)
        continue
      }
      switch operation {
      case .closure(let apply):
        direct?.hasRunOthersCode = true
        apply()
      case .add(let model):
        if scope?.register(model) !== model { direct?.hasRunOthersCode = true }
      case .confirmLink(let field, let models):
        if direct?.hasRunOthersCode == false {
          if !keeps(field) { field.confirmRelation(stamp: direct?.stamp ?? .next()) }
        } else if !keeps(field) {
          field.load(readRelated: models)
        }
      case .merge(let merge): direct?.run(merge)
      case .confirm: break
      }
    }
  }

  func keeps(_ field: AnyField) -> Bool { keepsLocalChanges && field.isDirty }

  /// What a relation holds: a whole model, or the identifier of one.
  ///
  /// - Parameters:
  ///   - json: the model, or its identifier.
  ///   - type: the class of the relation.
  ///   - isForeignKey: whether an identifier is expected.
  ///   - current: the model that the relation has in this place. An edit that has no identifier is one of it.
  func stage<M: Model>(
    _ json: JSONValue, as type: M.Type, isForeignKey: Bool, editing current: M? = nil
  ) throws -> Staged<M> {
    switch json {
    case .object(let object):
      depth += 1
      defer { depth -= 1 }
      if edits != nil, let current, isEdit(object, of: current, type) { return try stage(object, into: current) }
      return try stage(object, as: type)
    case .int, .string, .number:
      let (model, unloadedReference) = try reference(to: json, of: type)
      operations.append(.closure { [scope] in scope?.register(unloadedReference?.model ?? model) })
      return Staged(staged: model, unloadedReference: unloadedReference) {}
    default:
      throw ValueTransformError(expected: isForeignKey ? "an identifier" : "an object or an identifier", found: json)
    }
  }

  /// A model of a class, or of the subclass that it chooses for this object.
  func stage<M: Model>(_ object: AttributeDictionary, as type: M.Type) throws -> Staged<M> {
    let chosen = type.instanceClass(for: object) as? M.Type ?? type
    guard let model = canonical(chosen, object) as? M else {
      throw ValueTransformError(
        expected: "\(chosen)", found: "an identifier that belongs to another type of model in this scope")
    }
    return try stage(object, into: model)
  }

  /// A model that is there already, and gets what the object has.
  func stage<M: ModelObject>(_ object: AttributeDictionary, into model: M) throws -> Staged<M> {
    let outerKeys = takeOuterKeys()
    var links: [() -> Void] = []
    var readCount = 0
    try model.forEachField { field, index in
      guard let json = value(of: field, index, of: model, in: object) else { return }
      readCount += 1
      do {
        guard let apply = try staged(json, field, index, of: model, object) else { return }
        if field.isRelation {
          links.append(apply)
        } else {
          // Not through `self`: what is staged must not keep the reader when a later value is refused.
          let keepsLocalChanges = keepsLocalChanges
          operations.append(.closure { if !(keepsLocalChanges && field.isDirty) { apply() } })
        }
      } catch {
        throw ModelDecodingError.wrapping(
          error, at: path(of: field, index, of: model), of: model.propertyName(of: field))
      }
    }
    if context.keepsUnknownKeys { stageUnknownKeys(of: object, of: model, outerKeys) }
    // Nothing but the identifier is a reference: it says nothing about the other fields.
    let isReference =
      readCount == 1 && object.count == 1 && model.layout.slots.count + (model.details?.dynamicFields.count ?? 0) > 1
      && hasIdentifier(model, in: object)
    operations.append(
      .closure { [scope, edits, isFromStore, beginning, isNested = depth > 0] in
        if let edits {
          model.becomeEdited(isReference: isReference && isNested, edits)
        } else {
          model.markReadFromSource(isReference: isReference, isFromStore: isFromStore, since: beginning)
        }
        scope?.register(model)
      })
    return Staged(staged: model) { for link in links { link() } }
  }

  /// Whether neither an object nor a model has an identifier, so that the object is about the model.
  private func isEdit<M: Model>(_ object: AttributeDictionary, of current: M, _ type: M.Type) -> Bool {
    guard current.modelIdentifier == nil, (type.instanceClass(for: object) ?? type) == Swift.type(of: current) else {
      return false
    }
    return setIdentifier(of: context.prepared(Swift.type(of: current).init()), from: object) == nil
  }

  // MARK: Identity

  /// Says that what a document calls by this model's identifier is this model.
  func recognise(_ model: ModelObject, in object: AttributeDictionary) {
    let identifier =
      model.modelIdentifier ?? setIdentifier(of: context.prepared(type(of: model).init()), from: object)
    if let identifier { made[key(of: model, identifier)] = Made(model: model, waitsForValues: true) }
  }

  /// Says that what an answer about a model calls by the identifiers of models that this one leads to is these models, also
  /// those that are in no scope yet.
  func recogniseRelatedModels(of model: ModelObject) {
    var seen: Set<ModelObject> = [model]
    var pending = [model]
    while let next = pending.popLast() {
      for related in next.relations.flatMap(\.relatedModels)
      where related.identityMap == nil && seen.insert(related).inserted {
        pending.append(related)
        guard let identifier = related.modelIdentifier,
          scope?.canonicalModel(like: related, identifier: identifier) == nil
        else { continue }
        let key = key(of: related, identifier)
        if made[key] == nil { made[key] = Made(model: related, waitsForValues: false) }
      }
    }
  }

  /// Refuses to read an identifier that belongs to another live model: there would be two for it.
  func refuseIdentifierOfAnother(than model: ModelObject, in object: AttributeDictionary) throws {
    guard let map = model.identityMap, let (field, index) = Self.identifierPlace(of: model),
      let json = value(of: field, index, of: model, in: object),
      (json.stringValue ?? json.description) != model.registeredIdentifier?.text,
      let identifier = setIdentifier(of: context.prepared(type(of: model).init()), from: object),
      let other = map.canonicalModel(of: model.typeKey, identifier: identifier), other !== model
    else { return }
    throw ModelDecodingError(
      path: path(of: field, index, of: model), property: model.propertyName(of: field),
      expected: "an identifier that no other \(type(of: model).displayName) has",
      found: "\(json), by which this scope knows another live model")
  }

  private func canonical(_ modelClass: ModelObject.Type, _ object: AttributeDictionary) -> ModelObject {
    let id = ObjectIdentifier(modelClass)
    let spare = spares.isEmpty ? nil : spares.removeValue(forKey: id)
    let fresh = spare ?? context.prepared(modelClass.init())
    guard let identifier = setIdentifier(of: fresh, from: object) else {
      // A spare one has the identifier of another model.
      return spare == nil ? fresh : context.prepared(modelClass.init())
    }
    let key = key(of: fresh, identifier)
    var known = made[key]?.model
    if let unloadedReference = shells.isEmpty ? nil : shells.removeValue(forKey: key),
      unloadedReference.model === known,
      Self.isDerived(modelClass, from: type(of: unloadedReference.model))
    {
      unloadedReference.model = fresh
      hasReplacedShell = true
      known = nil
    } else {
      known = known ?? scope?.canonicalModel(like: fresh, identifier: identifier)
    }
    made[key] = Made(model: known ?? fresh, waitsForValues: true)
    if known != nil { spares[id] = fresh }
    return known ?? fresh
  }

  private static func isDerived(_ modelClass: ModelObject.Type, from other: ModelObject.Type) -> Bool {
    var parent: AnyClass? = _getSuperclass(modelClass)
    while let known = parent {
      if known == other { return true }
      parent = _getSuperclass(known)
    }
    return false
  }

  private func reference<M: Model>(to json: JSONValue, of type: M.Type) throws -> (M, Shell?) {
    let fresh = context.prepared(type.init())
    if let field = fresh.identifierField, let apply = try? field.staged(json, by: self) { apply() }
    // Some write numbers as text where they refer to them, or the other way round.
    if fresh.modelIdentifier == nil { _ = fresh.setIdentifier(json.stringValue ?? json.description) }
    if let identifier = fresh.modelIdentifier {
      let key = key(of: fresh, identifier)
      if let unloadedReference = shells[key], let model = unloadedReference.model as? M {
        return (model, unloadedReference)
      }
      guard let known = made[key]?.model ?? scope?.canonicalModel(like: fresh, identifier: identifier) else {
        fresh.becomeUnloadedReference()
        made[key] = Made(model: fresh, waitsForValues: true)
        let unloadedReference = Shell(fresh)
        shells[key] = unloadedReference
        return (fresh, unloadedReference)
      }
      if let known = known as? M { return (known, nil) }
    }
    throw ValueTransformError(expected: "the identifier of \(type.displayName)", found: json)
  }

  private func key(of model: ModelObject, _ identifier: String) -> IdentityKey {
    IdentityKey(rootClass: model.layout.rootClass, identifier: identifier)
  }

  /// Reads the identifier into a model that nobody else knows yet: only the field can tell what the value means, and
  /// whether two spellings of it are one identifier.
  func setIdentifier(of fresh: ModelObject, from object: AttributeDictionary) -> String? {
    guard let (field, index) = Self.identifierPlace(of: fresh),
      let json = value(of: field, index, of: fresh, in: object), let apply = try? field.staged(json, by: self)
    else { return nil }
    apply()
    return fresh.modelIdentifier
  }

  /// The identifier field and its place in the layout, or -1 if it was added at run time.
  private static func identifierPlace(of model: ModelObject) -> (field: AnyField, index: Int)? {
    if let index = model.layout.identifierIndex { return model.layout.field(at: index, of: model).map { ($0, index) } }
    guard model.hasDynamicFields, let field = model.identifierField, field.declaredKey != nil else {
      return nil
    }
    return (field, -1)
  }

  private func hasIdentifier(_ model: ModelObject, in object: AttributeDictionary) -> Bool {
    guard let (field, index) = Self.identifierPlace(of: model) else { return false }
    return value(of: field, index, of: model, in: object).map { !$0.isNull } ?? false
  }
}
