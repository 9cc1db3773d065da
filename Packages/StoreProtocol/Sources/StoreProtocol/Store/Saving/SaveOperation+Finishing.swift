@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) public import ModelCore

extension SaveOperation {
  /// Marks the values as written. Registers the model in the store's scope, marks the written fields as clean unless
  /// they were edited since, and runs the hook.
  ///
  /// - Parameter answer: the record as the store wrote it, if the store may have changed it. Fields that were edited
  ///   since keep their values.
  /// - Throws: `ModelDecodingError` if the answer can't be read into the model, which is then unchanged.
  public func finish(answer: AttributeDictionary? = nil) throws {
    try finish(answer: answer, in: nil)
  }

  /// As ``finish(answer:)``; inside a transaction, the hook waits for its end.
  package func finish(answer: AttributeDictionary? = nil, in transaction: StoreTransactionLog?) throws {
    if let transaction {
      begin(in: transaction)
      try complete(answer: answer)
      let isSkipped = ModelHook.areSkipped
      return transaction.atEnd { [model, scope, hook] in
        // A read that began before the commit has the record from before it.
        scope.pendingReads.noteUpdate(of: model)
        hook.run(on: model, unless: isSkipped)
      }
    }
    try complete(answer: answer)
    scope.noteCommit(of: model, writing: fields.fields(of: model), asOf: stamp, isCreation: kind == .create)
    hook.run(on: model, unless: ModelHook.areSkipped)
  }

  /// Sets the identifier, and marks the model as stored. A transaction that fails takes that back.
  func begin(in transaction: StoreTransactionLog) {
    let state = model.storeState
    let (isMember, isNew) = (model.scope === scope, isIdentifierNew)
    if isNew { scope.process { assignIdentifier() } }
    model.markStored()
    if kind == .create {
      scope.addCreated(model)
      scope.noteUncommittedCreation(of: model)
    } else {
      scope.add(model)
    }
    transaction.onFailure { [model, scope] in
      // Otherwise another task has deleted it meanwhile.
      guard model.isKnownToStore else { return }
      if !isMember { scope.remove(model) }
      if isNew { model.identifierField?.unload() }
      model.restore(state)
    }
  }

  func assignIdentifier() {
    guard let identifier, let field = model.identifierField else { return }
    let wasDirty = field.isDirty
    _ = model.assignIdentifier(identifier)
    if !wasDirty { field.markSaved(asOf: .next()) }
  }

  func complete(answer: AttributeDictionary?) throws {
    let isMember = model.scope === scope
    // A deletion that came after the values were captured: the model stays new.
    let wasDeleted = model.isDeletedFromStore && model.deletionCount != earlierDeletions
    let deletion = kind == .update && wasDeleted ? model.storeState : nil
    // Unless a server chose the identifier: it may answer with a record that was there before.
    let isCreated = kind == .create && (answer == nil || !isIdentifierNew)
    if isCreated, !isIdentifierNew { scope.addCreated(model) }
    let readAnswer: (() -> Void)?
    do {
      readAnswer = try answer.map { try scope.staged($0, into: model, saved: (fields.fields(of: model), stamp)) }
    } catch {
      if !isMember { scope.remove(model) }
      throw error
    }
    if isIdentifierNew, model.storedIdentifier.map({ ExactText($0) }) != identifier.map({ ExactText($0) }) {
      scope.process { assignIdentifier() }
    }
    model.markSaved(writtenFields, asOf: stamp)
    if isWhole { model.markUnknownValuesSaved(asOf: stamp) }
    if isWhole || model.dirtyFields.isEmpty {
      // An update of chosen fields saves no relation that is not among them, so that a revert still cuts its links.
      model.markWhollySaved(asOf: stamp, includingLinks: isWhole)
    }
    let unwritten = kind == .create && !isWhole ? unwrittenFields : []
    if let readAnswer {
      if scope.isRecorded {
        scope.process(answerFor: fields.fields(of: model), readAnswer)
      } else {
        readAnswer()
      }
    }
    if kind == .create { model.markLoaded() }
    model.markUnsaved(unwritten, unlessSetSince: stamp)
    if let deletion {
      model.restore(deletion)
    } else if isCreated {
      scope.addCreated(model)
    } else {
      scope.add(model)
    }
    scope.pendingReads.noteUpdate(of: model)
  }

  /// The fields with a value that a creation with chosen fields left out.
  var unwrittenFields: [AnyField] {
    let written = Set(fields.fields(of: model).map { ObjectIdentifier($0) })
    return model.storableFields.filter { !written.contains(ObjectIdentifier($0)) && $0 !== model.identifierField }
  }

  /// The fields that were written in full. A link of the model to itself is not, if the store's answer has the
  /// identifier: its field stays dirty.
  var writtenFields: StoredFields {
    guard identifier == nil, model.mayBeInCycle else { return fields }
    let incomplete = Set(model.fieldsReferencingItself.map { ObjectIdentifier($0) })
    if incomplete.isEmpty { return fields }
    return .list(fields.fields(of: model).filter { !incomplete.contains(ObjectIdentifier($0)) })
  }

  var hook: ModelHook { kind == .create ? .afterCreate : .afterUpdate }
}
