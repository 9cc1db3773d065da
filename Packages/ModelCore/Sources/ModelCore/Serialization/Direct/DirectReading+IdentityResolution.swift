@_spi(ModelKitInternals) import FieldKit

// Identity resolution, the end of the first pass: finds the model of each object and the operations to commit.
extension DirectReading {
  /// Returns the model of an object, and adds the operations to commit.
  ///
  /// - Parameters:
  ///   - isForeignKey: whether the relation to the object is a foreign key; nil for no relation.
  ///   - member: the related model at this position. An object without identifier may be read into it.
  ///   - relation: the relation that embeds it.
  func resolve(
    _ node: DirectNode, _ reader: DirectClassReader, isForeignKey: Bool?, into member: ModelObject? = nil,
    of relation: (any Relation)? = nil
  ) throws -> ModelObject {
    switch node {
    case .record(let record): return try resolve(record)
    case .tree(let json):
      return try stage(json, reader.modelClass, isForeignKey: isForeignKey, into: member, of: relation)
    }
  }

  private func stage<M: Model>(
    _ json: JSONValue, _ type: M.Type, isForeignKey: Bool?, into member: ModelObject? = nil,
    of relation: (any Relation)? = nil
  ) throws -> ModelObject {
    let staged: ModelReader.Staged<M>
    if let isForeignKey {
      staged = try reader.stage(json, as: type, isForeignKey: isForeignKey, into: member as? M, of: relation)
    } else {
      guard case .object(let object) = json else { throw NeedsTree() }
      staged = try reader.stage(object, as: type)
    }
    links.append(staged.link)
    return staged.model
  }

  private func resolve(_ record: DirectRecord) throws -> ModelObject {
    guard let key = identityKey(of: record) else { return try add(record, nil) }
    guard let known = knownModel(for: record, key) else {
      record.reader.expectsKnown = false
      return try add(record, key)
    }
    record.reader.expectsKnown = true
    guard type(of: known.model) == type(of: record.model), !known.model.hasDynamicFields else {
      // The existing model has other fields than the one that was read into.
      var scanner = JSONScanner(bytes, offset: record.offset, depth: record.depth, maximumDepth: maximumDepth)
      return try stage(try scanner.readValue(), record.reader.modelClass, isForeignKey: false)
    }
    return try merge(record, into: known, key)
  }

  func readAgain(
    _ reader: DirectClassReader, _ model: ModelObject, _ offset: Int, _ depth: Int
  ) throws -> DirectRecord {
    var scanner = JSONScanner(bytes, offset: offset, depth: depth, maximumDepth: maximumDepth)
    return try readObject(&scanner, reader, model, isFresh: true, 0)
  }

  private func identityKey(of record: DirectRecord) -> IdentityKey? {
    guard let index = record.reader.layout.identifierIndex, record.fields & 1 &<< UInt64(index) != 0,
      let field = record.reader.layout.reference(at: index, of: record.model)
    else { return nil }
    let identifier: RegisteredIdentifier? =
      if record.reader.kinds[index] == .int {
        field._withUnsafeGuaranteedRef { $0.intValue }.map { .number($0) }
      } else {
        record.model.modelIdentifier.map { RegisteredIdentifier($0) }
      }
    return identifier.map { IdentityKey(rootClass: record.reader.layout.rootClass, $0) }
  }

  /// Returns the model with the identifier of a record, in the document or in the scope. If there is none, registers
  /// the model that was read and returns nil.
  private func knownModel(for record: DirectRecord, _ key: IdentityKey) -> ModelReader.Made? {
    if let known = reader.made[key] { return known }
    if let map = reader.scope?.map, !map.hasNone(of: record.reader.typeKey),
      let model = map.canonicalModel(of: record.reader.typeKey, key.identifier)
    {
      let known = ModelReader.Made(model: model, waitsForValues: false)
      reader.made[key] = known
      return known
    }
    reader.made[key] = ModelReader.Made(model: record.model, waitsForValues: true)
    return nil
  }

  // MARK: Operations

