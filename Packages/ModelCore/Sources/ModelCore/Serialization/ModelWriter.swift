@_spi(ModelKitInternals) import FieldKit

/// Writes models as JSON values. A model is written in full where it is first met, and by its identifier after that, so
/// that cycles end and the output is linear in the number of models.
final class ModelWriter: FieldWriter {
  var seen = Set<ObjectIdentifier>()
  private var keys: [String: String] = [:]
  /// Whether a store writes: it must not lose a link, and keeps unset and null apart.
  var isForStore = false
  /// The model that gets its first identifier with this save, and what stands for that as long as it is not known.
  var newcomer: (model: ModelObject, placeholder: JSONValue)?
  /// Whether a link was left out because it leads to a model that has no identifier yet.
  var hasOmissions = false
  /// How many objects and lists are open around what is being written.
  private var depth = 0
  /// The model that a store writes.
  private var saved: ModelObject?
  /// How the classes met so far go straight to bytes; see `ModelWriter+Direct.swift`.
  var direct: [ObjectIdentifier: DirectClassWriter] = [:]
  var lastDirect: DirectClassWriter?
  var otherDirect: DirectClassWriter?

  /// A writer for a field: the one it was given, or one that knows its model, for a field that is written by itself.
  static func writer(for field: AnyField, _ writer: FieldWriter) -> ModelWriter {
    if let writer = writer as? ModelWriter { return writer }
    let own = ModelWriter(context: writer.context)
    if let owner = field.owner { own.seen.insert(ObjectIdentifier(owner)) }
    return own
  }

  /// The fields of a model that were loaded or set.
  ///
  /// - Parameter fields: chosen ones; nil for all that the class writes, and unknown keys.
  func object(of model: ModelObject, fields: [AnyField]?) throws -> AttributeDictionary {
    context.prepare(model)
    seen.insert(ObjectIdentifier(model))
    let chosen = fields ?? model.fieldsForDictionaryValue()
    return try object(of: model, chosen, withUnknownKeys: fields == nil) { field in
      switch field.loadState {
      case .loaded: true
      // What a new model knows of a relation is all there is.
      case .incomplete: model.origin == .new
      default: false
      }
    }
  }

  /// The chosen fields one by one, each with the keys that lead to it.
  func values(of model: ModelObject, fields: [AnyField]) throws -> [StoredValue] {
    isForStore = true
    saved = model
    context.prepare(model)
    seen.insert(ObjectIdentifier(model))
    var values: [StoredValue] = try fields.compactMap { field in
      guard let key = field.key else { return nil }
      let path = context.key(key, &keys).split(separator: ".").map(String.init)
      return try exported(field, key, of: model).map { StoredValue(path: path, value: $0) }
    }
    // A record that is there already has what no field has.
    if !model.isStored, model.details?.remainder != nil { values += remainingValues(of: model, besides: fields) }
    return values
  }

  /// What a model has besides the values of fields.
  private func remainingValues(of model: ModelObject, besides fields: [AnyField]) -> [StoredValue] {
    let written = Set(fields.map { ObjectIdentifier($0) })
    var values: [StoredValue] = model.orderedFields.compactMap { field in
      guard !written.contains(ObjectIdentifier(field)), let key = field.key,
        case .value(let json)? = model.rejection(of: field, in: context)?.content
      else { return nil }
      return StoredValue(path: context.key(key, &keys).split(separator: ".").map(String.init), value: json)
    }
    if context.keepsUnknownKeys {
      model.dropKnownRemainder(spelledIn: context)
      values += (model.details?.remainder?.unknown ?? [:]).map { StoredValue(path: $0, value: $1) }
    }
    return values
  }

