@_spi(ModelKitInternals) import FieldKit

/// An atomic reader of models from JSON values: it checks and stages everything first, then applies it.
///
/// Values are applied before links, so that no observer receives a related model that is still empty. Outer links are
/// applied before inner ones, so that the containing model retains the nested one.
///
/// An object with an identifier is read into the registered model of the scope, if there is one. Within one call, equal
/// identifiers are one object, with or without a scope.
final class ModelReader: FieldReader {
  let scope: ModelScope?
  /// The treatment of fields with local changes.
  let localChanges: LocalChanges
  /// Whether a store reads one of its records.
  let isFromStore: Bool
  /// The save to which a store's response is read: the model, the written fields, and the moment of their capture.
  var save: (model: ModelObject, fields: Set<ObjectIdentifier>, stamp: ChangeStamp)?
  /// The identifiers that the records of a list must have, by their numbers; nil if any will do.
  var identifiers: ((Int) -> String)?
  /// The moment before the first value is applied.
  let beginning = ChangeStamp.next()
  /// The number of objects around the current one.
  private var depth = 0
  /// Whether the context is that of the scope.
  let hasContextOfScope: Bool
  // Unchecked, because both are used for every object. An access is one operation of a collection, and no code that it
  // may run, such as a `deinit`, has a reference to this reader.
  @exclusivity(unchecked) var made = DocumentIdentityMap()
  @exclusivity(unchecked) var operations: [Operation] = []
  /// The unloaded references that were created in this document.
  var unloadedReferences: [IdentityKey: UnloadedReference] = [:]
  /// Whether an unloaded reference was replaced by a model of a derived class.
  var hasReplacedReference = false
  /// Instances that were created to read an identifier, and are free for reuse.
  var spares: [ObjectIdentifier: ModelObject] = [:]
  /// The records around the current object, from the outside in.
  var containing: [ContainingRecord] = []
  /// The keys as the context spells them, by their declared form.
  var keys: [String: String] = [:]
  /// The issues of a lenient reading; nil for one that ends with the first. See `ModelReader+Leniency.swift`.
  var leniency: Leniency?
  /// The keys inside the next object that belong to fields of the containing model.
  var outerKeys: [String] = []

  /// The model for an identifier in this call.
  struct Made {
    let model: ModelObject
    /// Whether values are staged for the model, so that its current ones do not count.
    var waitsForValues: Bool
  }

  /// An operation to run once everything was checked.
  enum Operation {
    case closure(() -> Void)
    /// Registers a new model.
    case add(ModelObject)
    /// Confirms that a model has the values of the document.
    case confirm(DirectConfirmation)
    /// Confirms that a relation references the models of the document.
    case confirmLink(AnyField, [ModelObject])
    /// Moves the values of a model that was read into another model.
    indirect case merge(DirectMerge)
  }

  /// A model that was checked, and the closure that links it once all values were applied.
  struct Staged<M: ModelObject> {
    fileprivate let staged: M
    fileprivate var unloadedReference: UnloadedReference?
    let link: () -> Void

    var model: M { unloadedReference?.model as? M ?? staged }
  }

  /// An unloaded reference. If its full object follows and is of a derived class, a model of that class replaces it.
  final class UnloadedReference {
    var model: ModelObject

    init(_ model: ModelObject) { self.model = model }
  }

  init(
    scope: ModelScope?, context: ValueTransformerContext? = nil, localChanges: LocalChanges = .overwrite,
    isFromStore: Bool = false, _ mode: ReadMode = .load
  ) {
    self.scope = scope
    self.localChanges = localChanges
    self.isFromStore = isFromStore
    hasContextOfScope = context == nil
    super.init(
      context: context ?? scope?.transformers ?? .standard, edits: mode == .edit ? FieldEdits() : nil)
    if self.context.decoding == .lenient { leniency = Leniency() }
  }

  /// Stages a relation that is read by itself, without the other fields of its model.
  static func staged(
    _ json: JSONValue, into relation: AnyField, in context: ValueTransformerContext
  ) throws -> () -> Void {
    let owner = relation.owner as? ModelObject
    let reader = ModelReader(scope: owner?.memberScope, context: context)
    reader.leniency = nil
    if let owner { reader.register(owner, in: [:]) }
    let link = try relation.staged(json, by: reader)
    return {
      _ = reader.apply([] as [Staged<ModelObject>])
      link()
    }
  }

  /// Applies everything that was staged.
  func apply<M: ModelObject>(_ staged: [Staged<M>]) -> [M] {
    func run() {
      runOperations()
      for staged in staged { staged.link() }
    }
    applying {
      // Edits by a document are one step of a history.
      if edits != nil, let scope { scope.recordTogether(run) } else { run() }
    }
    reportIssues()
    return staged.map(\.model)
  }