  func add(_ record: DirectRecord, _ key: IdentityKey?) throws -> ModelObject {
    guard record.isFresh else {
      // The model that was read into has values of another object, so the record is read again.
      record.reader.recycle(record.model)
      guard let model = record.reader.freshInstance(isStored: reader.isFromStore) else { throw NeedsTree() }
      let again = try readAgain(record.reader, model, record.offset, record.depth)
      if let key { reader.made[key] = ModelReader.Made(model: model, waitsForValues: true) }
      return try add(again, key)
    }
    let model = record.model
    model.markReadFromSource(
      isReference: record.isReference, isFromStore: reader.isFromStore, since: stamp, isFresh: true)
    for link in record.links { try resolve(link, of: model, record, known: nil) }
    if reader.scope != nil { reader.operations.append(.add(model)) }
    return model
  }

  /// - Parameter key: the key of the model; nil for an embedded model.
  func merge(_ record: DirectRecord, into known: ModelReader.Made, _ key: IdentityKey?) throws -> ModelObject {
    let model = known.model
    // A store has replaced the identifier since the record was written.
    if let key, let current = model.registeredIdentifier, current != key.identifier { throw NeedsTree() }
    if record.links.isEmpty, !known.waitsForValues, isUnchanged(model, record) {
      reader.operations.append(
        .confirm(
          DirectConfirmation(
            model: model, reader: record.reader, fields: record.fields, offset: record.offset,
            depth: Int32(truncatingIfNeeded: record.depth), isReference: record.isReference)))
      record.reader.recycle(record.model)
      record.reader.expectsUnchanged = confirmsDirectly
      return model
    }
    if !record.links.isEmpty, !known.waitsForValues, isUnchanged(model, record) {
      record.reader.expectsUnchanged = confirmsDirectly
    }
    if let key, !known.waitsForValues { reader.made[key] = ModelReader.Made(model: model, waitsForValues: true) }
    // The values of nested objects are committed at the relation's position among the fields.
    var rest = record.fields
    if !reader.containing.isEmpty { rest &= ~fieldsInOuterRecords(of: model, record) }
    for link in record.links {
      let before = rest & (1 &<< UInt64(link.field) &- 1)
      reader.operations.append(.merge(DirectMerge(record: record, model: model, fields: before, isLast: false)))
      rest &= ~before & ~(1 &<< UInt64(link.field))
      try resolve(link, of: model, record, known: known)
    }
    reader.operations.append(.merge(DirectMerge(record: record, model: model, fields: rest, isLast: true)))
    return model
  }

