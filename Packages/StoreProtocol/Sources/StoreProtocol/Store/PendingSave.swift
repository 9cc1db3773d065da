import Foundation
@_spi(ModelKitInternals) public import ModelCore

/// A save between its two halves: what to write is known, and nothing is written yet.
///
/// A store begins a save, which runs `beforeSave`, checks the rules and takes down the values; hands ``record`` or
/// ``changes`` to whatever keeps them; and finishes the save. Edits that are made in between stay dirty and win over the
/// store's answer. Without a call of `finish` nothing of the model was changed.
///
/// ```swift
/// var save = try PendingSave(creating: model, in: scope)
/// if save.identifier == nil { try save.assign(identifier: UUID().uuidString) }
/// try await engine.insert(save.record)
/// try save.finish()
/// ```
public struct PendingSave<M: Model> {
  /// The model being saved.
  public let model: M
  /// The identifier it has, or gets with this save.
  public private(set) var identifier: String?
  /// What is to be written, as one object.
  public private(set) var record: AttributeDictionary = [:]

  private enum Kind { case create, update }

  private let kind: Kind
  private let scope: ModelScope
  private let fields: [any FieldProtocol]
  private let stamp: ChangeStamp
  /// What is to be written, value by value.
  @_spi(ModelKitInternals) public private(set) var changes: [StoredValue]
  private let assignedContext: ValueTransformerContext
  private var isIdentifierNew = false

  /// Begins to create a model.
  ///
  /// - Parameters:
  ///   - model: the model to create.
  ///   - scope: the scope of the store.
  ///   - explicitNull: whether fields that are nil are written as `null`, so that they can be told from fields never
  ///     set. Nil: as the scope says.
  /// - Throws: ``ModelStoreError`` with the code `invalid`.
  public init(creating model: M, in scope: ModelScope, explicitNull: Bool? = nil) throws {
    try self.init(.create, model, fields: nil, scope, explicitNull: explicitNull)
    let stored = type(of: model).storedClass(for: record)
    guard stored == type(of: model) else {
      throw ModelStoreError(
        .invalid,
        """
        A \(type(of: model)) can't be kept as \(model.storedTypeName): it would be read back as \(stored). Let \
        instanceClass(for:) of the topmost class return \(type(of: model)) for it, or override typeName.
        """, identifier: identifier)
    }
  }

  /// Begins to update a model.
  ///
  /// - Parameters:
  ///   - model: the model to update.
  ///   - fields: the fields to write; nil for those that changed since the model was last read or saved.
  ///   - scope: the scope of the store.
  /// - Throws: ``ModelStoreError`` with the code `invalid` or `noIdentifier`.
  public init(updating model: M, fields: [any FieldProtocol]?, in scope: ModelScope) throws {
    guard model.storedIdentifier != nil else { throw ModelStoreError.noIdentifier(model.storedTypeName) }
    try self.init(.update, model, fields: fields, scope, explicitNull: true)
  }

  private init(
    _ kind: Kind, _ model: M, fields: [any FieldProtocol]?, _ scope: ModelScope, explicitNull: Bool?
  ) throws {
    scope.transformers.prepare(model)
    model.beforeSave()
    let errors = model.validateForSaving()
    guard errors.isEmpty else {
      throw ModelStoreError.invalid(model.storedTypeName, identifier: model.storedIdentifier, errors)
    }
    self.kind = kind
    self.model = model
    self.scope = scope
    identifier = model.storedIdentifier
    self.fields = fields ?? (kind == .create ? model.storableFields : model.dirtyFields)
    stamp = .next()
    var context = scope.transformers
    if let explicitNull { context.explicitNull = explicitNull }
    assignedContext = context
    do {
      changes = try model.storedValues(of: self.fields, in: context)
    } catch {
      throw ModelStoreError(
        .invalid, "This \(model.storedTypeName) was not written: \(error)", identifier: identifier, cause: error)
    }
    record = merged(into: [:])
  }

  /// What stores call the type of the model.
  public var typeName: String { model.storedTypeName }

