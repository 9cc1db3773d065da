@_spi(ModelKitInternals) public import FieldKit

/// The version of a store's record from which a model was read last.
struct ReadVersion {
  let source: ObjectIdentifier
  let revision: UInt64
  let stamp: ChangeStamp
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// Marks the model as read from a record at a revision. Not for models with related models embedded in the record,
  /// which change by themselves.
  ///
  /// - Parameters:
  ///   - source: the object that counts the revisions.
  ///   - revision: at least the revision of the record, and of all records written before it was read.
  ///   - stamp: a stamp taken after the reading.
  public func markRead(from source: ObjectIdentifier, asOf revision: UInt64, _ stamp: ChangeStamp) {
    readVersion = ReadVersion(source: source, revision: revision, stamp: stamp)
  }

  /// Marks the record as unchanged at a later revision.
  public func markUnchanged(asOf revision: UInt64) {
    readVersion = readVersion.map { ReadVersion(source: $0.source, revision: revision, stamp: $0.stamp) }
  }

  /// Returns the revision from which the model was read, so that reading the same record again would change nothing.
  /// Nil if it is unknown, because the model was never read, was read from another source, or was saved since.
  ///
  /// Local changes don't matter, because they are kept. Reading all fields would be slow, so a value read into a single
  /// field is not detected. Relations are checked, because they change with their inverses. A related model that was
  /// deallocated has no inverse: if it is live again by now, reading the record links it.
  public func revisionRead(from source: ObjectIdentifier) -> UInt64? {
    guard let version = readVersion, version.source == source, isStored, case .loaded = modelLoadState,
      details.map({ $0.dynamicFields.isEmpty && $0.remainder == nil }) ?? true
    else { return nil }
    return layout.relationIndices.isEmpty || hasRelationsUnchanged(since: version.stamp) ? version.revision : nil
  }

  private func hasRelationsUnchanged(since stamp: ChangeStamp) -> Bool {
    layout.relationIndices.allSatisfy { index in
      layout.reference(at: index, of: self)?
        ._withUnsafeGuaranteedRef { $0.isDirty || $0.lastChange <= stamp && !$0.hasReleasedModels } ?? true
    }
  }

  /// Whether a record of this class contains everything that reading it changes: no embedded models, and always the
  /// same fields.
  public static var hasFlatRecords: Bool {
    let sample = Self()
    guard sample.layout.isProven, !sample.layout.slots.contains(where: { $0.isVariable || $0.isOptional }) else {
      return false
    }
    return sample.fieldsForDictionaryValue().allSatisfy { field in
      (field as? any Relation).map { $0.isForeignKey } ?? true
    }
  }
}

@_spi(ModelKitInternals)
extension Array where Element: ModelObject {
  /// Marks the models that are of exactly one class as read: see ``ModelObject/markRead(from:asOf:_:)``.
  public func markRead(as modelClass: ModelObject.Type, from source: ObjectIdentifier, asOf revision: UInt64) {
    let stamp = ChangeStamp.next()
    withReferences { references in
      for reference in references {
        reference._withUnsafeGuaranteedRef { object in
          let model = unsafeDowncast(object, to: ModelObject.self)
          if type(of: model) == modelClass { model.markRead(from: source, asOf: revision, stamp) }
        }
      }
    }
  }
}
