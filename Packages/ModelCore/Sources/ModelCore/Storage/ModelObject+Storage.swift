@_spi(ModelKitInternals) public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One value of a model on its way into a store.
@_spi(ModelKitInternals)
public struct StoredValue: Sendable {
  /// The keys that lead to the value; more than one for a field whose key has dots.
  public let path: [String]
  /// The value; `null` for a field that is nil.
  public let value: JSONValue

  /// A value for a record.
  public init(path: [String], value: JSONValue) {
    self.path = path
    self.value = value
  }

  /// The value with another one in place of a mark, wherever that is.
  public func replacing(_ mark: JSONValue, by other: JSONValue) -> StoredValue {
    StoredValue(path: path, value: value.replacing(mark, by: other))
  }

  /// Writes the value into a record. Objects on the way keep what else they have.
  public func write(to record: inout AttributeDictionary) {
    Self.write(value, at: path[...], to: &record)
  }

  private static func write(_ value: JSONValue, at path: ArraySlice<String>, to record: inout AttributeDictionary) {
    guard let key = path.first else { return }
    guard path.count > 1 else {
      record[key] = value
      return
    }
    var inner: AttributeDictionary = [:]
    if case .object(let existing)? = record[key] { inner = existing }
    write(value, at: path.dropFirst(), to: &inner)
    record[key] = .object(inner)
  }
}

extension JSONValue {
  fileprivate func replacing(_ mark: JSONValue, by other: JSONValue) -> JSONValue {
    switch self {
    case .array(let elements): .array(elements.map { $0.replacing(mark, by: other) })
    case .object(let members): .object(members.mapValues { $0.replacing(mark, by: other) })
    default: self == mark ? other : self
    }
  }
}

/// What stores need of a model whose type they don't know.
@_spi(ModelKitInternals)
extension ModelObject {
  /// The identifier as text.
  public var storedIdentifier: String? { modelIdentifier }

  /// The identifier that was last read or saved, if it was changed since then and is still known.
  public var formerIdentifier: String? {
    guard let field = identifierField, field.isDirty else { return nil }
    // A copy knows what its original was read with, and nobody observes it.
    let copy: AnyField = field.copy()
    return copy.restore() ? Self.identifier(in: copy) : nil
  }

  /// Sets the identifier from text.
  ///
  /// - Returns: `false` if there is no identifier field, or it can't hold this text.
  public func assignIdentifier(_ identifier: String) -> Bool { setIdentifier(identifier) }

  /// The identifier as a store would write it, were it this text; nil if the field can't hold it.
  public func storedValue(ofIdentifier identifier: String, in context: ValueTransformerContext) -> StoredValue? {
    guard let field = identifierField, let key = field.key else { return nil }
    let sample = Self()
    guard sample.setIdentifier(identifier), let sampleField = sample.identifierField,
      let json = try? sampleField.exported(by: FieldWriter(context: context))
    else { return nil }
    var keys: [String: String] = [:]
    return StoredValue(path: context.key(key, &keys).split(separator: ".").map(String.init), value: json)
  }

  /// Whether a store has the model: it was created in one, or read from one. Reading it from JSON says nothing of that.
  public var isKnownToStore: Bool { isStored }

  /// How much of the model is known.
  public var loadStateOfModel: LoadState { modelLoadState }

  /// Marks the model as deleted. It can be created again.
  ///
  /// - Parameter scope: the scope of the store, whose models may refer to it.
  public func markDeleted(in scope: ModelScope) {
    markNew()
    isDeleted = true
    scope.map.hasDeletions = true
  }

  /// Marks the model as one that no store has.
  public func markNew() {
    origin = .new
    isStored = false
    details?.documentLoad = nil
  }

  /// The chosen fields as a store writes them, each with its path.
  ///
  /// - Throws: ``ModelEncodingError`` for a value that can't be written.
  public func storedValues(
    of fields: [AnyField], in context: ValueTransformerContext
  ) throws -> [StoredValue] {
    try ModelWriter(context: context).values(of: self, fields: fields)
  }