  /// Runs a closure that applies staged values.
  func applying(_ body: () -> Void) {
    if let scope { scope.map.readingDocument(!isFromStore && edits == nil, body) } else { body() }
  }

  /// Runs the staged operations.
  ///
  /// - Parameter direct: the reading of the document, if it was read on the direct path.
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

  func keeps(_ field: AnyField) -> Bool { localChanges.keep(field) }

  /// Returns whether a field has no changes, apart from those that the save wrote to which the response is read.
  private func isClean(_ field: AnyField) -> Bool {
    guard field.isDirty else { return true }
    guard let save, field.lastChange <= save.stamp else { return false }
    // A list that was not written may have other positions than the response.
    return field.owner !== save.model || save.fields.contains(ObjectIdentifier(field))
  }

  /// Returns whether records are read into the models that a relation embeds, as far as they match.
  func readsInPlace(_ relation: any Relation) -> Bool {
    edits != nil || isFromStore && !relation.isForeignKey && isClean(relation)
  }

  /// Stages the value of a relation: a full model, or an identifier.
  ///
  /// - Parameters:
  ///   - json: the model, or its identifier.
  ///   - type: the class of the relation.
  ///   - isForeignKey: whether an identifier is expected.
  ///   - current: the related model at this position. An object without identifier may be read into it.
  ///   - relation: the relation to it.
  func stage<M: Model>(
    _ json: JSONValue, as type: M.Type, isForeignKey: Bool, into current: M? = nil, of relation: (any Relation)? = nil
  ) throws -> Staged<M> {
    switch json {
    case .object(let object):
      depth += 1
      defer { depth -= 1 }
      if let container = containingModel as? M, try isUnidentified(object, like: container, type) {
        return try stage(object, into: container)
      }
      if let current, let relation, isRead(object, into: current, of: relation),
        try isUnidentified(object, like: current, type)
      {
        return try stage(object, into: current)
      }
      return try stage(object, as: type)
    case .double where json.intValue == nil: throw identifierError(json, isForeignKey)
    case .int, .string, .number, .double:
      let (model, unloadedReference) = try reference(to: json, of: type)
      operations.append(.closure { [scope] in scope?.register(unloadedReference?.model ?? model) })
      return Staged(staged: model, unloadedReference: unloadedReference) {}
    default: throw identifierError(json, isForeignKey)
    }
  }

  private func identifierError(_ json: JSONValue, _ isForeignKey: Bool) -> ValueTransformError {
    ValueTransformError(expected: isForeignKey ? "an identifier" : "an object or an identifier", found: json)
  }

  /// Returns the staged value of a to-one relation. The inverse of the relation that contains its model references the
  /// containing model, even if the nested value is null or another model.
  func withContainingModel<M: Model>(_ related: Staged<M>?) -> Staged<M>? {
    guard let container = containingModel as? M, related?.model !== container else { return related }
    return Staged(staged: container, link: related?.link ?? {})
  }

  /// Stages an object for a model of a class, or of the subclass that the class chooses for it.
  func stage<M: Model>(_ object: AttributeDictionary, as type: M.Type) throws -> Staged<M> {
    let chosen = type.instanceClass(for: object) as? M.Type ?? type
    let object = try decoded(object, for: chosen)
    let live = canonical(chosen, object)
    guard let model = live as? M else {
      let found =
        live.isUnloadedReference
        ? "an unloaded reference of the class \(Swift.type(of: live)) with this identifier; release it first"
        : "an identifier that belongs to another type of model in this scope"
      throw ValueTransformError(expected: "\(chosen)", found: found)
    }
    return try stage(decoded: withCurrentIdentifier(object, of: model), into: model)
  }

  /// Returns an object with the identifier of its model, which may have been found by one that a store has replaced.
  private func withCurrentIdentifier(_ object: AttributeDictionary, of model: ModelObject) -> AttributeDictionary {
    guard let map = scope?.map, !map.aliases.isEmpty, map.hasAliases(model), let field = model.identifierField,
      let values = try? model.storedValues(of: [field], in: context)
    else { return object }
    var object = object
    for value in values { value.write(to: &object) }
    return object
  }

  /// Returns the model of the scope that an object is read into; nil if a new one is created for it.
  func liveModel<M: Model>(_ type: M.Type, for object: AttributeDictionary) throws -> ModelObject? {
    let (sample, identifier) = try identified(type, by: object)
    return identifier.flatMap { scope?.canonicalModel(like: sample, identifier: $0) }
  }

