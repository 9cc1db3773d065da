@_spi(ModelKitInternals) import FieldKit

// The second pass, the commit, which can't fail.
extension DirectReading {
  /// Commits all values, and then all links.
  func apply() {
    if let map = reader.scope?.map {
      for (rootClass, count) in reader.made.counts
      where count > 64 && map.hasNone(of: ModelTypeKey(rootClass: rootClass)) {
        map.reserveCapacity(count, for: ModelTypeKey(rootClass: rootClass))
      }
    }
    // Models are released faster before a scope contains them.
    reader.made = DocumentIdentityMap()
    reader.applying {
      reader.runOperations(self)
      let links = links
      self.links = []
      for link in links { link() }
    }
  }

  func run(_ merge: DirectMerge) {
    load(merge, observed: observedRead(for: merge))
    guard merge.isLast else { return }
    observedReads.removeValue(forKey: ObjectIdentifier(merge.model))?.end()
    merge.model.markReadFromSource(isReference: merge.record.isReference, isFromStore: reader.isFromStore, since: stamp)
    if let scope = reader.scope, scope.register(merge.model) !== merge.model { hasRunOthersCode = true }
  }

  func run(_ confirmation: DirectConfirmation) {
    let model = confirmation.model
    if confirmation.hasLinks, hasRunOthersCode { return readAgainWithLinks(confirmation) }
    // An observer of another model of the document may have set a field since the comparison.
    if hasRunOthersCode, hasChanged(confirmation.fields, of: model),
      let fresh = confirmation.reader.freshInstance(isStored: reader.isFromStore),
      let record = try? readAgain(confirmation.reader, fresh, confirmation.offset, Int(confirmation.depth))
    {
      let merge = DirectMerge(record: record, model: model, fields: confirmation.fields, isLast: true)
      let observed = observedRead(for: merge)
      load(merge, observed: observed)
      observedReads[ObjectIdentifier(model)] = nil
      observed?.end()
    } else {
      confirm(confirmation.fields, of: model, confirmation.reader)
    }
    model.markReadFromSource(isReference: confirmation.isReference, isFromStore: reader.isFromStore, since: stamp)
  }

  private func hasChanged(_ fields: UInt64, of model: ModelObject) -> Bool {
    var rest = fields
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest &- 1
      if let field = model.layout.reference(at: index, of: model),
        field._withUnsafeGuaranteedRef({ $0.lastChange > stamp })
      {
        return true
      }
    }
    return false
  }

  /// Reads an object and all that is nested in it again with the tree path, after an observer may have changed its
  /// models.
  private func readAgainWithLinks(_ confirmation: DirectConfirmation) {
    var scanner = JSONScanner(
      bytes, offset: confirmation.offset, depth: Int(confirmation.depth), maximumDepth: maximumDepth)
    let again = ModelReader(
      scope: reader.scope, context: reader.context, localChanges: reader.localChanges,
      isFromStore: reader.isFromStore)
    again.leniency = nil
    guard case .object(let object)? = try? scanner.readValue(),
      let staged = try? again.stage(object, into: confirmation.model)
    else { return }
    _ = again.apply([staged])
  }

  private func confirm(_ fields: UInt64, of model: ModelObject, _ classReader: DirectClassReader) {
    let layout = classReader.layout
    var rest = fields
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest &- 1
      layout.reference(at: index, of: model)?._withUnsafeGuaranteedRef { field in
        if reader.keeps(field) { return }
        if classReader.kinds[index] == .relation { return field.confirmRelation(stamp: stamp) }
        if !field.confirm(as: classReader.kinds[index], stamp: stamp) { hasRunOthersCode = true }
      }
    }
  }

  /// Returns the read of an object into a model with observed fields; nil if no field is observed.
  private func observedRead(for merge: DirectMerge) -> ObservedRead? {
    if let known = observedReads[ObjectIdentifier(merge.model)] { return known }
    let all = merge.record.fields
    var isObserved = false
    forEachField(in: all, merge) { field, _, _ in isObserved = isObserved || !field.isUnobserved }
    guard isObserved else { return nil }
    hasRunOthersCode = true
    var fields: [AnyField] = []
    forEachField(in: all, merge) { field, _, _ in if !field.isRelation { fields.append(field) } }
    let observed = ObservedRead(of: merge.model, fields, reader.localChanges)
    observed.begin()
    observedReads[ObjectIdentifier(merge.model)] = observed
    return observed
  }

  private func load(_ merge: DirectMerge, observed: ObservedRead?) {
    forEachField(in: merge.fields, merge) { field, source, kind in
      if let observed {
        observed.load(field) { [stamp] in field.load(readBy: source, as: kind, stamp: stamp) }
      } else if !reader.keeps(field) {
        field.load(readBy: source, as: kind, stamp: stamp)
      }
    }
  }

  /// Calls a closure for fields of a model, each with the field that was read and its kind.
  private func forEachField(
    in fields: UInt64, _ merge: DirectMerge, _ body: (_ field: AnyField, _ source: AnyField, _ kind: DirectKind) -> Void
  ) {
    let classReader = merge.record.reader
    let layout = classReader.layout
    var rest = fields
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest &- 1
      guard let field = layout.reference(at: index, of: merge.model),
        let source = layout.reference(at: index, of: merge.record.model)
      else { continue }
      field._withUnsafeGuaranteedRef { field in
        source._withUnsafeGuaranteedRef { body(field, $0, classReader.kinds[index]) }
      }
    }
  }
}
