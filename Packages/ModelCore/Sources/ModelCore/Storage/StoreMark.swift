@_spi(ModelKitInternals) public import FieldKit

/// Which state of a store a model was read from last.
struct StoreMark {
  let source: ObjectIdentifier
  let revision: UInt64
  let stamp: ChangeStamp
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// Says that the model was just read from a record as it was at a revision. Not to be said of a model of which related
  /// ones are written inside the record, for those change by themselves.
  ///
  /// - Parameters:
  ///   - source: what counts the revisions.
  ///   - revision: at least that of the record, and that of all records which were written until it was read.
  ///   - stamp: when it had been read.
  public func markRead(from source: ObjectIdentifier, asOf revision: UInt64, _ stamp: ChangeStamp) {
    storeMark = StoreMark(source: source, revision: revision, stamp: stamp)
  }

  /// Says that the record is the same at a later revision.
  public func markUnchanged(asOf revision: UInt64) {
    storeMark = storeMark.map { StoreMark(source: $0.source, revision: revision, stamp: $0.stamp) }
  }

  /// The revision that the model is read from, so that reading the same record again would change nothing; nil if that is
  /// not known: because it was read from elsewhere or saved since, or was never read.
  ///
  /// Local changes don't matter: they are kept. To look at all fields would be slow, so a value that was read into a single
  /// field by hand is not noticed; relations are looked at, because they change with the models to which they lead.
  public func revisionRead(from source: ObjectIdentifier) -> UInt64? {
    guard let mark = storeMark, mark.source == source, isStored, case .loaded = modelLoadState,
      details.map({ $0.dynamicFields.isEmpty && $0.remainder == nil }) ?? true
    else { return nil }
    return layout.relationIndices.isEmpty || hasRelationsUnchanged(since: mark.stamp) ? mark.revision : nil
  }

  private func hasRelationsUnchanged(since stamp: ChangeStamp) -> Bool {
    layout.relationIndices.allSatisfy { index in
      layout.reference(at: index, of: self)?
        ._withUnsafeGuaranteedRef { $0.lastChange <= stamp || $0.isDirty } ?? true
    }
  }

  /// Whether records of this class say all that reading them changes: nothing of other models is inside them, and the
  /// fields are always the same ones.
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