  /// A related model in full, or what stands for it; nil if nothing can.
  ///
  /// - Parameter relation: the field that leads there, if what is left out may be what the other side says as well.
  func json(of model: ModelObject, isForeignKey: Bool, from relation: (any Relation)? = nil) throws -> JSONValue? {
    if isForeignKey {
      if let identifier = try identifier(of: model) { return identifier }
      // A store that left the link out would lose it without a word.
      guard isForStore, !isSaidElsewhere(model, relation) else { return nil }
      throw ModelEncodingError(
        path: FieldPath(),
        reason: "the \(type(of: model).displayName) it leads to has no identifier yet; save that one first")
    }
    guard seen.insert(ObjectIdentifier(model)).inserted else { return try reference(to: model) }
    try deepen()
    defer { depth -= 1 }
    // A store keeps unset and null apart, in embedded models too.
    let includesUnset = context.explicitNull && !isForStore && model.modelLoadState != .incomplete
    return .object(
      try object(of: model, model.fieldsForDictionaryValue()) { field in
        includesUnset || field.loadState != .notLoaded
      })
  }

  /// What stands for a model that was written before; nil without identifier.
  func reference(to model: ModelObject) throws -> JSONValue? {
    guard let field = model.identifierField, let key = field.key, let json = try identifier(of: model)
    else { return nil }
    var object: AttributeDictionary = [:]
    try object.set(json, atNestedKey: context.key(key, &keys))
    return .object(object)
  }

  func object(
    of model: ModelObject, _ fields: [AnyField], withUnknownKeys: Bool = true,
    where includes: (AnyField) -> Bool
  ) throws -> AttributeDictionary {
    var object: AttributeDictionary = [:]
    for field in fields {
      guard let key = field.key,
        includes(field) || model.rejection(of: field, in: context) != nil
      else { continue }
      guard let json = try exported(field, key, of: model) else { continue }
      do {
        // A related model and flattened attributes of it may share a key: they are merged.
        try object.set(json, atNestedKey: context.key(key, &keys), merging: true)
      } catch {
        throw ModelEncodingError.wrapping(error, at: FieldPath())
      }
    }
    if withUnknownKeys, context.keepsUnknownKeys, model.details?.remainder != nil {
      model.dropKnownRemainder(spelledIn: context)
      model.details?.remainder?.addUnknown(to: &object)
    }
    return object
  }

  /// What is written for a field: its value, or what did not fit into it; `null` for nil if the context wants that,
  /// otherwise nothing.
  private func exported(_ field: AnyField, _ key: String, of model: ModelObject) throws -> JSONValue? {
    if let rejection = model.rejection(of: field, in: context) {
      switch rejection.content {
      case .value(let json): return json
      case .elements: return rejection.completing(try exported(field, key))
      }
    }
    return try exported(field, key)
  }

  private func exported(_ field: AnyField, _ key: String) throws -> JSONValue? {
    let isList = field.isRelation && (field as? any Relation)?.isToMany == true
    do {
      if isList { try deepen() }
      defer { if isList { depth -= 1 } }
      if let json = try field.exported(by: self) { return json }
      // A model that is there but can't be referred to, such as a back link to one without identifier, is left out:
      // null would cut the link when it is read.
      return context.explicitNull && field.anyValue == nil ? .some(.null) : .none
    } catch {
      throw ModelEncodingError.wrapping(error, at: FieldPath([.key(key)]))
    }
  }

  /// Models may lead into each other without end; a tree may not be so deep that making or releasing it ends the program.
  private func deepen() throws {
    depth += 1
    // One level is the model with which it began.
    guard depth < JSONReadingOptions.maximumTreeDepth else { throw ModelEncodingError.tooDeep }
  }

  func identifier(of model: ModelObject) throws -> JSONValue? {
    if let json = try model.identifierField?.exported(by: self) { return json }
    if let newcomer, newcomer.model === model { return newcomer.placeholder }
    hasOmissions = true
    return nil
  }

  /// Whether a link that can't be written is not lost: the model to which it leads is the one that is being saved and leads
  /// back, or the link is written once that model is saved.
  private func isSaidElsewhere(_ model: ModelObject, _ relation: (any Relation)?) -> Bool {
    if SavedLater.models.contains(ObjectIdentifier(model)) { return true }
    guard let relation, let owner = relation.ownerModel, model === saved else { return false }
    return relation.inverse(on: model)?.refers(to: owner) == true
  }
}
