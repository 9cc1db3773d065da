@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) public import ModelCore

/// The placeholder of an identifier that is not assigned yet: a unique text.
private let identifierMark = JSONValue.string("identifier \(UUID().uuidString)")

/// A save in two steps: it captures the values of a model, and finishes after a store has written them.
///
/// A store begins a save, which runs `beforeSave`, checks the rules and captures the values. The store then writes
/// ``record`` or its bytes, and finishes the save. Edits made in between stay dirty and take precedence over the
/// store's response. Without a call of `finish` the model is unchanged.
///
/// ```swift
/// var save = try await SaveOperation(creating: model, in: scope)
/// if save.identifier == nil { try save.assign(identifier: UUID().uuidString) }
/// try await engine.insert(save.record)
/// try save.finish()
/// ```
public struct SaveOperation<M: Model> {
  /// The model being saved.
  public let model: M
  /// The identifier of the model, or the one that this save assigns.
  public private(set) var identifier: String?

  enum Kind { case create, update }

  /// The values to write.
  enum Content {
    /// One object. Its keys are those of fields, without dots.
    case bytes([UInt8])
    /// Single values, for records that the fast path does not support.
    case values([StoredValue])
  }

  let kind: Kind
  let scope: ModelScope
  let fields: StoredFields
  let stamp: ChangeStamp
  /// Whether the save writes all changes of the model.
  let isWhole: Bool
  /// The number of deletions of the model before the values were captured, by any store of the scope.
  let earlierDeletions: Int
  var content: Content
  /// The values with a placeholder for the identifier, if the record references the model itself.
  var marked: [StoredValue]?
  let explicitNull: Bool?
  let recordedSave: RecordedSave?
  private(set) var isIdentifierNew = false

  /// Begins to create a model. Waits for the asynchronous rules of its fields.
  ///
  /// - Parameters:
  ///   - model: the model to create.
  ///   - scope: the scope of the store.
  ///   - explicitNull: whether fields that are nil are written as `null`, to distinguish them from unset fields; nil
  ///     for the setting of the scope.
  /// - Throws: ``ModelStoreError`` with the code `invalid`.
  public init(creating model: M, in scope: ModelScope, explicitNull: Bool? = nil) async throws {
    try await Self.finishChecks(of: model)
    // A reader of a record without the field would have its initial value.
    let explicitNull = explicitNull ?? (model.lacksInitialValue ? true : nil)
    let begun = try SaveSnapshot(
      model, fields: nil, isNew: true, in: scope, scope.recordWriter(explicitNull: explicitNull))
    try self.init(creating: model, begun, in: scope, explicitNull: explicitNull)
  }

  /// Continues the creation of a model.
  init(creating model: M, _ begun: SaveSnapshot, in scope: ModelScope, explicitNull: Bool?) throws {
    try self.init(
      .create, model, begun, scope, explicitNull: explicitNull, isWhole: !CreationFields.areChosen(for: model))
    let modelClass = type(of: model)
    if modelClass.isTopOfHierarchy, !modelClass.hierarchyChoosesClasses { return }
    let stored = modelClass.storedClass(for: record)
    guard stored == modelClass else {
      throw ModelStoreError(
        .invalid,
        """
        \(type(of: model).displayName) can't be stored as \(model.storedTypeName): it would be read back as \
        \(stored.displayName). Let instanceClass(for:) of the topmost class return \(type(of: model).displayName) for it, or override typeName.
        """, identifier: identifier)
    }
  }

  /// Begins to update a model. Waits for the asynchronous rules of its fields.
  ///
  /// - Parameters:
  ///   - model: the model to update.
  ///   - fields: the fields to write; nil for those that changed since the model was last read or saved.
  ///   - scope: the scope of the store.
  /// - Throws: ``ModelStoreError`` with the code `invalid` or `noIdentifier`.
  public init(updating model: M, fields: [AnyField]?, in scope: ModelScope) async throws {
    try await Self.finishChecks(of: model)
    guard model.storedIdentifier != nil else { throw ModelStoreError.noIdentifier(of: model) }
    if let fields {
      try Self.check(fields, of: model)
      try Self.refuseParts(of: model, fields)
    }
    let begun = try SaveSnapshot(
      model, fields: fields, isNew: false, in: scope, scope.recordWriter(explicitNull: true))
    try self.init(.update, model, begun, scope, explicitNull: true, isWhole: fields == nil)
  }