  /// Returns whether an existing model has all the values that were read, except relations.
  private func isUnchanged(_ model: ModelObject, _ record: DirectRecord) -> Bool {
    let layout = record.reader.layout
    var rest = record.fields
    for link in record.links { rest &= ~(1 &<< UInt64(link.field)) }
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest &- 1
      guard let field = layout.reference(at: index, of: model), let read = layout.reference(at: index, of: record.model)
      else { return false }
      let isSame = field._withUnsafeGuaranteedRef { field in
        read._withUnsafeGuaranteedRef { read in field.hasValue(of: read, as: record.reader.kinds[index]) }
      }
      if !isSame { return false }
    }
    return true
  }

  /// Returns the fields of a record that a record around it has of the same model.
  private func fieldsInOuterRecords(of model: ModelObject, _ record: DirectRecord) -> UInt64 {
    guard reader.containing.contains(where: { $0.model === model }) else { return 0 }
    var found: UInt64 = 0
    var rest = record.fields
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest &- 1
      guard let field = model.layout.reference(at: index, of: model)?.takeUnretainedValue(),
        reader.isInOuterRecord(field, index, of: model)
      else { continue }
      found |= 1 &<< UInt64(index)
    }
    return found
  }

  /// - Parameter known: the model, if it existed before.
  private func resolve(
    _ link: DirectLink, of model: ModelObject, _ record: DirectRecord, known: ModelReader.Made?
  ) throws {
    let classReader = record.reader
    guard let field = classReader.layout.reference(at: link.field, of: model)?.takeUnretainedValue(),
      let relation = classReader.related[link.field]
    else { throw NeedsTree() }
    let inverse = relation.inverse ?? inverse(of: field, of: model, link)
    classReader.related[link.field]?.inverse = inverse
    try reader.inside(field, link.field, of: model, .fields(record.fields), inverse: inverse) {
      try resolve(link, field, relation, known)
    }
  }

  /// Returns the inverse of a relation in the class of an object that it contains.
  private func inverse(of field: AnyField, of model: ModelObject, _ link: DirectLink) -> ContainingRecord.Inverse? {
    for case .record(let nested) in link.nodes ?? [] {
      guard let index = (field as? any Relation)?.knownInverseIndex(on: nested.model, model) else { return nil }
      let inverse = index < 0 ? nil : nested.model.layout.field(at: index, of: nested.model) as? any Relation
      let isToOne = inverse?.isToMany == false
      return ContainingRecord.Inverse(relatedClass: nested.reader.modelClass, index: isToOne ? index : -1)
    }
    return nil
  }

  private func resolve(
    _ link: DirectLink, _ field: AnyField, _ relation: DirectClassReader.Link, _ owner: ModelReader.Made?
  ) throws {
    let isInOuterRecord = reader.isInOuterRecord(field)
    // Outer links are committed before inner ones, so that the containing model retains the nested one.
    let place = links.count
    if !isInOuterRecord { links.append({}) }
    let container = reader.containingModel
    var models: [ModelObject]?
    if let nodes = link.nodes {
      var related: [ModelObject] = []
      related.reserveCapacity(nodes.count)
      let embedding = owner == nil || relation.isForeignKey ? nil : field as? any Relation
      let members = embedding.map { reader.readsInPlace($0) ? $0.relatedModels : [] } ?? []
      for (position, node) in nodes.enumerated() {
        // Without an identifier, it is the containing model, or one that is not linked because the field is kept.
        if container != nil || reader.keeps(field), case .record(let nested) = node, identityKey(of: nested) == nil {
          throw NeedsTree()
        }
        let member = position < members.count ? members[position] : nil
        if let member, let embedding, let owner, let merged = try merge(node, into: member, of: embedding, owner) {
          related.append(merged)
          continue
        }
        let model = try resolve(
          node, relation.reader, isForeignKey: relation.isForeignKey, into: member, of: embedding)
        if type(of: model) != relation.reader.modelClass {
          guard (field as? any DirectRelation)?.accepts(model) == true else { throw NeedsTree() }
        }
        related.append(model)
      }
      models = related
    }
    if isInOuterRecord { return }
    if let container, models?.first !== container { throw NeedsTree() }
    if place == 0, links.count == 1, let models, leads(field, to: models) {
      links.removeLast()
      reader.operations.append(.confirmLink(field, models))
      return
    }
    links[place] = { [unowned reader, models] in
      if reader.keeps(field) {
        (field as? any Relation)?.join(read: models ?? [])
        return
      }
      if models?.withReferences(field.loadUntouched) != true { field.load(readRelated: models) }
    }
    guard links.count > place + 1, let models else { return }
    links.append { [unowned reader] in
      if !reader.keeps(field) { (field as? any Relation)?.keepLinks(to: models) }
    }
  }

  /// Reads an object without identifier into the embedded model at its position.
  ///
  /// - Returns: nil if a new model is needed.
  private func merge(
    _ node: DirectNode, into member: ModelObject, of relation: any Relation, _ owner: ModelReader.Made
  ) throws -> ModelObject? {
    guard case .record(let record) = node, type(of: member) == type(of: record.model),
      identityKey(of: record) == nil,
      member.isRead(
        in: relation, isClean: { !$0.isDirty }, isInRecord: { record.fields & 1 &<< UInt64($1) != 0 })
    else { return nil }
    record.reader.expectsKnown = true
    confirmedMembers.append(member)
    return try merge(record, into: ModelReader.Made(model: member, waitsForValues: owner.waitsForValues), nil)
  }

  /// Returns whether a relation references exactly these models, and has no observer of equal values.
  private func leads(_ field: AnyField, to models: [ModelObject]) -> Bool {
    guard confirmsDirectly, field.canConfirmRelation(stamp: stamp) else { return false }
    return field.withRelatedObjects { related in
      guard let related, related.count == models.count else { return false }
      return zip(related, models).allSatisfy { $0.toOpaque() == Unmanaged.passUnretained($1).toOpaque() }
    }
  }
}
