@_spi(ModelKitInternals) import ModelCore

/// The values of a model that a save captures at its beginning, after `beforeSave` has run and all rules were checked.
///
/// It is not generic over the class: generic code would cost more than the work done here.
package struct SaveSnapshot {
  /// The identifier of the model.
  let identifier: String?
  let fields: StoredFields
  let stamp: ChangeStamp

  /// The record; nil if the fast path does not support it.
  let bytes: [UInt8]?

  /// Whether ``bytes`` contain all changes.
  let isComplete: Bool
  /// The save, as long as a history has to know of it.
  private(set) var save: RecordedSave?

  /// - Parameter fields: the fields to write; nil for those that are to be written when the model is created or
  ///   updated.
  /// - Throws: ``ModelStoreError`` with the code `invalid`.
  init(
    _ model: ModelObject, fields: [AnyField]?, isNew: Bool, in scope: ModelScope, _ writer: RecordWriter
  ) throws {
    let (save, start) = try Self.prepare(model, in: scope)
    if !isNew { model.completeListsInNoRecord() }
    let ofCreation = isNew ? try CreationFields.fields(of: model, hookedSince: start) : nil
    self.init(
      model, identifier: model.storedIdentifier,
      ofCreation.map(StoredFields.list) ?? fields.map { chosen in
        // The changes of the hook are part of the write.
        let known = Set(chosen.map { ObjectIdentifier($0) })
        let added = model.fieldsToSave(since: start).filter { !known.contains(ObjectIdentifier($0)) }
        return .list(Self.fieldsToWrite(chosen + added, of: model, in: scope))
      }
        ?? (isNew ? model.allStoredFields : .list(scope.fieldsToSave(of: model))),
      asOf: .next(),
      writer
    )
    self.save = save
  }

  /// Runs the hook of a model and checks its rules.
  ///
  /// - Returns: the save that began, and the time before the hook ran.
  /// - Throws: ``ModelStoreError`` with the code `invalid`.
  static func prepare(
    _ model: ModelObject, in scope: ModelScope
  ) throws -> (save: RecordedSave?, start: ChangeStamp) {
    try ModelStoreError.rejectDraft(model)
    if let conflict = scope.claimTypeName(of: type(of: model)) {
      throw ModelStoreError(.invalid, conflict, identifier: model.storedIdentifier)
    }
    scope.transformers.prepare(model)
    try ModelStoreError.rejectDeletedElsewhere(model, in: scope)
    try ModelStoreError.rejectCreatedElsewhere(model, in: scope)
    if model.isNew { try rejectEditedElsewhere(model, in: scope) }
    let start = model.runBeforeSave()
    let save = model.noteSaveBegins()
    let errors = model.validateForSaving()
    guard errors.isEmpty else {
      throw ModelStoreError.invalid(model.storedTypeName, identifier: model.storedIdentifier, errors)
    }
    return (save, start)
  }

  /// Rejects the creation of a model that an open transaction of another task edited.
  static func rejectEditedElsewhere(_ model: ModelObject, in scope: ModelScope) throws {
    guard let field = scope.fieldsEditedElsewhere(of: model).first else { return }
    throw ModelStoreError(
      .invalid,
      """
      This \(model.storedTypeName.nameForMessage) was not created: an open transaction of another task edited \
      \((field.name ?? field.key ?? "").quotedForMessage). Save it again when that has ended.
      """, identifier: model.storedIdentifier)
  }

  /// Returns chosen fields without those that an open transaction of another task edited, and those without a value,
  /// which were neither read nor set.
  private static func fieldsToWrite(
    _ fields: [AnyField], of model: ModelObject, in scope: ModelScope
  ) -> [AnyField] {
    let edited = scope.fieldsEditedElsewhere(of: model)
    return fields.filter { field in
      (field.isDirty || field.loadState != .notLoaded) && !edited.contains { $0 === field }
    }
  }

  /// Captures chosen fields as they are now.
  init(
    _ model: ModelObject, identifier: String?, _ fields: StoredFields, asOf stamp: ChangeStamp, _ writer: RecordWriter
  ) {
    self.identifier = identifier
    self.fields = fields
    self.stamp = stamp
    bytes = writer.bytes(of: fields, of: model)
    isComplete = bytes != nil && (identifier != nil || !writer.hasOmissions)
  }

  /// Creates a snapshot from values that were captured before.
  init(identifier: String, fields: StoredFields, stamp: ChangeStamp, bytes: [UInt8]) {
    self.identifier = identifier
    self.fields = fields
    self.stamp = stamp
    self.bytes = bytes
    isComplete = true
  }
}