  /// Returns a new model of the class that is read from an object, and the identifier in the object.
  func identified<M: Model>(
    _ type: M.Type, by object: AttributeDictionary
  ) throws -> (sample: ModelObject, identifier: String?) {
    let chosen = type.instanceClass(for: object) as? M.Type ?? type
    let sample: ModelObject = context.prepared(chosen.init())
    return (sample, setIdentifier(of: sample, from: try decoded(object, for: chosen)))
  }

  /// Returns the dictionary that a class reads in place of one from a document.
  func decoded(_ object: AttributeDictionary, for modelClass: ModelObject.Type) throws -> AttributeDictionary {
    guard !isFromStore, let converting = modelClass as? any DocumentConverting.Type else { return object }
    return try converting.decoded(object)
  }

  /// Stages an object for an existing model.
  func stage<M: ModelObject>(_ object: AttributeDictionary, into model: M) throws -> Staged<M> {
    try stage(decoded: decoded(object, for: Swift.type(of: model)), into: model)
  }

  /// Stages an object that its class converted already.
  func stage<M: ModelObject>(decoded object: AttributeDictionary, into model: M) throws -> Staged<M> {
    let outerKeys = takeOuterKeys()
    var links: [() -> Void] = []
    var readCount = 0
    let observed = edits == nil ? observedRead(of: object, into: model) : nil
    if let observed { operations.append(.closure { observed.begin() }) }
    try model.forEachField { field, index in
      guard let json = value(of: field, index, of: model, in: object) else { return }
      readCount += 1
      if !field.isRelation, isInOuterRecord(field, index, of: model) { return }
      do {
        guard let apply = try staged(json, field, index, of: model, object) else { return }
        if field.isRelation {
          links.append(apply)
        } else if let observed {
          operations.append(.closure { observed.load(field, apply) })
        } else {
          // Does not capture `self`: staged operations must not keep the reader when a later value is rejected.
          let localChanges = localChanges
          operations.append(.closure { if !localChanges.keep(field) { apply() } })
        }
      } catch {
        throw ModelDecodingError.wrapping(
          error, at: path(of: field, index, of: model), of: model.propertyName(of: field))
      }
    }
    if context.keepsUnknownKeys { stageUnknownKeys(of: object, of: model, outerKeys) }
    // An object with only an identifier is a reference, without information about the other fields.
    let isReference =
      readCount == 1 && object.count == 1 && model.layout.slots.count + (model.details?.dynamicFields.count ?? 0) > 1
      && hasIdentifier(model, in: object)
    operations.append(
      .closure { [scope, edits, isFromStore, beginning, isNested = depth > 0] in
        observed?.end()
        if let edits {
          if model.becomeEdited(isReference: isReference && isNested, edits) {
            // It belongs to the document: a transaction that fails does not retain it.
            for edits in scope?.map.transactions ?? [] { edits.willAdd(model) }
          }
        } else {
          model.markReadFromSource(isReference: isReference, isFromStore: isFromStore, since: beginning)
        }
        scope?.register(model)
      })
    let hook = model.layout.readsOrWritesByItself ? model as? any ReadingHook : nil
    return Staged(staged: model) { [edits] in
      for link in links { link() }
      guard let hook else { return }
      if let edits { edits.recordSets(of: model.orderedFields, hook.afterRead) } else { hook.afterRead() }
    }
  }

  /// Returns the read of an object into a model with observed fields; nil if no field is observed.
  private func observedRead(of object: AttributeDictionary, into model: ModelObject) -> ObservedRead? {
    var isObserved = false
    model.forEachField { field, _ in isObserved = isObserved || !field.isUnobserved }
    guard isObserved else { return nil }
    var fields: [AnyField] = []
    model.forEachField { field, index in
      if !field.isRelation, value(of: field, index, of: model, in: object) != nil { fields.append(field) }
    }
    return ObservedRead(of: model, fields, localChanges)
  }

  /// Returns whether an object without identifier is read into the related model at its position.
  private func isRead(
    _ object: AttributeDictionary, into current: ModelObject, of relation: any Relation
  ) -> Bool {
    if edits != nil { return current.modelIdentifier == nil }
    return current.isRead(in: relation, isClean: isClean) { field, index in
      value(of: field, index, of: current, in: object) != nil
    }
  }

  /// Returns whether an object has the class of a model, and no identifier.
  private func isUnidentified<M: Model>(
    _ object: AttributeDictionary, like model: M, _ type: M.Type
  ) throws -> Bool {
    guard (type.instanceClass(for: object) ?? type) == Swift.type(of: model) else { return false }
    return try identified(type, by: object).identifier == nil
  }
}