  /// Gives a model its first identifier. It is written with the record, and the model has it once the save is finished.
  ///
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier` if the model has no field that can hold it.
  public mutating func assign(identifier: String) throws {
    guard let value = model.storedValue(ofIdentifier: identifier, in: assignedContext) else {
      throw ModelStoreError(
        .noIdentifier,
        """
        This \(typeName) was not written: it has no field that can hold the identifier "\(identifier)". Override \
        identifierField with a field of integers or strings.
        """)
    }
    self.identifier = identifier
    isIdentifierNew = true
    changes.append(value)
    value.write(to: &record)
  }

  /// The record that results when the written fields replace those of an older one.
  public func merged(into older: AttributeDictionary) -> AttributeDictionary {
    var record = older
    for change in changes { change.write(to: &record) }
    return record
  }

  /// Says that the values were written: the model is part of the store's scope, its written fields are not dirty unless
  /// they were edited meanwhile, and its hook runs.
  ///
  /// - Parameter answer: what the store made of the record, if it may have changed it. Fields edited meanwhile keep their
  ///   values.
  /// - Throws: `ModelDecodingError` if the answer does not fit the model, which is then as it was before.
  public func finish(answer: AttributeDictionary? = nil) throws {
    try finish(answer: answer, in: nil)
  }

  /// As ``finish(answer:)``; inside a transaction what can't be undone waits for its end.
  @_spi(ModelKitInternals)
  public func finish(answer: AttributeDictionary? = nil, in transaction: StoreTransactionLog?) throws {
    if let transaction {
      begin(in: transaction)
      return transaction.atEnd { try complete(answer: answer) }
    }
    try complete(answer: answer)
  }

  /// What others in the same transaction need: the identifier, and that the model is stored.
  private func begin(in transaction: StoreTransactionLog) {
    let state = model.storeState
    let (isMember, isNew) = (model.scope === scope, isIdentifierNew)
    if isNew { assignIdentifier() }
    model.markStored()
    scope.add(model)
    transaction.onFailure { [model, scope] in
      if !isMember { scope.remove(model) }
      if isNew { (model.identifierField as? FieldBase)?.unload() }
      model.restore(state)
    }
  }

  private func assignIdentifier() {
    guard let identifier, let field = model.identifierField else { return }
    let wasDirty = field.isDirty
    _ = model.assignIdentifier(identifier)
    if !wasDirty { (field as? FieldBase)?.markSaved(asOf: .next()) }
  }

  private func complete(answer: AttributeDictionary?) throws {
    let readAnswer = try answer.map { try scope.staged($0, into: model) }
    if isIdentifierNew, model.storedIdentifier != identifier { assignIdentifier() }
    model.markSaved(fields, asOf: stamp)
    readAnswer?()
    scope.add(model)
    switch kind {
    case .create: model.afterCreate()
    case .update: model.afterUpdate()
    }
  }
}

extension ModelStore {
  /// Ends a deletion: the model leaves the scope, can be created again, and its hook runs. For those who write stores.
  public func finishDeleting<M: Model>(_ model: M) { finishDeleting(model, in: nil) }

  /// As ``finishDeleting(_:)``; inside a transaction what can't be undone waits for its end.
  @_spi(ModelKitInternals)
  public func finishDeleting<M: Model>(_ model: M, in transaction: StoreTransactionLog?) {
    if let transaction {
      let state = model.storeState
      model.markDeleted()
      transaction.onFailure { model.restore(state) }
      return transaction.atEnd { [self] in
        // It may have been created again since.
        let isStored = model.isKnownToStore
        scope.remove(model)
        if isStored { scope.add(model) }
        model.afterDelete()
      }
    }
    scope.remove(model)
    model.markDeleted()
    model.afterDelete()
  }

  /// Makes models from stored records: live objects where there are, updated but for their local changes, which only
  /// ``refresh(_:)`` overwrites. For those who write stores.
  ///
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if a record does not fit the model; nothing is changed then.
  public func models<M: Model>(_ type: M.Type, from records: [AttributeDictionary]) throws -> [M] {
    do {
      return try scope.models(type, from: records, keepsLocalChanges: !Refreshing.isUnderWay)
    } catch {
      throw ModelStoreError(.corrupt, "A stored \(M.typeName) can't be read: \(error)", cause: error)
    }
  }

  /// Makes models from the bytes of stored records, as ``models(_:from:)`` does, without trees on the way.
  @_spi(ModelKitInternals)
  public func models<M: Model>(_ type: M.Type, fromBytes records: [[UInt8]]) throws -> [M] {
    var document = Data(capacity: records.reduce(2) { $0 + $1.count + 1 })
    document.append(UInt8(ascii: "["))
    for (index, record) in records.enumerated() {
      if index > 0 { document.append(UInt8(ascii: ",")) }
      document.append(contentsOf: record)
    }
    document.append(UInt8(ascii: "]"))
    do {
      return try scope.models(type, fromJSON: document, keepsLocalChanges: !Refreshing.isUnderWay)
    } catch {
      throw ModelStoreError(.corrupt, "A stored \(M.typeName) can't be read: \(error)", cause: error)
    }
  }
}
