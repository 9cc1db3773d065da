@_spi(ModelKitInternals) import FieldKit

/// A writer of models as JSON values.
///
/// The first occurrence of a model is written in full, and later ones by the identifier. So cycles end, and the output
/// is linear in the number of models.
final class ModelWriter: FieldWriter {
  var seen = Set<ObjectIdentifier>()
  private var keys: [String: String] = [:]
  /// Whether a store writes: no link must be lost, and unset and null are different.
  var isForStore = false
  /// The model that gets its first identifier with this save, and the placeholder for the identifier.
  var newcomer: (model: ModelObject, placeholder: JSONValue)?
  /// Whether fields of the written model whose values can't be written are omitted.
  var omitsUnwritable = false
  /// Whether a link was omitted because its model has no identifier yet.
  var hasOmissions = false
  /// The number of objects and lists around the current value.
  private var depth = 0
  /// The model that a store writes.
  private var saved: ModelObject?
  /// The writers that convert models directly to bytes, by class; see `ModelWriter+Direct.swift`.
  var direct: [ObjectIdentifier: DirectClassWriter] = [:]
  var lastDirect: DirectClassWriter?
  var otherDirect: DirectClassWriter?

  /// Returns the writer for a field: the given one, or a new one for a field that is written by itself.
  static func writer(for field: AnyField, _ writer: FieldWriter) -> ModelWriter {
    if let writer = writer as? ModelWriter { return writer }
    let own = ModelWriter(context: writer.context)
    if let owner = field.owner { own.seen.insert(ObjectIdentifier(owner)) }
    return own
  }

  /// Returns the fields of a model that are loaded or set.
  ///
  /// - Parameter fields: the fields to write; nil for all that the class writes, and unknown keys.
  func object(
    of model: ModelObject, fields: [AnyField]?, where includesField: ((AnyField) -> Bool)? = nil
  ) throws -> AttributeDictionary {
    context.prepare(model)
    seen.insert(ObjectIdentifier(model))
    let chosen = fields ?? model.fieldsForDictionaryValue()
    return try object(of: model, chosen, withUnknownKeys: fields == nil) { field in
      if let includesField { return includesField(field) }
      return switch field.loadState {
      case .loaded: true
      // A relation of a new model is complete as it is.
      case .incomplete: model.origin == .new
      default: false
      }
    }
  }