  private static func finishChecks(of model: M) async throws {
    guard model.hasChecksForSaving else { return }
    await model.finishChecksForSaving()
    // The checks of a cancelled task did not end.
    if Task.isCancelled { throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.") }
  }

  /// Rejects fields that the record of the model does not contain.
  static func check(_ fields: [AnyField], of model: M) throws {
    try refuseForeignFields(among: fields, of: model)
    if let field = model.relationStoredByInverse(among: fields) {
      throw ModelStoreError(
        .invalid,
        """
        This \(model.storedTypeName.nameForMessage) was not written: the related models store its relation \
        \((field.name ?? field.key ?? "").quotedForMessage). Save them instead.
        """, identifier: model.storedIdentifier)
    }
  }

  /// Rejects fields of another model, which the record of this one does not contain.
  private static func refuseForeignFields(among fields: [AnyField], of model: M) throws {
    guard let field = model.foreignField(among: fields) else { return }
    let name = model.storedTypeName.nameForMessage
    let advice =
      if let relation = (field.owner as? ModelObject).flatMap(model.relation(embedding:)) {
        """
        belongs to a model that it embeds. Update the field \((relation.name ?? relation.key ?? "").quotedForMessage), \
        which contains that model.
        """
      } else {
        "is of another model. Update that one."
      }
    throw ModelStoreError(
      .invalid,
      "This \(name) was not written: the field \((field.name ?? field.key ?? "").quotedForMessage) \(advice)",
      identifier: model.storedIdentifier)
  }

  /// Rejects an update of a partially loaded list: it would overwrite members that were never loaded.
  private static func refuseParts(of model: M, _ fields: [AnyField]) throws {
    for case let list as any RelationField in fields
    where model.isUnloadedReference && list.isToMany && list.loadState == .incomplete || model.hasLostMembers(in: list)
    {
      let name = list.name ?? list.key ?? ""
      throw ModelStoreError(
        .invalid,
        """
        This \(model.storedTypeName.nameForMessage) was not written: only a part of its list \(name.quotedForMessage) is \
        loaded. Look the model up, which keeps the added and removed members, or use save.
        """, identifier: model.storedIdentifier)
    }
  }

  private init(
    _ kind: Kind, _ model: M, _ begun: SaveSnapshot, _ scope: ModelScope, explicitNull: Bool?,
    isWhole: Bool
  ) throws {
    self.kind = kind
    self.isWhole = isWhole
    self.model = model
    earlierDeletions = model.deletionCount
    self.scope = scope
    identifier = begun.identifier
    fields = begun.fields
    self.explicitNull = explicitNull
    stamp = begun.stamp
    recordedSave = begun.save
    content = .values([])
    try captureSnapshot(begun)
  }

  /// Stores the captured values.
  private mutating func captureSnapshot(_ begun: SaveSnapshot) throws {
    marked = nil
    if begun.isComplete, let bytes = begun.bytes {
      content = .bytes(bytes)
      return
    }
    do {
      let context = Self.context(scope, explicitNull)
      let list = fields.fields(of: model)
      content = try begun.bytes.map(Content.bytes) ?? .values(try model.storedValues(of: list, in: context))
      if kind == .update, isWhole, case .values(let values) = content {
        content = .values(values + model.storedUnknownValues(in: context, isUnsaved: true))
      }
      if identifier == nil, model.mayBeInCycle {
        marked = try model.storedValues(of: list, in: context, identifiedBy: identifierMark)
      }
    } catch {
      throw ModelStoreError(
        .invalid,
        "This \(model.storedTypeName.nameForMessage) was not written: \("\(error)".shortenedForMessage(atMost: 700))",
        identifier: identifier,
        cause: error)
    }
  }

  private static func context(_ scope: ModelScope, _ explicitNull: Bool?) -> ValueTransformerContext {
    var context = scope.transformers
    if let explicitNull { context.explicitNull = explicitNull }
    return context
  }

  /// The format in which an update writes records.
  var updateContext: ValueTransformerContext { Self.context(scope, true) }

  /// The type name of the model.
  public var typeName: String { model.storedTypeName }

  /// Assigns the first identifier of a model. It is written with the record, and set on the model when the save
  /// finishes.
  ///
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier` if the model has no field that can hold it.
  public mutating func assign(identifier: String) throws {
    guard let value = model.storedValue(ofIdentifier: identifier, in: Self.context(scope, explicitNull)) else {
      throw ModelStoreError(
        .noIdentifier,
        """
        This \(typeName.nameForMessage) was not written: it has no field that can hold the identifier \
        \(identifier.quotedForMessage). Override identifierField with a field of integers or strings.
        """)
    }
    self.identifier = identifier
    isIdentifierNew = true
    if let marked {
      content = .values(marked.map { $0.replacing(identifierMark, by: value.value) })
      self.marked = nil
    }
    add(value)
  }

  /// Resolves references between new models that are written together. Sets their identifiers, and captures their
  /// values again. Does nothing if no model can reference another one.
  ///
  /// - Parameters:
  ///   - saves: the saves that are written together. Each has an identifier.
  ///   - log: the log that removes the identifiers if nothing is written.
  ///   - check: throws for a save that is rejected, such as one whose identifier is taken, before any model is changed.
  /// - Throws: the errors of the check; ``ModelStoreError`` with the code `invalid` for a value that can't be written.
  package static func join(
    _ saves: inout [SaveOperation], in log: StoreTransactionLog, check: (SaveOperation) throws -> Void
  ) throws {
    // By index, because a copy of each save would cost more than the check.
    guard saves.count > 1, saves.indices.contains(where: { saves[$0].mayBeReferenced }) else { return }
    for save in saves {
      try check(save)
      try SaveSnapshot.rejectEditedElsewhere(save.model, in: save.scope)
    }
    for save in saves { save.begin(in: log) }
    for index in saves.indices {
      let save = saves[index]
      do {
        try saves[index].captureSnapshot(
          SaveSnapshot(
            save.model, identifier: save.identifier, save.fields, asOf: save.stamp,
            save.scope.recordWriter(explicitNull: save.explicitNull)))
        if saves[index].isIdentifierNew, let identifier = saves[index].identifier {
          try saves[index].assign(identifier: identifier)
        }
      } catch let error as ModelStoreError {
        throw error.naming(save.model, at: index, of: saves.count)
      }
    }
  }

  /// Whether models that are written together with this one may reference it before it has an identifier.
  var mayBeReferenced: Bool { isIdentifierNew && model.mayBeInCycle }

  private mutating func add(_ value: StoredValue) {
    if case .bytes(let bytes) = content, value.path.count == 1,
      let member = try? JSONValue.object([value.path[0]: value.value]).jsonData(JSONWritingOptions(sortedKeys: true)),
      let merged = RecordBytes.merging(Array(member), into: bytes)
    {
      content = .bytes(merged)
    } else {
      content = .values(changes + [value])
    }
  }
}