  /// Whether there are relations by which one may come back to the model.
  public var mayLeadToItself: Bool { !layout.relationIndices.isEmpty || hasDynamicFields }

  /// As ``storedValues(of:in:)``, for a model that gets its first identifier with the save.
  ///
  /// - Returns: the values, with the mark wherever something leads back to the model, to be replaced by the identifier.
  /// - Throws: ``ModelEncodingError`` for a value that can't be written.
  public func storedValues(
    of fields: [AnyField], in context: ValueTransformerContext, identifiedBy mark: JSONValue
  ) throws -> [StoredValue] {
    let writer = ModelWriter(context: context)
    writer.newcomer = (self, mark)
    return try writer.values(of: self, fields: fields)
  }

  /// The fields that were set or read.
  public var storableFields: [AnyField] {
    fieldsForDictionaryValue().filter { field in
      switch field.loadState {
      case .loaded: true
      case .incomplete: origin == .new
      default: false
      }
    }
  }

  /// The fields that changed since the model was last read or saved.
  public var dirtyFields: [AnyField] {
    for index in layout.relationIndices {
      guard let field = layout.field(at: index, of: self), field.isDirty else { continue }
      (field as? any Relation)?.noticeGoneMembers()
    }
    guard case .all(let mask) = allStoredFields else { return storableFields.filter(\.isDirty) }
    var fields: [AnyField] = []
    var relationCount = 0
    for index in layout.slots.indices where mask & 1 &<< UInt64(index) != 0 {
      guard let field = layout.field(at: index, of: self), field.isDirty else { continue }
      if field.isRelation { relationCount += 1 }
      fields.append(field)
    }
    // What is met first is written in full, so the order of several relations matters.
    return relationCount < 2 ? fields : storableFields.filter(\.isDirty)
  }

  /// Checks all rules, as a store does before it writes.
  @discardableResult
  public func validateForSaving() -> [ModelValidationError] {
    // Nothing is described of a model of which nothing is wrong.
    guard details == nil, linksToDeletedModels.isEmpty else {
      validateFields()
      return fieldErrors
    }
    forEachField { field, _ in _ = field.passesRules() }
    validateModel()
    var isValid = details == nil
    forEachField { field, _ in isValid = isValid && !field.isKnownInvalid }
    return isValid ? [] : fieldErrors
  }

  /// Says that the chosen fields are now in the store as they were at a moment. Later changes stay dirty.
  public func markSaved(_ fields: [AnyField], asOf stamp: ChangeStamp) {
    origin = .read
    isStored = true
    isDeleted = false
    storeMark = nil
    for field in fields {
      field.markSaved(asOf: stamp)
      if field.isRelation { (field as? any Relation)?.settleWritten() }
    }
    settleDocumentLoad(fields, asOf: stamp)
    settle(fields)
  }

  /// Lets the scope see what is saved.
  func settle(_ fields: [AnyField]) {
    guard let identityMap else { return }
    identityMap.settle(self)
    if !fields.isEmpty { releaseEmbedded(in: fields, from: identityMap) }
  }

  /// What is written inside another model is saved with it. Where that one retains it, the scope need not.
  private func releaseEmbedded(in fields: [AnyField], from map: IdentityMap) {
    var seen: Set<ModelObject> = [self]
    var pending: [AnyField] = fields
    while let field = pending.popLast() {
      guard let relation = field as? any Relation, !relation.isForeignKey else { continue }
      for model in relation.retainedModels where !model.isStored && seen.insert(model).inserted {
        map.release(model)
        pending += model.fieldsForDictionaryValue()
      }
    }
  }

  /// What stores call the type of this model.
  public var storedTypeName: String { layout.typeName }

  /// The class that a record of this hierarchy is read as.
  public static func storedClass(for record: AttributeDictionary) -> ModelObject.Type {
    let root = ModelLayout.rootClass(of: self)
    guard let chosen = root.instanceClass(for: record), isSubclass(chosen, of: root) else { return root }
    return chosen
  }

  /// Whether a record of this hierarchy is read as this class or one derived from it.
  public static func includes(_ record: AttributeDictionary) -> Bool { isSubclass(storedClass(for: record), of: self) }

