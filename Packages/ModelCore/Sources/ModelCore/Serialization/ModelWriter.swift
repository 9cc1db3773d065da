@_spi(ModelKitInternals) import FieldKit

/// Writes models as JSON values. A model is written in full where it is first met, and by its identifier after that, so
/// that cycles end and the output is linear in the number of models.
final class ModelWriter: FieldWriter {
  var seen = Set<ObjectIdentifier>()
  private var keys: [String: String] = [:]
  private var isForStore = false
  /// How the classes met so far go straight to bytes; see `ModelWriter+Direct.swift`.
  var direct: [ObjectIdentifier: DirectClassWriter] = [:]
  var lastDirect: DirectClassWriter?

  /// A writer for a field: the one it was given, or one that knows its model, for a field that is written by itself.
  static func writer(for field: FieldBase, _ writer: FieldWriter) -> ModelWriter {
    if let writer = writer as? ModelWriter { return writer }
    let own = ModelWriter(context: writer.context)
    if let owner = field.owner { own.seen.insert(ObjectIdentifier(owner)) }
    return own
  }

  /// The chosen fields of a model that were loaded or set.
  func object(of model: ModelObject, fields: [any FieldProtocol]) throws -> AttributeDictionary {
    seen.insert(ObjectIdentifier(model))
    return try object(of: model, fields) { field in
      switch field.loadState {
      case .loaded: true
      // What a new model knows of a relation is all there is.
      case .incomplete: model.origin == .new
      default: false
      }
    }
  }

  /// The chosen fields one by one, each with the keys that lead to it.
  func values(of model: ModelObject, fields: [any FieldProtocol]) throws -> [StoredValue] {
    isForStore = true
    seen.insert(ObjectIdentifier(model))
    return try fields.compactMap { field in
      guard let field = field as? FieldBase, let key = field.key else { return nil }
      let path = context.key(key, &keys).split(separator: ".").map(String.init)
      return try exported(field, key).map { StoredValue(path: path, value: $0) }
    }
  }

  /// A related model in full, or what stands for it; nil if nothing can.
  func json(of model: ModelObject, isForeignKey: Bool) throws -> JSONValue? {
    if isForeignKey {
      if let identifier = try identifier(of: model) { return identifier }
      // A store that left the link out would lose it without a word.
      guard isForStore else { return nil }
      throw ModelEncodingError(
        path: FieldPath(), reason: "the \(type(of: model)) it leads to has no identifier yet; save that one first")
    }
    guard seen.insert(ObjectIdentifier(model)).inserted else { return try reference(to: model) }
    // A store keeps unset and null apart, in embedded models too.
    let includesUnset = context.explicitNull && !isForStore && model.modelLoadState != .incomplete
    return .object(
      try object(of: model, model.fieldsForDictionaryValue()) { field in
        includesUnset || field.loadState != .notLoaded
      })
  }

  /// What stands for a model that was written before; nil without identifier.
  func reference(to model: ModelObject) throws -> JSONValue? {
    guard let field = model.identifierField as? FieldBase, let key = field.key, let json = try identifier(of: model)
    else { return nil }
    var object: AttributeDictionary = [:]
    try object.set(json, atNestedKey: context.key(key, &keys))
    return .object(object)
  }

  func object(
    of model: ModelObject, _ fields: [any FieldProtocol], where includes: (FieldBase) -> Bool
  ) throws -> AttributeDictionary {
    var object: AttributeDictionary = [:]
    for field in fields {
      guard let field = field as? FieldBase, includes(field), let key = field.key else { continue }
      guard let json = try exported(field, key) else { continue }
      do {
        // A related model and flattened attributes of it may share a key: they are merged.
        try object.set(json, atNestedKey: context.key(key, &keys), merging: true)
      } catch {
        throw ModelEncodingError.wrapping(error, at: FieldPath())
      }
    }
    return object
  }

  /// The value of a field; `null` for nil if the context wants that, otherwise nothing.
  private func exported(_ field: FieldBase, _ key: String) throws -> JSONValue? {
    do {
      if let json = try field.exported(by: self) { return json }
      // A model that is there but can't be referred to, such as a back link to one without identifier, is left out:
      // null would cut the link when it is read.
      return context.explicitNull && field.anyValue == nil ? .some(.null) : .none
    } catch {
      throw ModelEncodingError.wrapping(error, at: FieldPath([.key(key)]))
    }
  }

  func identifier(of model: ModelObject) throws -> JSONValue? {
    try (model.identifierField as? FieldBase)?.exported(by: self)
  }
}
