@_spi(ModelKitInternals) public import FieldKit

/// An edit of a model with the values of a JSON object, which can be undone.
@_spi(ModelKitInternals)
public struct DocumentEdit<M: Model> {
  /// The model that was edited or created.
  public let model: M
  private let edits: FieldEdits

  init(_ model: M, _ edits: FieldEdits) {
    self.model = model
    self.edits = edits
  }

  /// The changed fields of this model and of models nested in the object.
  public var changedFields: [AnyField] {
    // Models that were created only to read an identifier are deallocated.
    edits.edits.map(\.field).filter { $0.owner != nil }
  }

  /// The models that were changed or created and are not embedded in this one, but referenced by foreign keys. A model
  /// of which the object has only the identifier is not among them.
  public var relatedModels: [ModelObject] {
    let embedded = model.embeddedModels
    var seen: Set<ModelObject> = [model]
    // The identifier is read into the field of a new model, even for a reference that has only the identifier.
    let changed = edits.edits.map(\.field).compactMap { field in
      (field.owner as? ModelObject).flatMap { $0.identifierField === field ? nil : $0 }
    }
    return (edits.newModels.compactMap { $0 as? ModelObject } + changed).filter {
      !embedded.contains($0) && ($0.identityMap != nil || !$0.isUnreferenced) && seen.insert($0).inserted
    }
  }

  /// The models to which the edit linked others by foreign keys, whether it changed them or not.
  public var linkedModels: [ModelObject] {
    changedFields.flatMap { field in
      guard let relation = field as? any Relation, relation.isForeignKey else { return [ModelObject]() }
      return relation.liveModels
    }
  }

  /// Returns the path of a related model in the object; nil if it can't be reached.
  public func path(of related: ModelObject) -> FieldPath? {
    var paths: [(model: ModelObject, path: FieldPath)] = [(model, FieldPath())]
    var seen: Set<ModelObject> = [model]
    var next = 0
    while next < paths.count {
      let (current, path) = paths[next]
      if current === related { return path }
      next += 1
      for case let relation as any Relation in current.fieldsForDictionaryValue() {
        guard let key = relation.key else { continue }
        let place = path.appending(FieldPath(key))
        for (index, member) in relation.relatedModels.enumerated() where seen.insert(member).inserted {
          paths.append((member, relation.isToMany ? place.appending(FieldPath([.index(index)])) : place))
        }
      }
    }
    return nil
  }

  /// Restores the previous values of the fields and of unknown keys, and removes created models that were not stored from
  /// the scope.
  public func undo() {
    for restore in edits.restorations.reversed() { restore() }
    for edit in edits.edits.reversed() {
      if edit.wasDirty {
        if let relation = edit.field as? any Relation {
          relation.revert(from: relation.captureState(), to: edit.oldState)
        } else {
          edit.field.reinstate(edit.oldState, exactly: false, marksClean: false)
        }
      } else if edit.field.isDirty, !edit.field.restore() {
        (edit.field as? any Relation)?.unlinkAll()
        // An unload counts as a read, which would end the record of the field in the step with the rejected value.
        edit.field.restoreUnset()
      }
    }
    for case let model as ModelObject in edits.newModels where !model.isKnownToStore {
      model.identityMap?.forEachUndo { $0.discardCreation(of: model) }
      model.identityMap?.remove(model)
    }
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// Reads an object of a document into its registered model as an edit.
  ///
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func edit<M: Model>(_ type: M.Type, from object: AttributeDictionary) throws -> DocumentEdit<M> {
    let reader = ModelReader(scope: self, .edit)
    do {
      let model = reader.apply([try reader.stage(object, as: type)])[0]
      return DocumentEdit(model, reader.edits ?? FieldEdits())
    } catch {
      throw ModelDecodingError.wrapping(error, at: FieldPath())
    }
  }

  /// Returns the identifier in an object of a document; nil if it has none, or one that does not fit.
  ///
  /// An object that its class can't convert has none. The error is found when the object is read.
  public func identifier<M: Model>(of type: M.Type, in object: AttributeDictionary) -> String? {
    try? ModelReader(scope: self).identified(type, by: object).identifier
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// Returns the fields of this model that write one of the changed fields: the field itself, or a relation that embeds
  /// the changed model.
  public func fields(writing changed: Set<ObjectIdentifier>) -> [AnyField] {
    storableFields.filter { field in
      if changed.contains(ObjectIdentifier(field)) { return true }
      guard let relation = field as? any Relation, !relation.isForeignKey else { return false }
      return embeddedModels(of: relation.relatedModels).contains { model in
        model.storableFields.contains { changed.contains(ObjectIdentifier($0)) }
      }
    }
  }

  /// The models that are embedded in this one, and itself.
  fileprivate var embeddedModels: Set<ModelObject> { embeddedModels(of: [self]) }

  /// Returns models other than this one, and those that are embedded in them.
  private func embeddedModels(of models: [ModelObject]) -> Set<ModelObject> {
    var seen = Set(models)
    var pending = models
    while let next = pending.popLast() {
      for case let relation as any Relation in next.storableFields where !relation.isForeignKey {
        for related in relation.relatedModels where related !== self && seen.insert(related).inserted {
          pending.append(related)
        }
      }
    }
    return seen
  }

  /// Whether the model was created to read an identifier, and is neither registered nor related.
  fileprivate var isUnreferenced: Bool { identityMap == nil && relations.allSatisfy(\.relatedModels.isEmpty) }
}