  private static func isSubclass(_ candidate: ModelObject.Type, of other: ModelObject.Type) -> Bool {
    var current: AnyClass? = candidate
    while let known = current {
      if known == other { return true }
      current = _getSuperclass(known)
    }
    return false
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// Reads records into canonical instances, all or none.
  ///
  /// - Parameter keepsLocalChanges: whether fields that were changed since they were last read or saved keep their
  ///   values.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func models<M: Model>(
    _ type: M.Type, from records: [AttributeDictionary], keepsLocalChanges: Bool
  ) throws -> [M] {
    let reader = ModelReader(scope: self, keepsLocalChanges: keepsLocalChanges, isFromStore: true)
    return whole(reader.apply(try records.map { try reader.stage($0, as: type) }))
  }

  /// Reads the records of a document that is a list into canonical instances, all or none.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: where in the document the list lies; the whole document by default.
  ///   - keepsLocalChanges: whether fields that were changed since they were last read or saved keep their values.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON, ``ModelDecodingError`` for the first value that does not fit;
  ///   nothing is changed then.
  public func models<M: Model>(
    _ type: M.Type, fromJSON data: Data, at path: String = "", keepsLocalChanges: Bool
  ) throws -> [M] {
    func reader() -> ModelReader {
      ModelReader(scope: self, keepsLocalChanges: keepsLocalChanges, isFromStore: true)
    }
    return whole(
      try ModelReader.directList(type, from: data, at: path, reader())
        ?? ModelReader.list(type, from: data, at: path, reader()))
  }

  /// Reads the record of a model straight from a document into its canonical instance.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: where in the document the record lies; the whole document by default.
  ///   - identifier: which model the record must be about.
  ///   - keepsLocalChanges: whether fields that were changed since they were last read or saved keep their values.
  /// - Returns: nil, with nothing changed, if it takes a closer look: at a record that has no identifier or another one, at
  ///   what does not fit, or at what only a tree can tell.
  public func model<M: Model>(
    _ type: M.Type, fromJSON data: Data, at path: String = "", identifier: String, keepsLocalChanges: Bool
  ) -> M? {
    let model = ModelReader.directRecord(
      type, from: data, at: path, identifier: identifier,
      ModelReader(scope: self, keepsLocalChanges: keepsLocalChanges, isFromStore: true))
    model?.markLoaded()
    return model
  }

  /// Checks a store's answer to the save of a model.
  ///
  /// - Returns: what reads the answer into the model, but for the fields that are dirty by then.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func staged<M: Model>(_ answer: AttributeDictionary, into model: M) throws -> () -> Void {
    let reader = ModelReader(scope: self, keepsLocalChanges: true, isFromStore: true)
    reader.recogniseRelatedModels(of: model)
    let staged = try reader.stage(answer, into: model)
    return { [map] in map.answer(model) { _ = reader.apply([staged]) } }
  }

  private func whole<M: Model>(_ models: [M]) -> [M] {
    for model in models { model.markLoaded() }
    return models
  }

  /// Makes a model part of this scope, and the one object for its identifier unless another live one is.
  public func add(_ model: ModelObject) { register(model) }

  /// Adds a model whose record a store has just created. A stored model with its identifier is marked as deleted: it was
  /// made of an earlier record, which was read before that was deleted.
  public func addCreated(_ model: ModelObject) { map.add(model, isCreated: true) }

  /// Makes room for models of a type that are about to be added, if there are many.
  public func reserveCapacity<M: Model>(_ count: Int, for type: M.Type) {
    if count > 64 { map.reserveCapacity(count, for: ModelTypeKey(type)) }
  }

  /// Forgets a model that was deleted.
  public func remove(_ model: ModelObject) { forget(model) }

  /// The live object for an identifier.
  public func liveModel<M: Model>(_ type: M.Type, identifier: String) -> M? {
    guard let model = map.canonicalModel(of: type, identifier: identifier) else { return nil }
    // The same class nearly always: a cast would cost as much as the lookup.
    return Swift.type(of: model) == type ? unsafeDowncast(model, to: M.self) : model as? M
  }
}