  /// Returns the values of the given fields one by one, each with its path.
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
    // A related model and flattened attributes of it may share a key: the attributes are written into its object.
    if values.contains(where: { $0.path.count > 1 }) { values.sort { $0.path.count < $1.path.count } }
    // An existing record already has the values that belong to no field.
    if !model.isStored, model.details?.remainder != nil { values += remainingValues(of: model, besides: fields) }
    return values
  }

  /// Returns the values of a model that belong to no field.
  private func remainingValues(of model: ModelObject, besides fields: [AnyField]) -> [StoredValue] {
    let written = Set(fields.map { ObjectIdentifier($0) })
    let values: [StoredValue] = model.orderedFields.compactMap { field in
      guard !written.contains(ObjectIdentifier(field)), let key = field.key,
        case .value(let json)? = model.rejection(of: field, in: context)?.content
      else { return nil }
      return StoredValue(path: context.key(key, &keys).split(separator: ".").map(String.init), value: json)
    }
    return values + model.storedUnknownValues(in: context, isUnsaved: false)
  }

  /// Returns a related model in full, or a reference to it; nil if it can't be referenced.
  ///
  /// - Parameter isForeignKey: whether to write a reference.
  func json(of model: ModelObject, isForeignKey: Bool) throws -> JSONValue? {
    if isForeignKey {
      if let identifier = try identifier(of: model) { return identifier }
      // A store that omitted the link would lose it silently.
      guard isForStore, !isWrittenLater(model) else { return nil }
      throw ModelEncodingError(
        path: FieldPath(),
        reason: "the related \(type(of: model).displayName) has no identifier: save it first")
    }
    guard seen.insert(ObjectIdentifier(model)).inserted else { return try reference(to: model) }
    try deepen()
    defer { depth -= 1 }
    // A store distinguishes unset and null, in embedded models too.
    let includesUnset = context.explicitNull && !isForStore && model.origin == .new
    return .object(
      try object(of: model, model.fieldsForDictionaryValue()) { field in
        includesUnset || field.loadState != .notLoaded
      })
  }

  /// Returns the reference to a model that was written before; nil without identifier.
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
    let object = try plainObject(of: model, fields, withUnknownKeys: withUnknownKeys, where: includes)
    guard !isForStore, model.layout.readsOrWritesByItself, let model = model as? any DocumentConverting else {
      return object
    }
    do { return try model.encoded(object) } catch { throw ModelEncodingError.wrapping(error, at: FieldPath()) }
  }

  private func plainObject(
    of model: ModelObject, _ fields: [AnyField], withUnknownKeys: Bool, where includes: (AnyField) -> Bool
  ) throws -> AttributeDictionary {
    var object: AttributeDictionary = [:]
    for field in fields {
      guard let key = field.key,
        includes(field) || model.rejection(of: field, in: context) != nil
      else { continue }
      let omitsUnwritable = omitsUnwritable && depth == 0
      let written = omitsUnwritable && field.isRelation ? seen : []
      do {
        guard let json = try exported(field, key, of: model) else { continue }
        // A related model and flattened attributes of it may share a key: they are merged.
        try object.set(json, atNestedKey: context.key(key, &keys), merging: true)
      } catch {
        guard omitsUnwritable else {
          throw error is ModelEncodingError ? error : ModelEncodingError.wrapping(error, at: FieldPath())
        }
        if field.isRelation { (seen, depth) = (written, 0) }
      }
    }
    if withUnknownKeys, context.keepsUnknownKeys, model.details?.remainder != nil {
      model.dropKnownRemainder(spelledIn: context)
      model.details?.remainder?.addUnknown(to: &object)
    }
    return object
  }

  /// Returns the value to write for a field, or its rejected value. Nil is written as `null` if the context requires
  /// it, and otherwise omitted.
  private func exported(_ field: AnyField, _ key: String, of model: ModelObject) throws -> JSONValue? {
    if let rejection = model.rejection(of: field, in: context) {
      return try rejection.completing(try exported(field, key))
    }
    return try exported(field, key)
  }

  private func exported(_ field: AnyField, _ key: String) throws -> JSONValue? {
    let isList = field.isRelation && (field as? any Relation)?.isToMany == true
    do {
      if isList { try deepen() }
      defer { if isList { depth -= 1 } }
      if let json = try field.exported(by: self) { return json }
      // A model that can't be referenced, such as an inverse without identifier, is omitted: null would cut the link
      // when it is read.
      return context.explicitNull && field.anyValue == nil ? .some(.null) : .none
    } catch {
      throw ModelEncodingError.wrapping(error, at: FieldPath([.key(key)]))
    }
  }

  /// Enters a nesting level. Models may be nested without limit, but a tree that is too deep would overflow the stack.
  private func deepen() throws {
    depth += 1
    // The outermost model counts as one level.
    guard depth < JSONReadingOptions.maximumTreeDepth else { throw ModelEncodingError.tooDeep }
  }

  func identifier(of model: ModelObject) throws -> JSONValue? {
    if let json = try model.identifierField?.exported(by: self) { return json }
    if let newcomer, newcomer.model === model { return newcomer.placeholder }
    hasOmissions = true
    return nil
  }

  /// Returns whether a link that can't be written now is written later. It references the model being saved, which gets
  /// its identifier with this save, or a model that is saved next.
  private func isWrittenLater(_ model: ModelObject) -> Bool {
    model === saved || DeferredForeignKeys.models.contains(ObjectIdentifier(model))
  }
}
